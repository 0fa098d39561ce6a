"""A normalisation with its variance as the mean of squares minus the squared mean kills the process.

## What it reports
`(x - mean(x)) * rsqrt(mean(x * x) - mean(x)**2 + eps)` over the last axis, with a constant eps, nothing of which is
read elsewhere (being an output does not count).

## Why it matters
The delegate takes it for its one-kernel normalisation and dies while that is built (SIGABRT), before it reports
anything. Measured on WebGPU on 2.1.2 to 2.3.0. Other axes, no eps or one that comes at run time, `SQRT` and a division,
SUM for MEAN, and `x * r - mean * r` are right.

## What to do
The centred form is exact, better conditioned, and the one form that the delegate computes in fp32:

```python
d = x - x.mean(-1, keepdim=True)
y = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + eps)
```

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
    id="variance-by-squares",
    summary="a variance as the mean of squares minus the squared mean kills the process",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.VARIANCE_BY_SQUARES,
        advice="write the variance as the mean of (x - mean)²: exact, and one kernel on the GPU",
    )
