"""What fails while the delegate unites operators: graphs that it rewrites into something that cannot be built.

Measured on 2.1.2 to 2.3.0, where nothing differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Model, Subgraph
from ..targets import Era
from .failure import Failure, Fault, Stage, measured
from .fusion import JOINS, SPLITS, DelegateGraph, Identity


def failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    """A split that is put together again although its tensor enters the delegate's graph, and a normalization whose
    variance is a mean of squares minus a squared mean. `chosen` are the operators on the GPU, by index."""
    names = {graph.operators[index].name for index in chosen}
    if "RSQRT" not in names and (names.isdisjoint(SPLITS) or names.isdisjoint(JOINS)):
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
