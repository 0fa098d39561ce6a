"""Opening files: a memory map for a model on this machine, and a plain word for what is not a model."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from .errors import ModelError
from .flatbuffer import Bytes
from .url import Location, Url

IDENTIFIER = b"TFL3"
"""File identifier at byte 4 (schema.fbs, v2.2.0)."""

SMALLEST = 16
"""Root offset, identifier, and the smallest table with its vtable."""


def opened(place: Location) -> AbstractContextManager[Bytes]:
    """The bytes of a file, mapped or fetched as they are read. ModelError when there is nothing to read."""
    if isinstance(place, Url):
        from . import remote

        return remote.opened(place)
    return _mapped(place)


@contextmanager
def _mapped(path: Path) -> Iterator[Bytes]:
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise ModelError(f"cannot be opened: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise ModelError("is a directory")
        if not stat.S_ISREG(status.st_mode):
            raise ModelError("is not a regular file")
        if status.st_size == 0:
            raise ModelError("empty file", 0)
        try:
            mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot be mapped: {error}") from error
    finally:
        os.close(descriptor)
    try:
        yield mapped
    finally:
        # A bundle's inner models are views; while an exception still holds one, the map goes with the view instead.
        with suppress(BufferError):
            mapped.close()


def refuse_foreign(data: Bytes) -> None:
    """Raise ModelError with a plain word when the bytes are evidently not a TensorFlow Lite model.

    The identifier is required: the runtime refuses a file without it (tflite/core/model_builder.cc, v2.2.0).
    """
    size = len(data)
    head = bytes(data[:64])
    if size == 0:
        raise ModelError("empty file", 0)
    if head[4:8] == IDENTIFIER:
        if size < SMALLEST:
            raise ModelError(f"truncated file: {size} bytes hold no model", size)
        return
    if head.startswith(b"version https://git-lfs"):
        raise ModelError("Git LFS pointer, not the model itself: run `git lfs pull`", 0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise ModelError("zip archive, not a bare model", 0)
    if head.startswith(b"LITERTLM"):
        raise ModelError(".litertlm bundle, not a bare model", 0)
    if _is_text(head):
        raise ModelError("text file, not a model", 0)
    if size < SMALLEST:
        raise ModelError(f"truncated file: {size} bytes hold no model", size)
    raise ModelError(f"wrong file identifier {head[4:8]!r}, a TensorFlow Lite model has {IDENTIFIER!r}", 4)


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # otherwise a character cut by the 64-byte window
            return False
        text = head[: error.start].decode("utf-8")
    return all(character.isprintable() or character in "\t\r\n" for character in text)
