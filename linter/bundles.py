"""Models inside bundles: `.task` (a zip archive) and `.litertlm`.

Bundles are read where they lie and nothing is unpacked to disk, so names inside an archive never become paths. A
`.litertlm` file begins with its magic word, three version numbers, and where its header ends; the header is a
flatbuffer that lists sections by type and byte range (schema/core/litertlm_header_schema.fbs of LiteRT-LM)."""

from __future__ import annotations

import io
import itertools
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from .errors import ModelError
from .flatbuffer import UINT8, UINT64, Bytes, flatbuffer, part
from .source import IDENTIFIER

ZIP = b"PK\x03\x04"
LITERTLM = b"LITERTLM"

LOCAL_HEADER = 30
"""Bytes before the name in the header that stands before each entry of a zip archive."""

CHUNK = 1 << 16
"""Compressed bytes that are inflated at once."""

MAX_MODELS = 256
"""Models in one bundle: a bundle of a language model has about ten."""

MAX_DIRECTORY = 1 << 20
"""Bytes of a zip archive's directory: that of a bundle has some hundred."""

MAX_INFLATED = 64 << 20
"""Bytes that one compressed entry may grow to. Bundles store models uncompressed, so that they can be mapped."""

MAX_RATIO = 1024
"""How many times larger than its compressed bytes an entry may be: deflate cannot do more on real data."""

HEADER_AT = 32
"""Where the header of a .litertlm file begins: magic word (8), version (12), padding (4), end of header (8)."""

TFLITE_MODEL = 3
"""AnySectionDataType.TFLiteModel."""


class Inner(NamedTuple):
    """A model inside a bundle: its name there, and its bytes."""

    name: str
    data: Bytes


def is_bundle(head: bytes) -> bool:
    """Whether a file begins like a bundle."""
    return head.startswith((ZIP, LITERTLM))


def models(data: Bytes) -> Iterator[Inner]:
    """The models in a bundle, in its order. ModelError for a bundle that is damaged, hostile, or holds no model."""
    found = 0
    for inner in _litertlm(data) if data[:8] == LITERTLM else _zip(data):
        found += 1
        if found > MAX_MODELS:
            raise ModelError(f"bundle with more than {MAX_MODELS} models", 0)
        yield inner
    if not found:
        raise ModelError("bundle without a .tflite model", 0)


def _zip(data: Bytes) -> Iterator[Inner]:
    try:
        archive = zipfile.ZipFile(_Window(data))
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    except (zipfile.BadZipFile, ValueError, OverflowError, struct.error, NotImplementedError, EOFError) as error:
        raise ModelError(f"damaged zip archive: {error}", 0) from error
    spans: list[tuple[int, int, zipfile.ZipInfo]] = []
    for entry in entries:
        name = entry.filename
        if name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts:
            raise ModelError(f"bundle entry {name!r} points outside the bundle", entry.header_offset)
        start = _entry_start(data, entry)
        spans.append((start, start + entry.compress_size, entry))
    ordered = sorted(spans, key=lambda span: span[:2])
    for (_, end, first), (start, _, second) in itertools.pairwise(ordered):
        if start < end:
            raise ModelError(f"bundle entries {first.filename!r} and {second.filename!r} overlap", start)
    for start, stop, entry in spans:
        if entry.compress_type == zipfile.ZIP_STORED:
            if data[start + 4 : min(start + 8, stop)] == IDENTIFIER:
                yield Inner(entry.filename, part(data, start, stop))
        elif entry.filename.endswith(".tflite"):
            yield Inner(entry.filename, _inflated(entry, part(data, start, stop)))


def _entry_start(data: Bytes, entry: zipfile.ZipInfo) -> int:
    """Where an entry's bytes begin: behind its local header, whose name and extra fields have lengths of their own."""
    at = entry.header_offset
    header = data[at : at + LOCAL_HEADER] if at >= 0 else b""
    if len(header) < LOCAL_HEADER or not header.startswith(ZIP):
        raise ModelError(f"bundle entry {entry.filename!r} has no local header", max(at, 0))
    name, extra = struct.unpack_from("<HH", header, 26)
    start: int = at + LOCAL_HEADER + name + extra
    if start + entry.compress_size > len(data):
        raise ModelError(f"bundle entry {entry.filename!r} runs past the end of the file", at)
    return start


def _inflated(entry: zipfile.ZipInfo, stored: Bytes) -> bytes:
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise ModelError(f"bundle entry {entry.filename!r} uses a compression that is not read", entry.header_offset)
    if entry.flag_bits & 1:
        raise ModelError(f"bundle entry {entry.filename!r} is encrypted", entry.header_offset)
    limit = min(MAX_INFLATED, MAX_RATIO * max(entry.compress_size, 1))
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    grown = bytearray()
    try:
        for start in range(0, len(stored), CHUNK):
            grown += inflater.decompress(stored[start : start + CHUNK], limit + 1 - len(grown))
            if len(grown) > limit:
                raise ModelError(f"bundle entry {entry.filename!r} grows beyond {limit} bytes", entry.header_offset)
    except zlib.error as error:
        raise ModelError(f"bundle entry {entry.filename!r}: {error}", entry.header_offset) from error
    if not inflater.eof:
        raise ModelError(f"bundle entry {entry.filename!r} ends before its data does", entry.header_offset)
    return bytes(grown)


class _Window(io.RawIOBase):
    """A read-only file over the bundle's bytes, as `zipfile` wants one to read the directory."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        if base + offset < 0:
            raise ValueError("negative seek position")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        left = max(len(self._data) - self._at, 0)
        count = left if size is None or size < 0 else min(size, left)
        if count > MAX_DIRECTORY:
            raise ValueError(f"a directory of {count} bytes")
        data = self._data[self._at : self._at + count]
        self._at += len(data)
        return data


def _litertlm(data: Bytes) -> Iterator[Inner]:
    size = len(data)
    if size < HEADER_AT:
        raise ModelError("truncated .litertlm bundle", size)
    (end,) = struct.unpack("<Q", data[24:HEADER_AT])
    if not HEADER_AT < end <= size:
        raise ModelError("the header of the .litertlm bundle lies outside the file", 24)
    header = flatbuffer(part(data, HEADER_AT, end))
    sections = header.root().table(1, "section metadata")
    if sections is None:
        raise ModelError("the .litertlm bundle lists no sections", HEADER_AT)
    spans: list[tuple[int, int, int, int]] = []
    for number, section in enumerate(sections.tables(0, "sections")):
        begin, stop = section.integer(1, UINT64), section.integer(2, UINT64)
        if not end <= begin <= stop <= size:
            raise ModelError(f"section {number} of the .litertlm bundle lies outside the file", HEADER_AT + section.at)
        spans.append((begin, stop, number, section.integer(3, UINT8)))
    ordered = sorted(span for span in spans if span[0] < span[1])
    for (_, stop, first, _), (begin, _, second, _) in itertools.pairwise(ordered):
        if begin < stop:
            raise ModelError(f"sections {first} and {second} of the .litertlm bundle overlap", begin)
    for begin, stop, number, kind in spans:
        if kind == TFLITE_MODEL:
            yield Inner(f"section{number}", part(data, begin, stop))
