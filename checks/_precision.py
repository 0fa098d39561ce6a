"""What the rules about half precision share: evidence, severities by backend, and how numbers are said."""

from __future__ import annotations

import math

from ..linter.case import Case
from ..linter.findings import Confidence, Evidence, Finding, Place, Rule, Severity
from ..linter.model import Operator, Subgraph, Tensor
from ..linter.patterns import Norm
from ..linter.ranges import Range
from ._evidence import measured, reported

CLEARS = "; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it"
ORDINARY = 16.0
"""A magnitude up to which activations are ordinary: a fault that begins below it is a warning without further
knowledge of the values."""
FLOATS = ("FLOAT32", "FLOAT16", "BFLOAT16")


def stored(
    case: Case,
    rule: Rule,
    where: Place | None,
    message: str,
    *,
    advice: str,
    outcome: str,
    severity: Severity = Severity.ERROR,
    also: tuple[Evidence, ...] = (),
) -> Finding:
    """A fault that the storage decides, because every tensor holds halves: the same on every backend, measured on
    one."""
    webgpu = case.backend == "webgpu"
    return rule.finding(
        where,
        message,
        advice=advice + CLEARS,
        severity=severity,
        confidence=Confidence.MEASURED if webgpu else Confidence.HEURISTIC,
        evidence=(measured(outcome, precision="fp16"), *also),
    )


def accumulated(
    case: Case,
    rule: Rule,
    where: Place | None,
    message: str,
    *,
    advice: str,
    outcome: str,
    severity: Severity = Severity.WARNING,
    also: tuple[Evidence, ...] = (),
) -> Finding:
    """A fault that a kernel's own arithmetic decides: measured on WebGPU, at most a warning elsewhere."""
    evidence = (measured(outcome, precision="fp16"), *also)
    return case.hazard(rule, where, message, advice=advice + CLEARS, evidence=evidence, severity=severity)


def mobile(outcome: str, ref: str, backend: str = "opencl") -> Evidence:
    """A public report of half precision on a phone or a Mac."""
    return reported(outcome, backend, ref, precision="fp16")


def fused(case: Case, norm: Norm) -> bool:
    """Whether the delegate of the target makes one kernel of a norm, with fp32 inside."""
    return norm.fused_since is not None and not case.before(norm.fused_since)


def number(value: float) -> str:
    """A number with three digits."""
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return f"{value:.3g}"


def span(values: Range) -> str:
    return f"{number(values.lo)} to {number(values.hi)}"


def percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 1 else f"{100 * share:.0f} %"


def is_float(tensor: Tensor | None) -> bool:
    return tensor is not None and tensor.type in FLOATS


def makes_floats(graph: Subgraph, op: Operator) -> bool:
    return bool(op.outputs) and op.outputs[0] >= 0 and is_float(graph.tensors[op.outputs[0]])
