"""An operator or operator version that the target runtime does not have.

## What it reports
An operator code whose version is above the highest one registered in the release (or below the lowest), or whose
number is beyond the release's schema. Every code counts, used or not: the runtime resolves them all.

## Why it matters
The file does not load at all, on any accelerator: `Didn't find op for builtin opcode 'MUL' version '8'. An older
version of this builtin might be supported.` The table was read from the released source
(tflite/core/kernels/register.cc) and checked against the wheels.

## What to do
Raise the target to a release that registers the version, or convert for the older runtime. STABLEHLO operators left
in a file have no kernel at all: convert with a converter that legalises them, or compute their results beforehand.

```python
self.register_buffer("eye", torch.eye(n))              # not torch.eye(n) or arange in forward(): STABLEHLO_IOTA
values, index = torch.topk(x, k)                       # not torch.sort(x): STABLEHLO_SORT; k constant
```

## What it cannot see
Runtimes that an application builds itself with other operators registered.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="unregistered-op",
    summary="an operator or version that the runtime does not have",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.OP_VERSION,
        Fault.UNKNOWN_OPERATOR,
        advice="raise the target release to one that registers it, or convert for the older runtime",
    )
