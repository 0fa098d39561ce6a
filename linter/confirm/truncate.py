"""Copies of a model that end early, for the search of the first wrong operator.

The bytes are edited in place instead of being parsed and written anew: what the schema knows and this project does not
(newer tables, data behind the flatbuffer) stays as it is. The list of operators is shortened where it stands; new
lists of inputs and outputs are put behind the file, where a flatbuffer's offsets may lead. Unused tensors stay.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from ..flatbuffer import Flatbuffer, Table
from ..model import Model, Operator, Subgraph

STATEFUL = frozenset(
    {
        "IF",
        "WHILE",
        "CALL",
        "CALL_ONCE",
        "VAR_HANDLE",
        "READ_VARIABLE",
        "ASSIGN_VARIABLE",
        "HASHTABLE",
        "HASHTABLE_FIND",
    }
)
"""Operators that act beyond their outputs: a part of the graph around them is another program."""

_MAX_SIZE = 2**31 - 2**20
"""A flatbuffer is at most 2 GB (flatbuffers' FLATBUFFERS_MAX_BUFFER_SIZE)."""

# Slots of tflite/converter/schema/schema.fbs, v2.2.0
_SUBGRAPHS, _SIGNATURES = 2, 7
_INPUTS, _OUTPUTS, _OPERATORS = 1, 2, 3
_SIGNATURE_INPUTS, _SIGNATURE_OUTPUTS = 0, 1


class CannotTruncate(Exception):
    """This model cannot be cut. One line."""


class NoInputs(CannotTruncate):
    """The part asked for is computed from constants alone."""


def ancestors(graph: Subgraph, tensors: Iterable[int]) -> frozenset[int]:
    """Indices of the operators that the tensors are computed by, directly or not."""
    found: set[int] = set()
    waiting = list(tensors)
    while waiting:
        producer = graph.producer(waiting.pop())
        if producer is None or producer.index in found:
            continue
        found.add(producer.index)
        waiting.extend(producer.inputs)
    return frozenset(found)


def truncate(data: bytes, model: Model, graph: Subgraph, outputs: tuple[int, ...]) -> bytes:
    """A copy in which `graph` computes only `outputs` (tensor indices), from as few of its inputs as they need.

    Names of inputs stay, so that the same inputs are drawn for them. Outputs that had a signature name keep it, the
    others are called after their tensors. Where no output is computed from another, none is both output and consumed.
    """
    keep = ancestors(graph, outputs)
    _check(data, model, graph, keep)
    used = {tensor for index in keep for tensor in graph.operators[index].inputs}
    inputs = tuple(tensor for tensor in graph.inputs if tensor in used)
    if not inputs:
        raise NoInputs("a part that depends on no input cannot be run alone")
    copy = bytearray(data)
    copy.extend(bytes(-len(copy) % 4))
    root = Flatbuffer(data, len(data)).root()
    table = root.tables(_SUBGRAPHS, "subgraphs")[graph.index]
    _keep_operators(copy, table, sorted(keep))
    _point(copy, table, _INPUTS, _numbers(copy, inputs))
    _point(copy, table, _OUTPUTS, _numbers(copy, outputs))
    for signature, entry in zip(model.signatures, root.tables(_SIGNATURES, "signatures"), strict=True):
        if signature.subgraph != graph.index:
            continue
        named_inputs = [(name, tensor) for name, tensor in signature.inputs if tensor in inputs]
        _point(copy, entry, _SIGNATURE_INPUTS, _maps(copy, named_inputs))
        _point(copy, entry, _SIGNATURE_OUTPUTS, _maps(copy, list(_named(graph, outputs))))
    return bytes(copy)


def _check(data: bytes, model: Model, graph: Subgraph, keep: frozenset[int]) -> None:
    if len(data) > _MAX_SIZE:
        raise CannotTruncate("a model above 2 GB cannot be cut")
    for operator in _kept(graph, keep):
        if operator.name in STATEFUL:
            raise CannotTruncate(f"{operator.title} acts beyond its outputs, so the model cannot be cut before it")
        if any(tensor >= 0 and graph.tensors[tensor].variable for tensor in operator.inputs):
            raise CannotTruncate(f"{operator.title} keeps state, so the model cannot be cut")
    if any(signature.subgraph == graph.index for signature in model.signatures) or graph.index == 0:
        return
    raise CannotTruncate("only a subgraph that a signature names can be cut")


def _kept(graph: Subgraph, keep: frozenset[int]) -> Iterator[Operator]:
    return (operator for operator in graph.operators if operator.index in keep)


def _named(graph: Subgraph, outputs: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    """A name of its own for each output."""
    seen: set[str] = set()
    for tensor in outputs:
        name = graph.label(tensor) or f"tensor {tensor}"
        if name in seen:
            name = f"{name} (tensor {tensor})"
        seen.add(name)
        yield name, tensor


def _keep_operators(copy: bytearray, table: Table, keep: list[int]) -> None:
    """Move the kept entries to the front. An entry is a distance from itself, and grows as it moves down."""
    span = table.span(_OPERATORS, 4, "operators")
    if span is None:
        raise CannotTruncate("the subgraph has no operators")
    start, _ = span
    for position, index in enumerate(keep):
        entry = start + 4 * index
        target = entry + struct.unpack_from("<I", copy, entry)[0]
        struct.pack_into("<I", copy, start + 4 * position, target - (start + 4 * position))
    struct.pack_into("<I", copy, start - 4, len(keep))


def _point(copy: bytearray, table: Table, slot: int, target: int) -> None:
    """Make a field lead to `target`, which lies behind it."""
    at = table.where(slot)
    if at is None:
        raise CannotTruncate("a list of inputs or outputs is left out in the file")
    struct.pack_into("<I", copy, at, target - at)


def _numbers(copy: bytearray, numbers: tuple[int, ...]) -> int:
    at = len(copy)
    copy.extend(struct.pack(f"<I{len(numbers)}i", len(numbers), *numbers))
    return at


def _maps(copy: bytearray, names: list[tuple[str, int]]) -> int:
    """A vector of TensorMap tables (name, tensor_index). Returns where it starts."""
    start = len(copy)
    copy.extend(struct.pack("<I", len(names)) + bytes(4 * len(names)))
    for position, (name, tensor) in enumerate(names):
        entry = start + 4 + 4 * position
        vtable = len(copy)
        # vtable: its size, the table's size, where name and tensor_index stand in the table
        copy.extend(struct.pack("<4H", 8, 12, 4, 8))
        table = len(copy)
        # table: distance back to the vtable, distance from the field to the string behind it, index
        copy.extend(struct.pack("<iII", table - vtable, 8, tensor))
        text = name.encode("utf-8")
        copy.extend(struct.pack("<I", len(text)) + text + b"\0")
        copy.extend(bytes(-len(copy) % 4))
        struct.pack_into("<I", copy, entry, table - entry)
    return start
