"""A GATHER with constant indices on releases before 2.3.0.

## What it reports
GATHER whose indices are constant, on 2.1.2 to 2.2.0.

## Why it matters
The check accepts it and the kernel cannot be created: `Unable to parse bc coord for BATCH axis`. Measured on
WebGPU, any rank and axis; fine on 2.3.0.

## What to do
```python
y = torch.cat([x[:, i : i + 1] for i in indices], dim=1)        # slices: exact
```

Runtime indices are fine too, on constant data as well.

## What it cannot see
Runtime indices that lie outside: the CPU ends the run with an error, the GPU reads zeros there (measured on 2.3.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="gather-constant-indices",
    summary="GATHER with constant indices cannot be created",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.GATHER_CONSTANT_INDICES,
        advice="take the slices and CONCATENATION them (exact), feed the indices at run time, or run it on 2.3.0",
    )
