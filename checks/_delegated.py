"""The graph as the delegate sees it on a target, for the rules that read from it."""

from __future__ import annotations

from collections.abc import Mapping

from ..linter.case import Case, Ops
from ..linter.delegate.fusion import DelegateGraph, Merge
from ..linter.delegate.padding import Padding, paddings
from ..linter.delegate.placement import On
from ..linter.model import Model, Subgraph


def delegate_graphs(case: Case) -> tuple[DelegateGraph, ...]:
    """Every subgraph that runs on the GPU at least in part, as the delegate sees it."""
    return case.derive_placed(_graphs)


def _graphs(model: Model, ops: Ops) -> tuple[DelegateGraph, ...]:
    chosen: dict[int, set[int]] = {}
    for placed in ops:
        if placed.on is not On.CPU:
            chosen.setdefault(placed.subgraph, set()).add(placed.index)
    return tuple(DelegateGraph(model, model.subgraphs[index], found) for index, found in sorted(chosen.items()))


def channel_paddings(case: Case, graph: Subgraph) -> Mapping[int, Padding]:
    """By tensor, what stands behind its last channel."""
    return case.derive_placed(_Paddings).of(graph)


class _Paddings:
    """Those of a placement, each subgraph's when a rule first asks for it."""

    def __init__(self, model: Model, ops: Ops) -> None:
        self._model = model
        self._on_cpu = {(placed.subgraph, placed.index) for placed in ops if placed.on is On.CPU}
        self._known: dict[int, dict[int, Padding]] = {}

    def of(self, graph: Subgraph) -> dict[int, Padding]:
        if graph.index not in self._known:
            self._known[graph.index] = paddings(
                self._model, graph, lambda op: (graph.index, op.index) not in self._on_cpu
            )
        return self._known[graph.index]


def applies(case: Case, until: str | None) -> bool:
    """Whether a fault that ended with a release is there on the target's."""
    return until is None or case.within("2.1.2", until)


def wanted(graph: Subgraph, merge: Merge) -> str:
    """A lost tensor, and who would have read it."""
    name = graph.label(merge.tensor)
    return f"the output {name}" if merge.tensor in graph.outputs else f"{name}, which the CPU reads,"
