"""A CONCATENATION of a single tensor that the delegate does not drop.

## What it reports
A CONCATENATION with one operand whose first axis is 1 (or which has no batch of its own), when the operand is an input
of the graph, a constant, comes from the CPU, or has other consumers.

## Why it matters
The shader does not compile (`Error while parsing WGSL`), creation and run still succeed, and the result and everything
behind it in the same submission is not written. On an operand that nothing else reads the delegate drops the operator,
which is right; so is a batch above 1. Measured on WebGPU on 2.1.2 to 2.3.0, fp32.

## What to do
Drop it: it copies its operand. Where a copy is wanted, RESHAPE to the same shape.

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.layout import layout
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._delegated import delegate_graphs
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="lone-concat",
    summary="a CONCATENATION of a single tensor",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for op in (*found.lone_concats, *_of_constants(case, graph)):
            yield case.hazard(
                RULE,
                place(graph, op, (*op.inputs, *op.outputs)),
                f"CONCATENATION of {graph.label(op.inputs[0])} alone: its shader does not compile, "
                "and its result is not written",
                advice="drop it: it copies its operand",
                evidence=(measured("zeros; `Error while parsing WGSL` in the log"),),
            )


def _of_constants(case: Case, graph: Subgraph) -> Iterator[Operator]:
    for op in graph.operators:
        if op.name != "CONCATENATION" or len(op.inputs) != 1 or not case.on_gpu(graph, op):
            continue
        data = operand(graph, op, 0)
        extents = layout(data.shape) if data is not None and data.constant else None
        if extents is not None and extents.batch == 1:
            yield op
