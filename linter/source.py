"""Opening files: their bytes as they are asked for, and a plain word for what is not a model.

Files are read and not mapped. A mapped file that another process cuts short, or a disk that fails, ends the whole
process by SIGBUS; a read that comes up short is an error like any other."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from io import FileIO
from pathlib import Path

from .errors import ModelError
from .flatbuffer import Bytes, Flatbuffer, Lazy
from .url import Location, Url

MODEL_ENDINGS = (".tflite", ".task", ".litertlm")
"""What is looked for in a folder and by a glob. A file that is named is read whatever its ending."""

IDENTIFIER = b"TFL3"
"""File identifier at byte 4 (schema.fbs, v2.2.0)."""

SMALLEST = 16
"""Root offset, identifier, and the smallest table with its vtable."""

WHOLE = 16 << 20
"""Bytes up to which a file is read at once. Of a larger one only what is asked for is read: mostly not its weights."""


class FileBytes(Lazy):
    """A range of an open file. A slice is read when it is asked for and not kept."""

    __slots__ = ("_size", "_start", "_stream")

    def __init__(self, stream: FileIO, start: int, size: int) -> None:
        self._stream = stream
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: slice, /) -> bytes:
        start, stop, _ = index.indices(self._size)
        pieces = []
        while start < stop:  # one read gives 2 GB at most
            piece = self._read(self._start + start, stop - start)
            pieces.append(piece)
            start += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read(self, at: int, count: int) -> bytes:
        try:
            self._stream.seek(at)
            piece = self._stream.read(count)
        except OSError as error:
            raise ModelError(f"cannot be read: {error.strerror}", at) from error
        if not piece:
            raise ModelError("became shorter while it was read", at)
        return piece

    def part(self, begin: int, end: int) -> FileBytes:
        return FileBytes(self._stream, self._start + begin, end - begin)

    def flatbuffer(self) -> Flatbuffer:
        """With the bytes of its tables kept, as those of a remote file."""
        from .sparse import FileFlatbuffer, Pieces, Sparse

        def fetch(spans: Sequence[tuple[int, int]]) -> list[bytes]:
            return [self[start:stop] for start, stop in spans]

        return FileFlatbuffer(Sparse(Pieces(self._size, fetch), 0, self._size))


def read_text(path: Path, most: int) -> str:
    """A text file of at most `most` bytes. OSError when it cannot be read, ValueError when larger or no UTF-8."""
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError(f"larger than {most} bytes")
    return data.decode("utf-8")


def opened(place: Location) -> AbstractContextManager[Bytes]:
    """The bytes of a regular file or behind an address, to be read inside the `with` block. ModelError when there is
    nothing to read."""
    if isinstance(place, Url):
        from . import remote

        return remote.opened(place)
    return _on_disk(place)


@contextmanager
def _on_disk(path: Path) -> Iterator[Bytes]:
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise ModelError(f"cannot be opened: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise ModelError(f"is a directory, and no model is in it ({', '.join(MODEL_ENDINGS)})")
        if not stat.S_ISREG(status.st_mode):
            raise ModelError("is not a regular file")
        with FileIO(descriptor, closefd=False) as stream:
            data = FileBytes(stream, 0, status.st_size)
            yield data[:] if status.st_size <= WHOLE else data
    finally:
        os.close(descriptor)


def refuse_foreign(data: Bytes) -> None:
    """Raise ModelError with a plain word when the bytes are evidently not a TensorFlow Lite model.

    The identifier is required: the runtime refuses a file without it (tflite/core/model_builder.cc, v2.2.0).
    """
    size = len(data)
    head = data[:64]
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
