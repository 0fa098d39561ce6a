"""Damaging a model where it counts: its offsets, lengths, indices, numbers, shapes and constants.

Bytes changed at random mostly break the first offset that is read, and nothing behind it is reached. Here the schema
says what each byte is, so that most damaged models still load and carry the damage to the rules. `overwritten` changes
numbers in place; `rewritten` takes the model apart and builds it again with parts gone, doubled or grown.
"""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from tflint.fixtures import schema
from tflint.fixtures.flatbuffer import Table as Written
from tflint.fixtures.flatbuffer import write
from tflint.linter.errors import ModelError
from tflint.linter.flatbuffer import Flatbuffer, Scalar, Table

LETTERS = {
    "bool": "B", "byte": "b", "ubyte": "B", "short": "h", "ushort": "H",
    "int": "i", "uint": "I", "long": "q", "ulong": "Q", "float": "f",
}  # fmt: skip

SIZES = {letter: struct.calcsize("<" + letter) for letter in "bBhHiIqQef"}

INTEGERS = (
    0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 32, 64, 100, 127, 128, 255, 256, 1000, 4095, 32767, 65535, 65536,
    2**31 - 1, -(2**31), 2**32 - 1, 2**62, 2**63 - 1, -(2**63),
)  # fmt: skip
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-8, 1e-45, 65504.0, 65520.0, 1e9, 3e38, math.inf, -math.inf, math.nan)

LONGEST = 1500
"""Items that a grown vector gets at most."""


class Spot(NamedTuple):
    """A number in the file: where, and how it is stored. `pointer` for what leads elsewhere."""

    at: int
    letter: str
    pointer: bool = False


def damaged(data: bytes, random: Random) -> bytes:
    """The model with one or several faults; any bytes when it is none. Taking a model apart costs more than linting
    it, so that is done once for all faults of a kind."""
    if random.random() < 0.3:
        data = rewritten(data, random, random.choice((1, 1, 2, 3)))
        if random.random() < 0.7:
            return data
    return overwritten(data, random, random.choice((1, 1, 1, 2, 3, 6)))


def scrambled(data: bytes, random: Random) -> bytes:
    """Any bytes with a few changed, taken out, put in or moved."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        at = random.randrange(len(changed) + 1)
        length = random.choice((1, 1, 2, 4, 8, 64))
        piece = changed[at : at + length]
        match random.randrange(5):
            case 0:
                changed[at : at + length] = random.randbytes(len(piece))
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = random.randbytes(length)
            case 3:
                to = random.randrange(len(changed) + 1)
                changed[to:to] = piece * random.choice((1, 1, 50))
            case 4:
                changed[at : at + 1] = bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))])
    return bytes(changed)


def overwritten(data: bytes, random: Random, times: int = 1) -> bytes:
    """Numbers of the model changed, its size kept."""
    spots = [spot for spot in itertools.islice(_spots(data), 20_000) if 0 <= spot.at <= len(data) - SIZES[spot.letter]]
    if not spots:
        return data
    pointers = [spot for spot in spots if spot.pointer]
    changed = bytearray(data)
    for _ in range(times):
        spot = random.choice(pointers if random.random() < 0.15 else spots)
        if spot.pointer and random.random() < 0.7:
            # To another place that something points to: tables are shared, and taken for what they are not.
            other = random.choice(pointers)
            value: float = struct.unpack_from("<I", data, other.at)[0] + other.at - spot.at
        else:
            value = _number(spot.letter, random)
        struct.pack_into("<" + spot.letter, changed, spot.at, _fitting(value, spot.letter))
    return bytes(changed)


def rewritten(data: bytes, random: Random, times: int = 1) -> bytes:
    """The model built again after changes to its tables. The data itself when it cannot be taken apart."""
    try:
        root = _taken_apart("Model", Flatbuffer(data, len(data)).root())
    except ModelError:
        return data
    for _ in range(times):
        places = list(_fields(root))
        if not places:
            return data
        node, field = random.choice(places)
        value = node.fields[field.name]
        changes = _CHANGES_OF_VECTORS if field.is_vector and not isinstance(value, bytes) else _CHANGES
        random.choice(changes)(node, field, random)
    try:
        return write(root.table())
    except (struct.error, TypeError, OverflowError, ValueError):  # what the builder cannot say
        return data


def _number(letter: str, random: Random) -> float:
    if letter == "f":
        return random.choice(FLOATS)
    return random.choice(INTEGERS) if random.random() < 0.6 else random.randrange(-2, 40)


def _fitting(value: float, letter: str) -> float:
    """The number, wrapped into what the letter can store."""
    if letter == "f":
        return value
    bits = 8 * struct.calcsize("<" + letter)
    whole = int(value) & ((1 << bits) - 1)
    return whole - (1 << bits) if letter.islower() and whole >> (bits - 1) else whole


def _spots(data: bytes) -> Iterator[Spot]:
    """Every number of the schema in the model, as far as it can be read."""
    try:
        root = Flatbuffer(data, len(data)).root()
        yield Spot(0, "I", pointer=True)
        yield from _spots_of("Model", root, data)
    except (ModelError, RecursionError):
        return


def _spots_of(name: str, table: Table, data: bytes) -> Iterator[Spot]:
    yield Spot(table.at, "i")
    vtable = table.at - struct.unpack_from("<i", data, table.at)[0]
    yield from (
        Spot(vtable + 2 * slot, "H") for slot in range(2 + schema.slot_count(name)) if vtable + 2 * slot < table.at
    )
    for field in schema.TABLES[name]:
        at = table.where(field.slot)
        if at is None:
            continue
        try:
            yield from _spots_of_field(field, table, at, data)
        except (ModelError, struct.error):
            continue


def _spots_of_field(field: schema.Field, table: Table, at: int, data: bytes) -> Iterator[Spot]:
    what = field.name
    if field.type in schema.UNIONS:
        number = table.where(field.slot - 1)
        if number is not None:
            yield Spot(number, "B")
        yield Spot(at, "I", pointer=True)
        member = _member(field.type, data[number] if number is not None else 0)
        inner = table.table(field.slot, what)
        if member is not None and inner is not None:
            yield from _spots_of(member, inner, data)
    elif field.type in schema.TABLES:
        yield Spot(at, "I", pointer=True)
        inner = table.table(field.slot, what)
        if inner is not None:
            yield from _spots_of(field.type, inner, data)
    elif field.element in schema.TABLES:
        yield Spot(at, "I", pointer=True)
        span = table.span(field.slot, 4, what)
        if span is not None:
            yield Spot(span[0] - 4, "I")
            yield from (Spot(span[0] + 4 * index, "I", pointer=True) for index in range(span[1]))
            for inner in table.tables(field.slot, what):
                yield from _spots_of(field.element, inner, data)
    elif field.is_vector or field.type == "string":
        yield Spot(at, "I", pointer=True)
        letter = "B" if field.type == "string" else LETTERS[schema.storage(field.element)]
        item = struct.calcsize("<" + letter)
        span = table.span(field.slot, item, what)
        if span is not None:
            yield Spot(span[0] - 4, "I")
            letters = (letter,) if (field.name, field.type) != ("data", "[ubyte]") else ("B", "h", "e", "i", "f", "q")
            for kind in letters:
                size = struct.calcsize("<" + kind)
                yield from (Spot(span[0] + size * index, kind) for index in range(min(span[1] * item // size, 64)))
    else:
        yield Spot(at, LETTERS[schema.storage(field.type)])


@functools.cache
def _members(union: str) -> dict[int, str]:
    return {number: name for name, number in schema.enum_members(union).items() if name in schema.TABLES}


def _member(union: str, number: int) -> str | None:
    return _members(union).get(number)


class Node:
    """A table taken apart, to be changed and written again."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name = name
        self.fields = fields

    def table(self) -> Written:
        return Written(self.name, {name: _written(value) for name, value in self.fields.items()})


def _written(value: Any) -> Any:
    if isinstance(value, Node):
        return value.table()
    if isinstance(value, list):
        return [_written(item) for item in value]
    return value


def _taken_apart(name: str, table: Table) -> Node:
    fields: dict[str, Any] = {}
    for field in schema.TABLES[name]:
        if table.where(field.slot) is None:
            continue
        if field.type in schema.UNIONS:
            member = _member(field.type, table.integer(field.slot - 1, Scalar("B")))
            inner = table.table(field.slot, field.name)
            if member is not None and inner is not None:
                fields[field.name] = _taken_apart(member, inner)
        elif field.type in schema.TABLES:
            inner = table.table(field.slot, field.name)
            fields[field.name] = None if inner is None else _taken_apart(field.type, inner)
        elif field.element in schema.TABLES:
            fields[field.name] = [_taken_apart(field.element, inner) for inner in table.tables(field.slot, field.name)]
        elif field.type == "string":
            fields[field.name] = table.text(field.slot, field.name)
        elif field.is_vector and schema.storage(field.element) == "ubyte":
            fields[field.name] = bytes(table.numbers(field.slot, Scalar("B"), field.name) or ())
        elif field.is_vector:
            kind = Scalar(LETTERS[schema.storage(field.element)])
            fields[field.name] = list(table.numbers(field.slot, kind, field.name) or ())
        else:
            fields[field.name] = table.number(field.slot, Scalar(LETTERS[schema.storage(field.type)]))
    return Node(name, fields)


def _fields(node: Node) -> Iterator[tuple[Node, schema.Field]]:
    """Every field of the tree that is present, its table beside it."""
    for field in schema.TABLES[node.name]:
        value = node.fields.get(field.name)
        if value is None:
            continue
        yield node, field
        for inner in value if isinstance(value, list) else (value,):
            if isinstance(inner, Node):
                yield from _fields(inner)


Change = Callable[[Node, schema.Field, Random], None]


def _drop(node: Node, field: schema.Field, random: Random) -> None:
    del node.fields[field.name]


def _renumber(node: Node, field: schema.Field, random: Random) -> None:
    value = node.fields[field.name]
    if isinstance(value, (int, float)):
        letter = LETTERS[schema.storage(field.type)]
        node.fields[field.name] = _fitting(_number(letter, random), letter)
    elif isinstance(value, bytes):
        node.fields[field.name] = random.randbytes(random.choice((0, 1, 2, 3, 4, 8, 16, len(value))))
    elif isinstance(value, str):
        node.fields[field.name] = random.choice(TEXTS)
    else:
        _drop(node, field, random)


def _restyle(node: Node, field: schema.Field, random: Random) -> None:
    """Another options table, empty: every field has its default."""
    if field.type in schema.UNIONS:
        node.fields[field.name] = Node(random.choice(list(_members(field.type).values())), {})
    else:
        _renumber(node, field, random)


def _item(node: Node, field: schema.Field, random: Random) -> Any:
    value = node.fields[field.name]
    if field.element in schema.TABLES:
        return random.choice(value) if value else Node(field.element, {})
    letter = LETTERS[schema.storage(field.element)]
    return _fitting(_number(letter, random), letter)


def _shorten(node: Node, field: schema.Field, random: Random) -> None:
    value = node.fields[field.name]
    del value[random.randrange(len(value) + 1) :]


def _double(node: Node, field: schema.Field, random: Random) -> None:
    value = node.fields[field.name]
    value.insert(random.randrange(len(value) + 1), _item(node, field, random))


def _shuffle(node: Node, field: schema.Field, random: Random) -> None:
    random.shuffle(node.fields[field.name])


def _replace(node: Node, field: schema.Field, random: Random) -> None:
    value = node.fields[field.name]
    if value:
        value[random.randrange(len(value))] = _item(node, field, random)


def _grow(node: Node, field: schema.Field, random: Random) -> None:
    item = _item(node, field, random)
    most = LONGEST if not isinstance(item, Node) else 12 if item.name in ("SubGraph", "Operator") else 40
    node.fields[field.name] += [item] * random.randrange(most)


_CHANGES: tuple[Change, ...] = (_drop, _renumber, _renumber, _renumber, _restyle)
_CHANGES_OF_VECTORS: tuple[Change, ...] = (
    _drop, _shorten, _double, _double, _shuffle, _replace, _replace, _replace, _grow,
)  # fmt: skip

TEXTS = (
    "", "x", "\x1b[2J", "a\nb\r", "</script><b>", "`|*_#", "::error::", "\udcff".encode("utf-8", "replace").decode(),
    "\u202e", "%0A", "n" * 300, "FlexAdd", "odml.rms_norm", "serving_default",
)  # fmt: skip
