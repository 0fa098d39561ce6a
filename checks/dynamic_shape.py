"""A tensor whose shape is only known at run time.

## What it reports
An operator whose output has no static shape when the delegate is applied: RESHAPE, TILE, RESIZE, PAD, TRANSPOSE or
TOPK_V2 with a runtime shape, size, permutation or k; SLICE with runtime sizes into a result whose shape is not in the
file; WHERE and other operators whose result size depends on values; string and resource tensors.

## Why it matters
The delegate takes static shapes only. With one dynamic tensor it is not applied at all, and creating the
CompiledModel fails, also where the CPU is allowed: `Attempting to use a delegate that only supports static-sized
tensors with a graph that has dynamic-sized tensors`. The CPU alone runs the model.

## What to do
Export with fixed sizes and constant shape operands:

```python
F.interpolate(x, size=(64, 64))          # not scale_factor with a traced size
x.reshape(1, 196, 768)                   # not reshape(x.shape[0], -1, c) under a dynamic batch
torch.topk(x, k=5)                       # a constant k
```

A -1 in a shape signature alone is not dynamic: the static shape in the file is used.

## What it cannot see
What the application does later: resizing an input at run time makes shapes dynamic again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="dynamic-shape",
    summary="a tensor whose shape is only known at run time",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.DYNAMIC_SHAPE,
        advice="export with fixed sizes and a constant shape, size or k operand; "
        "cut operators whose result size depends on values",
    )
