"""An operator that a CPU kernel refuses.

## What it reports
An operator whose options, shapes or types the runtime's CPU kernel rejects when it prepares the graph.

## Why it matters
Every CPU kernel prepares before the GPU delegate is asked, so the model runs nowhere: neither on the GPU nor on the
CPU. The finding repeats the runtime's words.

## What to do
Convert again from the source, or give the operator the form that its kernel wants. Hand-edited and half-converted
files are the usual cause.

```python
F.interpolate(x, size=(64, 64), mode="bilinear", align_corners=False)      # not align_corners with half_pixel_centers
```

## What it cannot see
It covers the conditions that converters and edits are known to break, not every line of every kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="cpu-prepare",
    summary="a CPU kernel refuses the operator",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.PREPARE,
        advice="give the operator the form that its CPU kernel wants; the words above are the runtime's",
    )
