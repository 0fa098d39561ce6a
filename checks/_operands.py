"""Operands as the delegate's check sees them."""

from __future__ import annotations

from collections.abc import Sized

from ..linter.delegate.node import is_half_weight
from ..linter.model import Operator, Subgraph, Tensor

BINARY = frozenset(
    {"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD"}
    | {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"}
)
"""Two-operand element-wise operators that broadcast."""


def operand(graph: Subgraph, op: Operator, position: int) -> Tensor | None:
    """The tensor at an input position, None where it is absent."""
    if position >= len(op.inputs) or op.inputs[position] < 0:
        return None
    return graph.tensors[op.inputs[position]]


def result(graph: Subgraph, op: Operator, position: int = 0) -> Tensor | None:
    if position >= len(op.outputs) or op.outputs[position] < 0:
        return None
    return graph.tensors[op.outputs[position]]


def constant_behind(graph: Subgraph, tensor: Tensor | None) -> Tensor | None:
    """The constant that a tensor is, or that stands for it: FLOAT16 constants reach their readers through a
    DEQUANTIZE."""
    if tensor is None or tensor.constant:
        return tensor
    producer = graph.producer(tensor.index)
    if producer is not None and is_half_weight(graph, producer):
        return graph.tensors[producer.inputs[0]]
    return None


def runtime(graph: Subgraph, tensor: Tensor | None) -> bool:
    """Whether a tensor is present and not constant."""
    return tensor is not None and constant_behind(graph, tensor) is None


def tally(ops: Sized) -> str:
    """For a message about the first of several operators: how many there are."""
    return "" if len(ops) == 1 else f" ({len(ops)} operators here)"
