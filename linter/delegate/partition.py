"""Which of the accepted operators the delegate keeps: one partition a subgraph, the largest.

Source: PartitionGraphIntoIndependentNodeSubsets (tflite/graph_info.cc) and GraphPartitionHelper,
FP16GraphPartitionHelper (tflite/delegates/utils.cc), v2.2.0; unchanged from 2.1.2 to 2.3.0. Starting an epoch, the
first ready operator in execution order decides whether it is a GPU epoch; then every ready operator of that kind
joins, until none can. Parallel branches and later operators so merge into one partition wherever the data flow
allows; the plan is not cut at each refused operator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from ..model import Model, Operator, Subgraph
from .tie import first_of_the_largest

SIDE_EFFECTS = frozenset({"IF", "WHILE", "CALL_ONCE"})
"""Operators that keep their mutual order, besides those that touch a RESOURCE tensor
(Subgraph::OpMightHaveSideEffect)."""


def might_have_side_effect(graph: Subgraph, op: Operator) -> bool:
    return op.name in SIDE_EFFECTS or any(
        tensor >= 0 and graph.tensors[tensor].type == "RESOURCE" for tensor in op.inputs + op.outputs
    )


class Flow:
    """Which operators of a subgraph wait for which."""

    def __init__(self, graph: Subgraph) -> None:
        operators = graph.operators
        self._waiting = [0] * len(operators)
        self._followers: list[list[int]] = [[] for _ in operators]
        last = -1
        for op in operators:
            for tensor in dict.fromkeys(op.inputs):
                producer = graph.producers.get(tensor) if tensor >= 0 else None
                if producer is not None and producer != op.index:
                    self._after(producer, op.index)
            if might_have_side_effect(graph, op):
                if last >= 0:
                    self._after(last, op.index)
                last = op.index

    def _after(self, first: int, second: int) -> None:
        self._followers[first].append(second)
        self._waiting[second] += 1

    def partitions(self, accepted: Collection[int]) -> list[list[int]]:
        """The GPU partitions: lists of operator indices, in the order in which the runtime forms them."""
        waiting = self._waiting.copy()
        gpu = set(accepted)
        ready: dict[bool, list[int]] = {True: [], False: []}
        for index, count in enumerate(waiting):
            if not count:
                ready[index in gpu].append(index)  # sorted, and so a heap
        found: list[list[int]] = []
        while ready[True] or ready[False]:
            on_gpu = bool(ready[True]) and (not ready[False] or ready[True][0] < ready[False][0])
            epoch: list[int] = []
            queue = ready[on_gpu]
            while queue:
                index = heappop(queue)
                epoch.append(index)
                for follower in self._followers[index]:
                    waiting[follower] -= 1
                    if not waiting[follower]:
                        heappush(ready[follower in gpu], follower)
            if on_gpu:
                found.append(sorted(epoch))
        return found


def partitions(graph: Subgraph, accepted: Collection[int]) -> list[list[int]]:
    """The GPU partitions of a subgraph for one set of accepted operators."""
    return Flow(graph).partitions(accepted)


def largest(found: Sequence[Sequence[int]]) -> Sequence[int]:
    """The partition that is kept; of equal ones, the one that the runtime's sort puts first."""
    return found[first_of_the_largest([len(part) for part in found])] if found else ()


class Step(NamedTuple):
    """One fix: the refused operators to get accepted together, and the size of the largest partition then."""

    operators: tuple[int, ...]
    gpu: int


def fix_order(graph: Subgraph, refused: Sequence[int], most: int) -> list[Step]:
    """Which refused operators to fix first: the fix that wins most operators for the largest partition, then the
    next with it made.

    Operators of one kind are one fix: one rewrite serves them all. At most `most` steps, and `CANDIDATES` kinds
    tried for each."""
    kinds: dict[str, list[int]] = {}
    for index in refused:
        kinds.setdefault(graph.operators[index].title, []).append(index)
    flow = Flow(graph)
    left = set(refused)
    everything = {op.index for op in graph.operators}
    steps: list[Step] = []
    while kinds and len(steps) < most:
        candidates = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kinds[kind][0]))[:CANDIDATES]
        sizes = {kind: len(largest(flow.partitions(everything - left.difference(kinds[kind])))) for kind in candidates}
        best = max(candidates, key=lambda kind: (sizes[kind] - len(kinds[kind]), -kinds[kind][0]))
        steps.append(Step(tuple(kinds[best]), sizes[best]))
        left.difference_update(kinds.pop(best))
    return steps


CANDIDATES = 12
"""Kinds of refused operators tried for each step: each try partitions the graph once."""

SHOWN = 5
"""Fixes worked out for a subgraph: beyond a handful the order no longer guides anybody."""


class FixOrders:
    """The first fixes of a model's subgraphs. Releases that refuse the same operators share the answer."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[int, tuple[int, ...]], list[Step]] = {}

    def of(self, subgraph: int, refused: tuple[int, ...]) -> list[Step]:
        key = subgraph, refused
        if key not in self._known:
            self._known[key] = fix_order(self._model.subgraphs[subgraph], refused, SHOWN)
        return self._known[key]
