"""A REVERSE_V2 over channels whose number is not a multiple of 4.

## What it reports
REVERSE_V2 along the last axis with more than 4 channels, not a multiple of 4.

## Why it matters
A part of the result is zero. Measured on WebGPU on 2.1.2 to 2.3.0. One to four channels, multiples of 4, and other
axes are right.

## What to do
```python
y = torch.flip(x.transpose(-1, -2), [-2]).transpose(-1, -2)     # reverse along the width: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import integers
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="reverse-channels",
    summary="REVERSE_V2 over channels off a multiple of 4",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("REVERSE_V2"):
        data, axes = operand(graph, op, 0), operand(graph, op, 1)
        if data is None or axes is None or data.rank < 2:
            continue
        reversed_axes = integers(case.model, axes) or ()
        channels = data.shape[-1]
        if channels <= 4 or channels % 4 == 0 or not any(axis % data.rank == data.rank - 1 for axis in reversed_axes):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"REVERSE_V2 over {channels} channels leaves a part of the result zero",
            advice="TRANSPOSE the channels to the width, reverse there, TRANSPOSE back: exact",
            evidence=(measured("partly zero when the channel count is above 4 and not a multiple of 4"),),
        )
