"""A PRELU with an alpha a pixel and a batch above 1.

## What it reports
PRELU whose alpha has the shape of a whole map (height, width, channels) with an input of batch above 1.

## Why it matters
The kernel cannot be created. Measured on WebGPU on 2.1.2 to 2.3.0. A batch of 1, and an alpha a channel, are fine.

## What to do
```python
y = torch.relu(x) - alpha * torch.relu(-x)          # exact
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
    id="prelu-batch",
    summary="PRELU with an alpha a pixel and a batch above 1",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.PRELU_BATCH,
        advice="write it as RELU(x) - alpha * RELU(-x): exact",
    )
