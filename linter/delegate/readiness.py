"""Operators that are never ready: they wait for each other, or for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Operator, Subgraph
from ..targets import VERSIONS, Era
from .failure import Failure, Fault, Stage, measured
from .in_place import left_out


def never_ready(graph: Subgraph, era: Era) -> Iterator[Failure]:
    """The runtime looks for parts that the delegate can take, operator by operator as their inputs get ready; what is
    left over ends compilation, whatever the accelerators.

    Measured: from 2.1.4 on any such operator does. 2.1.3 minds only those that write an output of the graph, and 2.1.2
    dies of those, while it creates the model or later.
    """
    stuck = _stuck(graph)
    if not stuck:
        return
    if era.before("2.1.4"):
        stuck = [op for op in stuck if not set(op.outputs).isdisjoint(graph.outputs)]
    for op in stuck[:1]:  # the runtime stops at once
        waits = tuple(tensor for tensor in op.inputs if tensor in graph.producers)
        message = "Unable to preview delegate partition."
        evidence = measured(message, VERSIONS[1:])
        if era.before("2.1.3"):
            message = "the process dies of an output that is never written"
            evidence = measured("SIGSEGV", VERSIONS[:1])
        yield Failure(Fault.MALFORMED, Stage.LOAD, message, graph.index, op.index, waits, evidence)


def _stuck(graph: Subgraph) -> list[Operator]:
    """Operators that never have all their inputs."""
    waiting = {op.index: op for op in graph.operators if not left_out(op)}
    unwritten = {tensor for op in waiting.values() for tensor in op.outputs}
    # Nearly every file lists its operators in an order in which they can run.
    for op in tuple(waiting.values()):
        if not unwritten.isdisjoint(op.inputs):
            break
        unwritten.difference_update(op.outputs)
        del waiting[op.index]
    lacks = {index: len(unwritten.intersection(op.inputs)) for index, op in waiting.items()}
    ready = [index for index, count in lacks.items() if not count]
    while ready:
        for tensor in unwritten.intersection(waiting.pop(ready.pop()).outputs):
            unwritten.remove(tensor)
            for reader in graph.consumers.get(tensor, ()):
                if reader in waiting:
                    lacks[reader] -= 1
                    if not lacks[reader]:
                        ready.append(reader)
    return list(waiting.values())
