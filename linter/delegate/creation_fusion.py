"""What fails while the delegate unites operators: graphs that it rewrites into something that cannot be built.

Measured on 2.1.2 to 2.3.0, where nothing differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Model, Operator, Subgraph
from ..targets import Era
from .failure import Failure, Fault, Stage, measured
from .fusion import JOINS, SPLITS, DelegateGraph, Identity


def failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    """A split that is put together again although its tensor enters the delegate's graph, a slice of everything beside
    its source, and a normalization whose variance is a mean of squares minus a squared mean. `chosen` are the operators
    on the GPU, by index."""
    names = {graph.operators[index].name for index in chosen}
    slices = any(_copies(graph, graph.operators[index]) for index in chosen)
    if "RSQRT" not in names and not slices and (names.isdisjoint(SPLITS) or names.isdisjoint(JOINS)):
        return  # most graphs have neither, and need not be looked at as a whole
    found = DelegateGraph(model, graph, chosen)
    for pair in found.split_concats:
        if pair.identity is Identity.INPUT:
            yield Failure(
                Fault.SPLIT_CONCAT,
                Stage.AFTER_CHECK,
                "NOT_FOUND: Output id not found",
                graph.index,
                pair.join.index,
                (pair.tensor, *pair.join.outputs),
                measured("no kernels for a graph input that is split and put together again along one axis"),
            )
    for dropped in found.identity_slices:
        yield Failure(
            Fault.IDENTITY_SLICE,
            Stage.AFTER_CHECK,
            "Failed to initialize kernel.",
            graph.index,
            dropped.index,
            (*dropped.inputs[:1], *dropped.outputs),
            measured("no kernels where one operator reads a tensor and a slice of all of it"),
        )
    for norm in found.squared_means:
        yield Failure(
            Fault.VARIANCE_BY_SQUARES,
            Stage.AFTER_CHECK,
            "the process dies while the operators of the norm are made one",
            graph.index,
            norm.operator.index,
            norm.tensors,
            measured("SIGABRT when the variance is a mean of squares minus a squared mean"),
        )


def _copies(graph: Subgraph, op: Operator) -> bool:
    """Whether a slice leaves the shape as it is."""
    if op.name not in ("SLICE", "STRIDED_SLICE") or not op.inputs or not op.outputs or min(*op.inputs, *op.outputs) < 0:
        return False
    return graph.tensors[op.inputs[0]].shape == graph.tensors[op.outputs[0]].shape
