"""Findings from what makes a whole model fail."""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Failure, Fault
from ..linter.findings import Confidence, Finding, Kind, Place, Rule, Severity, place


def where(case: Case, failure: Failure) -> Place | None:
    if failure.operator is None:
        return None
    graph = case.model.subgraphs[failure.subgraph]
    op = graph.operators[failure.operator]
    return place(graph, op, failure.tensors or op.inputs)


def failed(case: Case, rule: Rule, *faults: Fault, advice: str) -> Iterator[Finding]:
    """A finding for every failure of these kinds. Creation or loading fails whatever the accelerators, so it is
    always an error."""
    for failure in case.failures(*faults):
        yield rule.finding(
            where(case, failure),
            failure.message,
            advice=advice,
            kind=Kind.LOAD,
            severity=Severity.ERROR,
            confidence=Confidence.MEASURED if case.backend == "webgpu" else Confidence.SOURCE,
            evidence=failure.evidence,
        )
