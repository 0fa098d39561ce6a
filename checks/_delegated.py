"""The graph as the delegate sees it on a target, for the rules that read from it."""

from __future__ import annotations

from ..linter.case import Case
from ..linter.delegate.fusion import DelegateGraph, Merge
from ..linter.delegate.placement import On, OpPlacement
from ..linter.model import Model, Subgraph


class _Graphs:
    """Makes the graphs of a placement. Two of one placement are the same to `Case.derive`."""

    __slots__ = ("ops",)

    def __init__(self, ops: tuple[OpPlacement, ...]) -> None:
        self.ops = ops

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Graphs) and other.ops is self.ops

    def __hash__(self) -> int:
        return id(self.ops)

    def __call__(self, model: Model) -> tuple[DelegateGraph, ...]:
        chosen: dict[int, set[int]] = {}
        for placed in self.ops:
            if placed.on is not On.CPU:
                chosen.setdefault(placed.subgraph, set()).add(placed.index)
        return tuple(DelegateGraph(model, model.subgraphs[index], found) for index, found in sorted(chosen.items()))


def delegate_graphs(case: Case) -> tuple[DelegateGraph, ...]:
    """Every subgraph that runs on the GPU at least in part, as the delegate sees it."""
    return case.derive(_Graphs(case.placement.ops))


def applies(case: Case, until: str | None) -> bool:
    """Whether a fault that ended with a release is there on the target's."""
    return until is None or case.within("2.1.2", until)


def wanted(graph: Subgraph, merge: Merge) -> str:
    """A lost tensor, and who would have read it."""
    name = graph.label(merge.tensor)
    return f"the output {name}" if merge.tensor in graph.outputs else f"{name}, which the CPU reads,"
