"""A LEAKY_RELU whose slope is negative or above 1.

## What it reports
LEAKY_RELU with alpha < 0 or alpha > 1 of a tensor that can be negative.

## Why it matters
The slope is clamped to 0 … 1: with a negative alpha, negative values become 0; with one above 1 they come back
unchanged. Positive values are right. Measured on WebGPU on 2.1.2 to 2.3.0.

## What to do
```python
y = F.prelu(x, torch.tensor([alpha]))       # PRELU with a constant alpha: exact
```

## What it cannot see
The sign of the values, unless it follows from the file or `--input-range`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import LeakyReluOptions
from ..linter.ranges import ranges_of
from ._evidence import measured

RULE = Rule(
    id="leaky-relu-alpha",
    summary="LEAKY_RELU with a slope outside 0 to 1",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("LEAKY_RELU"):
        options = op.options_of(LeakyReluOptions)
        if options is None or 0 <= options.alpha <= 1:
            continue
        if ranges_of(case).worst(graph, op.inputs[0]).lo >= 0:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, op.inputs),
            f"LEAKY_RELU with alpha {options.alpha:g} computes with {min(max(options.alpha, 0), 1):g} instead",
            advice="PRELU with a constant alpha: exact",
            evidence=(measured("alpha is clamped to 0 … 1"),),
        )
