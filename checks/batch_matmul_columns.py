"""A BATCH_MATMUL with adj_y whose columns or depth are not a multiple of 4.

## What it reports
A BATCH_MATMUL with adj_y and a right operand `[…, N, K]` with N % 4 ≠ 0 or K % 4 ≠ 0, on releases up to 2.1.4.

## Why it matters
The kernel cannot be created: `Unsupported weights shape.`, with a runtime right operand or a constant of rank 3 or
4. Measured on WebGPU on 2.1.2 to 2.1.4; fine from 2.1.5 on. Reported on OpenCL with 2.1.1 (LiteRT#6518).

## What to do
```python
scores = q @ k.transpose(-1, -2).contiguous()       # an explicit TRANSPOSE, adj_y off: exact
```

or pad the columns, and the depth of both operands, with zeros to a multiple of 4.

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
    id="batch-matmul-columns",
    summary="BATCH_MATMUL with adj_y and axes off a multiple of 4 cannot be created",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#6518",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.BATCH_MATMUL_COLUMNS,
        advice="TRANSPOSE the right operand explicitly and turn adj_y off, or run it on 2.1.5 or later: exact",
    )
