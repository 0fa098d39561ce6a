"""Which values an input may take, where the graph shows it.

An input that is used as an index must stay within the table that it indexes, or the comparison says nothing. An index
is followed backwards from the operator that uses it, through those that only move or convert values.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..constants import integers
from ..model import Model, Operator, Subgraph
from ..options import GatherOptions

_CARRIERS = frozenset(
    {
        "CAST",
        "CONCATENATION",
        "EXPAND_DIMS",
        "PACK",
        "RESHAPE",
        "REVERSE_V2",
        "SLICE",
        "SPLIT",
        "SPLIT_V",
        "SQUEEZE",
        "STRIDED_SLICE",
        "TILE",
        "TRANSPOSE",
        "UNPACK",
    }
)
"""Their outputs hold values of their inputs and no others."""


def ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of each input that is an index, by `signature/input`, or by name without signatures.

    Constants are read, so the model's file must be open.
    """
    found: dict[str, tuple[float, float]] = {}
    entries = [(f"{entry.key}/", entry.subgraph, dict(entry.inputs)) for entry in model.signatures]
    if not entries and model.subgraphs:
        first = model.subgraphs[0]
        entries = [("", 0, {first.tensors[tensor].name: tensor for tensor in first.inputs})]
    for prefix, subgraph, names in entries:
        limits = _limits(model, model.subgraphs[subgraph])
        found.update({f"{prefix}{name}": (0.0, limits[tensor]) for name, tensor in names.items() if tensor in limits})
    return found


def _limits(model: Model, graph: Subgraph) -> dict[int, float]:
    """The highest index allowed, for each tensor that ends up as one."""
    limits: dict[int, float] = {}
    for operator in graph.operators:
        for tensor, highest in _uses(model, graph, operator):
            waiting = [tensor]
            while waiting:
                current = waiting.pop()
                if limits.get(current, float("inf")) <= highest:
                    continue
                limits[current] = highest
                producer = graph.producer(current)
                if producer is not None and producer.name in _CARRIERS:
                    waiting += _carried(producer)
    return limits


def _carried(operator: Operator) -> list[int]:
    if operator.name in ("CONCATENATION", "PACK"):
        return [tensor for tensor in operator.inputs if tensor >= 0]
    return list(operator.inputs[1:2] if operator.name == "SPLIT" else operator.inputs[:1])


def _uses(model: Model, graph: Subgraph, operator: Operator) -> Iterator[tuple[int, float]]:
    """Tensors that this operator takes for indices, with the highest that is inside."""
    inputs = operator.inputs
    if len(inputs) < 2 or min(inputs[:2]) < 0:
        return
    first, second = graph.tensors[inputs[0]], graph.tensors[inputs[1]]
    if operator.name == "GATHER":
        options = operator.options_of(GatherOptions)
        axis = options.axis if options else 0
        if -first.rank <= axis < first.rank:
            yield from _within(second.index, (first.shape[axis],))
    elif operator.name == "EMBEDDING_LOOKUP" and second.rank:
        yield from _within(first.index, second.shape[:1])
    elif operator.name == "GATHER_ND" and second.rank:
        yield from _within(second.index, first.shape[: second.shape[-1]])
    elif operator.name == "ONE_HOT":
        yield from _within(first.index, integers(model, second) if second.constant else None)
    elif operator.name == "SCATTER_ND" and len(inputs) > 2 and inputs[2] >= 0 and first.rank:
        shape = graph.tensors[inputs[2]]
        extents = integers(model, shape) if shape.constant else None
        yield from _within(first.index, extents[: first.shape[-1]] if extents else None)
    elif operator.name == "DYNAMIC_UPDATE_SLICE" and len(inputs) > 2 and inputs[2] >= 0:
        # An update of another rank is malformed, and then nothing is known.
        room = [whole - part + 1 for whole, part in zip(first.shape, second.shape, strict=False)]
        yield from _within(inputs[2], tuple(room) if first.rank == second.rank else None)


def _within(tensor: int, extents: tuple[int, ...] | None) -> Iterator[tuple[int, float]]:
    if extents and min(extents) > 0:
        yield tensor, min(extents) - 1
