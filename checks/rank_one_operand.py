"""A SOFTMAX or FULLY_CONNECTED of a rank-1 tensor.

## What it reports
SOFTMAX of a tensor `[n]`, and FULLY_CONNECTED of an input `[n]`, with n > 1.

## Why it matters
The only axis of a rank-1 tensor becomes the batch. SOFTMAX then gives all ones, and FULLY_CONNECTED uses a single
value. Measured on WebGPU on 2.1.2 to 2.3.0.

## What to do
```python
y = torch.softmax(x.reshape(1, n), -1).reshape(n)       # exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="rank-one-operand",
    summary="SOFTMAX or FULLY_CONNECTED of a rank-1 tensor",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("SOFTMAX", "FULLY_CONNECTED"):
        data = operand(graph, op, 0)
        if data is None or data.rank != 1 or data.shape[0] < 2:
            continue
        outcome = "gives all ones" if op.name == "SOFTMAX" else "uses a single value of its input"
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"{op.name} of {graph.label(data.index)} {list(data.shape)} {outcome}",
            advice=f"RESHAPE to [1, {data.shape[0]}] in front and back behind: exact",
            evidence=(measured(outcome),),
        )
