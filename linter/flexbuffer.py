"""FlexBuffers, as far as operator attributes need them: a map from names to numbers, texts, vectors and maps.

Source: google/flatbuffers, flexbuffers.h. The bytes come from a file, so every offset is checked before it is
followed. What does not hold reads as no attributes at all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

Value = Any
"""int, float, bool, str, bytes, a tuple of values, a dict of them, or None."""

MAX_BYTES = 1 << 20
"""Attributes take some hundred bytes; larger options hold a compiled model for another accelerator."""

MAX_DEPTH = 16
"""Attributes nest two deep."""

MAX_REPEATS = 64
"""How often a byte may be read as text: names and texts may be shared, and so be read again and again."""

_NULL, _INT, _UINT, _FLOAT, _KEY, _STRING, _MAP, _VECTOR, _BLOB, _BOOL = 0, 1, 2, 3, 4, 5, 9, 10, 25, 26
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_TYPED = {11: _INT, 12: _UINT, 13: _FLOAT, 14: _KEY, 15: _STRING, 36: _BOOL}
_FIXED = {16 + 3 * more + i: (2 + more, kind) for more in range(3) for i, kind in enumerate((_INT, _UINT, _FLOAT))}
_LETTERS = {
    _INT: {1: "b", 2: "h", 4: "i", 8: "q"},
    _UINT: {1: "B", 2: "H", 4: "I", 8: "Q"},
    _BOOL: {1: "B", 2: "H", 4: "I", 8: "Q"},
    _FLOAT: {2: "e", 4: "f", 8: "d"},
}


@lru_cache(maxsize=256)
def attributes(data: bytes) -> Mapping[str, Value]:
    """The map at the root; empty when the root is no map, or is damaged. Many operators may have the same bytes."""
    try:
        root = _Reader(data).root()
    except (_DamagedError, struct.error):
        return MappingProxyType({})
    return MappingProxyType(root if isinstance(root, dict) else {})


class _DamagedError(Exception):
    """An offset or a length that points out of the buffer, or a type that does not exist."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        # A value has a byte of its own at least. Vectors may be shared, so that a small buffer holds more values than
        # there are atoms: reading such a one ends.
        self.left = len(data)
        self.text = MAX_REPEATS * len(data)

    def root(self) -> Value:
        """The last byte is the width of the root value, the one before its type, and before them stands the value."""
        if len(self.data) < 3:
            raise _DamagedError
        width = self.data[-1]
        return self.value(len(self.data) - 2 - width, width, self.data[-2], MAX_DEPTH)

    def value(self, at: int, parent: int, packed: int, depth: int) -> Value:
        """The value of type `packed` at `at`, in a vector whose elements are `parent` bytes wide."""
        kind, width = packed >> 2, 1 << (packed & 3)
        self.left -= 1
        if depth == 0 or self.left < 0:
            raise _DamagedError
        if kind == _NULL:
            return None
        if kind in _LETTERS:
            number = self.number(at, kind, parent)
            return bool(number) if kind == _BOOL else number
        target = self.target(at, parent)
        if kind in _INDIRECT:
            return self.number(target, _INDIRECT[kind], width)
        if kind == _KEY:
            return self.key(target)
        if kind in (_STRING, _BLOB):
            content = self.content(target, target + self.count(target, width, 1))
            return content.decode("utf-8", "replace") if kind == _STRING else content
        if kind == _MAP:
            return dict(self.items(target, width, depth - 1))
        if kind == _VECTOR:
            return tuple(self.elements(target, width, depth - 1))
        if kind in _TYPED:
            count, element = self.count(target, width, width), _TYPED[kind]
        elif kind in _FIXED:
            count, element = _FIXED[kind]
        else:
            raise _DamagedError
        return tuple(self.value(target + i * width, width, element << 2, depth - 1) for i in range(count))

    def number(self, at: int, kind: int, width: int) -> Value:
        letter = _LETTERS[kind].get(width)
        if letter is None or not 0 <= at <= len(self.data) - width:
            raise _DamagedError
        return struct.unpack_from("<" + letter, self.data, at)[0]

    def target(self, at: int, width: int) -> int:
        """Where the offset at `at` points: backwards."""
        found: int = at - self.number(at, _UINT, width)
        if found < 0:
            raise _DamagedError
        return found

    def count(self, at: int, width: int, size: int) -> int:
        """The length that stands before `at`, of elements of `size` bytes that fit into the buffer."""
        found: int = self.number(at - width, _UINT, width)
        if found * size > len(self.data) - at:
            raise _DamagedError
        return found

    def key(self, at: int) -> str:
        end = self.data.find(0, at)
        if end < 0:
            raise _DamagedError
        return self.content(at, end).decode("utf-8", "replace")

    def content(self, at: int, end: int) -> bytes:
        self.text -= end - at
        if self.text < 0:
            raise _DamagedError
        return self.data[at:end]

    def elements(self, at: int, width: int, depth: int) -> Iterator[Value]:
        """The elements of an untyped vector: the values, then a byte of type for each."""
        count = self.count(at, width, width + 1)
        for i in range(count):
            yield self.value(at + i * width, width, self.data[at + count * width + i], depth)

    def items(self, at: int, width: int, depth: int) -> Iterator[tuple[str, Value]]:
        """A map is a vector of values. Before its length stand the width of its keys, and the offset to them."""
        keys, step = self.target(at - 3 * width, width), self.number(at - 2 * width, _UINT, width)
        for i, value in enumerate(self.elements(at, width, depth)):
            yield self.key(self.target(keys + i * step, step)), value
