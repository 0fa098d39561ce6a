"""Which of the accepted operators the delegate keeps: one partition a subgraph, the largest.

Source: PartitionGraphIntoIndependentNodeSubsets (tflite/graph_info.cc) and GraphPartitionHelper,
FP16GraphPartitionHelper (tflite/delegates/utils.cc), v2.2.0; unchanged from 2.1.2 to 2.3.0. Starting an epoch, the
first ready operator in execution order decides whether it is a GPU epoch; then every ready operator of that kind
joins, until none can. Parallel branches and later operators so merge into one partition wherever the data flow
allows; the plan is not cut at each refused operator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from ..model import Operator, Subgraph
from .tie import first_of_the_largest

SIDE_EFFECTS = frozenset({"IF", "WHILE", "CALL_ONCE"})
"""Operators that keep their mutual order, besides those that touch a RESOURCE tensor
(Subgraph::OpMightHaveSideEffect)."""


def might_have_side_effect(graph: Subgraph, op: Operator) -> bool:
    return op.name in SIDE_EFFECTS or any(
        tensor >= 0 and graph.tensors[tensor].type == "RESOURCE" for tensor in op.inputs + op.outputs
    )


def partitions(graph: Subgraph, accepted: Collection[int]) -> list[list[int]]:
    """The GPU partitions of a subgraph: lists of operator indices, in the order in which the runtime forms them."""
    operators = graph.operators
    waiting = [0] * len(operators)
    followers: list[list[int]] = [[] for _ in operators]
    for op in operators:
        for tensor in dict.fromkeys(op.inputs):
            producer = graph.producers.get(tensor) if tensor >= 0 else None
            if producer is not None and producer != op.index:
                followers[producer].append(op.index)
                waiting[op.index] += 1
    last = -1
    for op in operators:
        if might_have_side_effect(graph, op):
            if last >= 0:
                followers[last].append(op.index)
                waiting[op.index] += 1
            last = op.index
    gpu = set(accepted)
    ready: dict[bool, list[int]] = {True: [], False: []}
    for op in operators:
        if not waiting[op.index]:
            ready[op.index in gpu].append(op.index)
    for queue in ready.values():
        heapify(queue)
    found: list[list[int]] = []
    while ready[True] or ready[False]:
        on_gpu = bool(ready[True]) and (not ready[False] or ready[True][0] < ready[False][0])
        epoch: list[int] = []
        queue = ready[on_gpu]
        while queue:
            index = heappop(queue)
            epoch.append(index)
            for follower in followers[index]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    heappush(ready[follower in gpu], follower)
        if on_gpu:
            found.append(sorted(epoch))
    return found


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
    left = set(refused)
    everything = {op.index for op in graph.operators}
    now = len(largest(partitions(graph, everything - left)))
    steps: list[Step] = []
    while kinds and len(steps) < most:
        candidates = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kinds[kind][0]))[:CANDIDATES]
        sizes = {
            kind: len(largest(partitions(graph, everything - left.difference(kinds[kind])))) for kind in candidates
        }
        best = max(candidates, key=lambda kind: (sizes[kind] - len(kinds[kind]), -kinds[kind][0]))
        now = sizes[best]
        steps.append(Step(tuple(kinds[best]), now))
        left.difference_update(kinds.pop(best))
    return steps


CANDIDATES = 12
"""Kinds of refused operators tried for each step: each try partitions the graph once."""
