"""A slice of everything that meets the tensor it copies: the model cannot be created.

## What it reports
A SLICE or STRIDED_SLICE (steps of 1) of a whole tensor, whose reader also reads that tensor, another such slice or a
copy.

## Why it matters
The delegate drops the slice, and its reader would read one tensor twice: `Failed to initialize kernel.` Slices written
with computed ends (`x[..., :c]` where c is all there is) and rotations by 0 leave them behind. Measured on WebGPU on
2.1.2 to 2.3.0. RESHAPE to the same shape, RESIZE to the same size, and reading one tensor twice outright are right.

## What to do
Drop the slice, or make it and every other copy of that tensor a RESHAPE to the same shape: both exact.

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="identity-slice",
    summary="a slice of everything meets the tensor that it copies",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.IDENTITY_SLICE,
        advice="drop the slice, which copies its operand, or make every such copy a RESHAPE to the same shape",
    )
