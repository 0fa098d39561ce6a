"""A softmax over an axis of length 1.

## What it reports
SOFTMAX of a tensor whose last axis has one element.

## Why it matters
It gives ones whatever comes in, so everything that computes its input is wasted. It is usually an attention over a
bank of one entry, or the wrong axis.

## What to do
Drop it, or take the axis that was meant:

```python
y = torch.softmax(scores, dim=1)        # not over an axis of size 1
```

## What it cannot see
Intent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ._operands import operand

RULE = Rule(
    id="one-element-softmax",
    summary="a softmax over an axis of length 1",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.operators():
        data = operand(graph, op, 0)
        if op.name != "SOFTMAX" or data is None or data.rank < 2 or data.shape[-1] != 1:
            continue
        yield RULE.finding(
            place(graph, op, (data.index, *op.outputs)),
            f"the softmax of {graph.label(data.index)} {list(data.shape)} is 1 everywhere",
            advice="drop it with all that computes its input, or take the axis that was meant",
            confidence=Confidence.SOURCE,
        )
