"""A STRIDED_SLICE of a constant.

## What it reports
A STRIDED_SLICE on the GPU whose data is a constant.

## Why it matters
The result is zero, whatever the constant holds, while creation and run succeed. Measured on WebGPU on 2.1.2 to 2.3.0.
Position tables and masks that are cut to length are the usual form.

## What to do
```python
self.register_buffer("table", table[:, :n].contiguous())        # cut it before export: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import constant_behind, operand

RULE = Rule(
    id="constant-strided-slice",
    summary="STRIDED_SLICE of a constant comes back as zeros",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("STRIDED_SLICE"):
        data = constant_behind(graph, operand(graph, op, 0))
        if data is None:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"STRIDED_SLICE of the constant {graph.label(data.index)} {list(data.shape)} comes back as zeros",
            advice="store the slice as a constant of its own: exact",
            evidence=(measured("zeros"),),
        )
