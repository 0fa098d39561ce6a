"""Masks in front of SOFTMAX: where a value ends up as one, and what it hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..linter.model import Operator, Subgraph, Tensor
from ..linter.patterns import MOVES, REACH
from ..linter.ranges import Ranges


def leads_to_softmax(ranges: Ranges, graph: Subgraph, index: int) -> bool:
    """Whether a tensor is added to what SOFTMAX, or one written out, takes; it may be shaped and added on the way."""
    summed = False
    waiting = [(index, summed)]
    for _ in range(2 * REACH):
        if not waiting:
            return False
        index, summed = waiting.pop()
        for op in graph.readers(index):
            if op.name in ("SOFTMAX", "LOG_SOFTMAX") or (graph.index, op.index) in ranges.patterns.in_exp:
                if summed:
                    return True
            elif op.outputs and (op.name in MOVES or op.name in ("ADD", "SUB", "MAXIMUM", "REDUCE_MAX")):
                waiting.append((op.outputs[0], summed or op.name in ("ADD", "SUB")))
    return False


def softmax_behind(graph: Subgraph, index: int) -> Operator | None:
    """The SOFTMAX that takes a tensor, shaped or added to on the way."""
    waiting = [index]
    for _ in range(2 * REACH):
        if not waiting:
            return None
        for op in graph.readers(waiting.pop()):
            if op.name == "SOFTMAX":
                return op
            if op.outputs and (op.name in MOVES or op.name == "ADD"):
                waiting.append(op.outputs[0])
    return None


STEP = 4
"""Entries that the kernel of SOFTMAX takes at a time."""


class Mask(NamedTuple):
    """A mask in the file. `rows` are its values along the axis of the SOFTMAX, None where a condition decides at
    runtime which are `hidden`; that is the value where nothing is left."""

    tensor: int
    rows: tuple[Sequence[float], ...] | None
    hidden: float


def masks(ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Mask]:
    """The masks that an ADD adds or a SELECT selects."""
    if op.name not in ("ADD", "SELECT", "SELECT_V2") or not op.outputs:
        return
    softmax = softmax_behind(graph, op.outputs[0])
    if softmax is None:
        return
    if op.name == "ADD":
        for index, data in (op.inputs, op.inputs[::-1]):
            constant = ranges.constants.behind(graph, index)
            if constant is None or ranges.constants.behind(graph, data) is not None:
                continue
            values, facts = ranges.constants.values(graph, constant), ranges.constants.facts(graph, constant)
            if values and facts is not None and over_last(graph, constant, softmax):
                yield Mask(constant.index, _rows(values, constant), facts.lowest)
        return
    for chosen, index in ((1.0, op.inputs[1]), (0.0, op.inputs[2])):
        constant = ranges.constants.behind(graph, index)
        facts = ranges.constants.facts(graph, constant) if constant is not None else None
        if facts is None or facts.lowest != facts.highest:
            continue
        condition = graph.tensors[op.inputs[0]]
        if not condition.constant:
            yield Mask(op.outputs[0], None, facts.lowest)
            continue
        truths = ranges.constants.values(graph, condition)
        if truths and over_last(graph, condition, softmax):
            values = tuple(facts.lowest if truth == chosen else 0.0 for truth in truths)
            yield Mask(op.outputs[0], _rows(values, condition), facts.lowest)


def over_last(graph: Subgraph, mask: Tensor, softmax: Operator) -> bool:
    """Whether the last axis of a mask is the one that SOFTMAX runs over."""
    return bool(mask.shape) and mask.shape[-1] > 1 and graph.tensors[softmax.inputs[0]].shape[-1:] == mask.shape[-1:]


def _rows(values: Sequence[float], mask: Tensor) -> tuple[Sequence[float], ...]:
    width = mask.shape[-1]
    return tuple(values[at : at + width] for at in range(0, len(values), width))
