"""Which rule a refused operator belongs to: one fault, one finding, under its most specific rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Cause, Refusal
from ..linter.findings import Confidence, Evidence, Finding, Rule, place
from ..linter.model import Operator, Subgraph

SPECIFIC = {
    "SPLIT": "split",
    "SELECT": "select",
    "SELECT_V2": "select",
    "GATHER_ND": "gather-nd",
    "BROADCAST_TO": "broadcast-to",
    "RELU_0_TO_1": "relu-0-to-1",
    "TRANSPOSE_CONV": "transpose-conv-version",
}
"""Operators with a rule of their own, for what the general rules below would say of them."""

GENERAL = {
    Cause.KERNEL: "unsupported-op",
    Cause.VERSION: "op-version",
    Cause.TYPE: "tensor-type",
    Cause.PARAMETER: "op-parameters",
}

ALWAYS = {
    Cause.RANK: "rank-over-four",
    Cause.IDENTICAL: "identical-inputs",
    Cause.CONSTANT: "constant-inputs",
}
"""Causes that are one fault whatever the operator."""


def rule_of(operator: str, cause: Cause) -> str | None:
    """The id of the rule that reports a refusal; None for what needs no finding of its own."""
    if cause is Cause.HALF_WEIGHTS:
        return None  # stays on the CPU only because another operator is refused, and that one is reported
    always = ALWAYS.get(cause)
    if always is not None:
        return always
    if operator == "CUSTOM":
        return "custom-op"
    if operator == "STABLEHLO_COMPOSITE":
        return "composite-op"
    if operator == "TRANSPOSE_CONV" and cause is not Cause.VERSION:
        return GENERAL[cause]
    return SPECIFIC.get(operator, GENERAL[cause])


def refused(case: Case, rule: str) -> Iterator[tuple[Subgraph, Operator, Refusal]]:
    """The refused operators that belong to a rule."""
    for graph, op, _, why in case.refused():
        if rule_of(op.name, why.cause) == rule:
            yield graph, op, why


Advice = Callable[[Subgraph, Operator, Refusal], str]


def findings(case: Case, rule: Rule, advice: Advice) -> Iterator[Finding]:
    """A finding for every refused operator that belongs to a rule, in the runtime's own words."""
    for graph, op, why in refused(case, rule.id):
        yield rule.finding(
            place(graph, op, why.tensors or op.inputs),
            f"the GPU refuses {op.title}: {why.message or 'no reason given'}",
            advice=advice(graph, op, why),
            severity=case.refusal_severity(),
            confidence=Confidence.MEASURED if case.backend == "webgpu" else Confidence.SOURCE,
            evidence=(evidence(case, why),),
        )


def evidence(case: Case, why: Refusal) -> Evidence:
    """The acceptance check was measured on the WebGPU wheels; the released source has one check for every backend."""
    litert = (case.litert,)
    if case.backend == "webgpu":
        return Evidence("measured", f"refused: {why.message}", "webgpu", litert)
    return Evidence(
        "source",
        f"refused: {why.message}",
        case.backend,
        litert,
        ref="ml_drift_delegate/tflite/model_builder.cc@v2.2.0: one check for all backends",
    )
