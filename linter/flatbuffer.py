"""A flatbuffer read with suspicion: nothing is believed before it is known to lie inside the file.

Every access checks its bounds, so reading *is* verifying: what `Table` hands out has been verified, and what is
damaged raises `ModelError` with the byte offset of the faulty word. Layout: https://flatbuffers.dev/internals/ .
Budgets bound the work that a hostile file can cause: offsets may be shared in a flatbuffer, so a few kilobytes can
describe an endless walk."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Protocol

from .errors import ModelError

MAX_TABLES = 8_000_000
"""Tables read per file. A graph of 100,000 operators with their tensors needs about 1,000,000."""

SMALLEST_TABLE = 8
"""Bytes that a table and the offset to it take, when it has no field. So many tables as this allows can lie in a file;
a few more may be read, because they may be shared. A file that shares them by the thousand is no model."""

SHARED_TABLES = 1024

TOO_MANY_TABLES = "more tables than a model of this size has"

MAX_ITEMS = 64_000_000
"""Bytes of strings, and of vectors as they are held in memory, read per file: names, shapes, indices. Weights are never
read through here."""

ITEMS_A_BYTE = 64
SHARED_ITEMS = 1 << 20
"""The same in proportion to the file. Names and shapes are shared by tensors more often than tables are."""

NUMBER = 8
"""What a number of a vector counts: it is held as an object."""

_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")


class Bytes(Protocol):
    """What is read from: bytes, or a file read piece by piece."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...


class Lazy(ABC):
    """Bytes that must be asked for before they are read, as those of a remote or a large file: `linter.sparse`."""

    __slots__ = ()

    @abstractmethod
    def flatbuffer(self) -> Flatbuffer: ...

    @abstractmethod
    def part(self, begin: int, end: int) -> Bytes: ...


def flatbuffer(data: Bytes) -> Flatbuffer:
    """These bytes as a flatbuffer."""
    return data.flatbuffer() if isinstance(data, Lazy) else Flatbuffer(data, len(data))


def part(data: Bytes, begin: int, end: int) -> Bytes:
    """Some of these bytes; those of a file stay there until they are asked for."""
    return data.part(begin, end) if isinstance(data, Lazy) else data[begin:end]


class Flatbuffer:
    """The bytes of one file, and the budgets for reading it."""

    __slots__ = ("_items_left", "_tables_left", "_vtables", "data", "size")

    def __init__(self, data: Bytes, size: int) -> None:
        self.data = data
        self.size = size
        self._vtables: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._tables_left = min(size // SMALLEST_TABLE + SHARED_TABLES, MAX_TABLES)
        self._items_left = min(size * ITEMS_A_BYTE + SHARED_ITEMS, MAX_ITEMS)

    def root(self) -> Table:
        if self.size < 8:
            raise ModelError(f"file of {self.size} bytes is too short for a flatbuffer", 0)
        return self.table_at(self.follow(0, "root table"), "root table")

    def follow(self, at: int, what: str) -> int:
        """The position that the unsigned offset stored at `at` points to."""
        if at + 4 > self.size:
            raise ModelError(f"offset of {what} lies outside the file", at)
        distance: int = _U32.unpack_from(self.data, at)[0]  # type: ignore[arg-type]
        if distance < 4 or at + distance + 4 > self.size:
            raise ModelError(f"offset of {what} points outside the file", at)
        return at + distance

    def table_at(self, at: int, what: str) -> Table:
        self._tables_left -= 1
        if self._tables_left < 0:
            raise ModelError(TOO_MANY_TABLES, at)
        if at + 4 > self.size:
            raise ModelError(f"{what} lies outside the file", at)
        vtable = at - _I32.unpack_from(self.data, at)[0]  # type: ignore[arg-type]
        known = self._vtables.get(vtable)
        if known is None:
            known = self._vtables[vtable] = self._vtable(vtable, at, what)
        length, fields = known
        if at + length > self.size:
            raise ModelError(f"{what} of {length} bytes runs past the end of the file", at)
        return Table(self, at, length, fields)

    def _vtable(self, vtable: int, at: int, what: str) -> tuple[int, tuple[int, ...]]:
        if vtable < 0 or vtable + 4 > self.size:
            raise ModelError(f"vtable of {what} lies outside the file", at)
        nbytes: int = _U16.unpack_from(self.data, vtable)[0]  # type: ignore[arg-type]
        if nbytes < 4 or nbytes % 2 or vtable + nbytes > self.size:
            raise ModelError(f"vtable of {what} has an impossible size of {nbytes} bytes", vtable)
        length, *fields = struct.unpack_from(f"<{nbytes // 2 - 1}H", self.data, vtable + 2)  # type: ignore[arg-type]
        if length < 4:
            raise ModelError(f"{what} has an impossible size of {length} bytes", vtable)
        for slot, field in enumerate(fields):
            if field and not 4 <= field < length:
                raise ModelError(f"field {slot} of {what} lies outside its table", vtable + 4 + 2 * slot)
        return length, tuple(fields)

    def claim(self, at: int, nbytes: int, held: int) -> None:
        """Before reading `nbytes` bytes at `at`, which lie inside the file: spend what they take in memory."""
        self._items_left -= held
        if self._items_left < 0:
            raise ModelError("more vector items than a model of this size has", at)

    def expect(self, spans: Iterable[tuple[int, int]]) -> None:
        """These bytes, each from a first to behind a last, will probably be read soon."""

    def tables(self, start: int, count: int, what: str) -> list[Table]:
        """The tables that `count` offsets at `start` point to."""
        if count > self._tables_left:
            raise ModelError(TOO_MANY_TABLES, start)
        return [self.table_at(self.follow(start + 4 * index, what), what) for index in range(count)]


class Scalar:
    """A fixed-size number: how it is stored, and its size in bytes."""

    __slots__ = ("letter", "size", "unpack")

    def __init__(self, letter: str) -> None:
        packed = struct.Struct("<" + letter)
        self.letter = letter
        self.size = packed.size
        self.unpack: Callable[..., tuple[int | float, ...]] = packed.unpack_from


BOOL, INT8, UINT8 = Scalar("B"), Scalar("b"), Scalar("B")
INT16, UINT16, INT32, UINT32 = Scalar("h"), Scalar("H"), Scalar("i"), Scalar("I")
INT64, UINT64, FLOAT32 = Scalar("q"), Scalar("Q"), Scalar("f")


class Table:
    """One table: its fields by slot number, each checked on the way out."""

    __slots__ = ("_fields", "at", "length", "source")

    def __init__(self, source: Flatbuffer, at: int, length: int, fields: tuple[int, ...]) -> None:
        self.source = source
        self.at = at
        self.length = length
        self._fields = fields

    def where(self, slot: int) -> int | None:
        """Position of a field, None when the writer left it out."""
        fields = self._fields
        if slot >= len(fields):
            return None
        field = fields[slot]
        return self.at + field if field else None

    def number(self, slot: int, kind: Scalar, default: int | float = 0) -> int | float:
        fields = self._fields
        if slot >= len(fields) or not fields[slot]:
            return default
        field = fields[slot]
        if field + kind.size > self.length:
            raise ModelError(f"field {slot} runs past the end of its table", self.at + field)
        return kind.unpack(self.source.data, self.at + field)[0]

    def integer(self, slot: int, kind: Scalar, default: int = 0) -> int:
        return self.number(slot, kind, default)  # type: ignore[return-value]

    def _target(self, slot: int, what: str) -> int | None:
        fields = self._fields
        if slot >= len(fields) or not fields[slot]:
            return None
        field = fields[slot]
        if field + 4 > self.length:
            raise ModelError(f"{what} runs past the end of its table", self.at + field)
        return self.source.follow(self.at + field, what)

    def table(self, slot: int, what: str) -> Table | None:
        target = self._target(slot, what)
        return None if target is None else self.source.table_at(target, what)

    def span(self, slot: int, item: int, what: str) -> tuple[int, int] | None:
        """Where a vector's items start and how many there are; the items themselves are not read."""
        target = self._target(slot, what)
        if target is None:
            return None
        count: int = _U32.unpack_from(self.source.data, target)[0]  # type: ignore[arg-type]
        if count * item > self.source.size - target - 4:
            raise ModelError(f"{what} has {count} items, more than the file can hold", target)
        return target + 4, count

    def numbers(self, slot: int, kind: Scalar, what: str) -> tuple[int, ...] | None:
        """A vector of scalars, None when absent."""
        span = self.span(slot, kind.size, what)
        if span is None:
            return None
        start, count = span
        self.source.claim(start, count * kind.size, count * NUMBER)
        return struct.unpack_from(f"<{count}{kind.letter}", self.source.data, start)  # type: ignore[arg-type]

    def tables(self, slot: int, what: str) -> list[Table]:
        span = self.span(slot, 4, what)
        if span is None:
            return []
        return self.source.tables(*span, what)

    def text(self, slot: int, what: str) -> str | None:
        """A string. Bytes that are not UTF-8 are shown as ``\\xNN`` and do not make the file unreadable: the
        runtime takes them."""
        span = self.span(slot, 1, what)
        if span is None:
            return None
        start, count = span
        self.source.claim(start, count, count)
        return bytes(self.source.data[start : start + count]).decode("utf-8", "backslashreplace")
