"""One tensor in two operands of an operator that dies of it.

## What it reports
The same tensor in two operands of BATCH_MATMUL where its first axis is 1, FULLY_CONNECTED (as its weights), a
convolution with runtime weights, both branches of SELECT_V2, DYNAMIC_UPDATE_SLICE, or a PACK along an axis that leaves
the layout as it is (`[1,8,8]` packed along axis 1).

## Why it matters
The process dies while the graph is built (`Check failed: !IsInput(consumer, value)`), on every release (measured on
WebGPU, 2.1.2 to 2.3.0). CONCATENATION, ADD and MUL of one tensor are fine. So are a PACK and a BATCH_MATMUL that
reshape their inputs first, as BATCH_MATMUL does with every shape whose first axis is not 1.

## What to do
```python
gram = x @ (x * one).transpose(-1, -2)      # one: an input of the value 1
```

In the file, a RESHAPE of one of the operands to its own shape is enough. Both are exact.

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
    id="same-tensor-twice",
    summary="one tensor in two operands kills the process",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.SAME_TENSOR_TWICE,
        advice="give one of the operands a copy: RESHAPE to the same shape is exact",
    )
