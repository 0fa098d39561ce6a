"""A graph that runs on the GPU in part compiles and then fails when it is run.

## What it reports
* On 2.1.2 and 2.1.3: a tensor that passes between the CPU and the kept GPU partition, either way, or a graph input that
  both read. The inputs and outputs of a subgraph that IF, WHILE or a composite calls pass so too.
* Up to 2.2.0: a tensor that the CPU makes, that is an output of the graph, and that the GPU partition reads.

## Why it matters
The first raises at the first run: `Node number n (LITERT_WEBGPU) failed to invoke`, with `NOT_FOUND …
delegate_kernel_litert.cc`. The second kills the process there (SIGSEGV). Both have been created, with their residency
sentence. All of the graph on one side is fine, and so are two halves that share nothing. Measured on WebGPU on 2.1.2
to 2.3.0. An accepted operator outside the kept partition runs on the CPU like a refused one.

## What to do
Replace the refused operators (each has a finding of its own), or raise the release: 2.1.4 mends the first. For the
second, return a copy of the tensor: RESHAPE to its own shape, which may run on either side.

## What it cannot see
Whether the application allows the CPU. Without it the graph cannot be created at all, and this says that allowing it
would not help.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.fusion import By, DelegateGraph
from ..linter.delegate.node import is_half_weight
from ..linter.findings import Confidence, Evidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._delegated import delegate_graphs
from ._evidence import measured, releases

RULE = Rule(
    id="partial-delegation-fails",
    summary="a graph that runs on the GPU in part fails when it is run",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)

ERASED = (By.IDENTITY, By.PADDING, By.SCALE, By.PARTS)
"""Merges after which the delegate's graph has no such tensor any more: it does not miss it when it is run."""


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        on_gpu = [op for op in graph.operators if case.on_gpu(graph, op)]
        called = _called(case, graph)
        if len(on_gpu) == len(graph.operators) and not called:
            continue
        returned = _returned_by_the_cpu(case, graph, on_gpu)
        if returned is not None and case.before("2.3.0"):
            op, tensor = returned
            yield _finding(
                case,
                graph,
                op,
                tensor,
                f"running it kills the process: the CPU makes the output {graph.label(tensor)}, and {op.title} reads "
                "it on the GPU",
                "return a copy of the tensor: RESHAPE to its own shape",
                measured("SIGSEGV at the first run", releases("2.1.2", "2.2.0")),
            )
        elif case.before("2.1.4"):
            crossing = _crossing(case, found, on_gpu, called=called)
            if crossing is not None:
                op, tensor = crossing
                yield _finding(
                    case,
                    graph,
                    op,
                    tensor,
                    f"compiles and fails at the first run: {graph.label(tensor)} is shared by the GPU and the CPU",
                    "use 2.1.4 or later, or replace the refused operators so that all of the graph runs on the GPU",
                    measured("the first run raises: NOT_FOUND … delegate_kernel_litert.cc", releases("2.1.2", "2.1.3")),
                )


def _finding(
    case: Case, graph: Subgraph, op: Operator, tensor: int, message: str, advice: str, evidence: Evidence
) -> Finding:
    measured_here = case.backend == "webgpu"
    return RULE.finding(
        place(graph, op, (tensor,)),
        message if case.cpu_allowed else f"allowing the CPU would not help: the graph {message}",
        advice=advice,
        severity=Severity.ERROR if measured_here and case.cpu_allowed else Severity.WARNING,
        confidence=Confidence.MEASURED if measured_here else Confidence.HEURISTIC,
        evidence=(evidence,),
    )


def _returned_by_the_cpu(case: Case, graph: Subgraph, on_gpu: list[Operator]) -> tuple[Operator, int] | None:
    """An operator on the GPU and the output of the graph that it reads and the CPU makes."""
    outputs = set(graph.outputs)
    for op in on_gpu:
        for tensor in op.inputs:
            producer = graph.producer(tensor) if tensor in outputs else None
            if producer is not None and not case.on_gpu(graph, producer):
                return op, tensor
    return None


def _called(case: Case, graph: Subgraph) -> bool:
    """Whether another subgraph calls this one, so that its inputs and outputs lie on the CPU."""
    return graph.index > 0 and all(signature.subgraph != graph.index for signature in case.model.signatures)


def _crossing(case: Case, found: DelegateGraph, on_gpu: list[Operator], *, called: bool) -> tuple[Operator, int] | None:
    """An operator on the GPU and a tensor that it shares with the CPU."""
    graph = found.graph
    outputs = set(graph.outputs) if called else set()
    erased = {merge.tensor for merge in found.merges if merge.by in ERASED}
    for op in on_gpu:
        for tensor in op.inputs:
            if tensor < 0 or graph.tensors[tensor].constant:
                continue
            producer = graph.producer(tensor)
            if producer is None:
                if called or any(not case.on_gpu(graph, reader) for reader in graph.readers(tensor)):
                    return op, tensor
            elif not case.on_gpu(graph, producer) and not is_half_weight(graph, producer):
                return op, tensor
        for tensor in op.outputs:
            leaves = tensor in outputs or any(not case.on_gpu(graph, reader) for reader in graph.readers(tensor))
            if leaves and tensor not in erased:
                return op, tensor
    return None
