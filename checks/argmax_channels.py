"""An ARG_MAX over a number of channels that is not a multiple of 4.

## What it reports
ARG_MAX along the last axis when its size is not a multiple of 4.

## Why it matters
The padding zeros take part in the comparison: where every value is negative, the answer is the index behind the
last channel. It depends on the values, so it is a warning; the decision is right wherever some value is positive.
Measured on WebGPU on 2.1.2 to 2.3.0. Other axes and multiples of 4 are right.

## What to do
```python
scores = torch.cat([scores, torch.full((b, pad), -1e9)], dim=-1)        # up to a multiple of 4: exact
```

## What it cannot see
The sign of the values. A producer that is never negative (RELU, SOFTMAX, LOGISTIC) is recognised and not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import integers
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="argmax-channels",
    summary="ARG_MAX over channels off a multiple of 4 lets padding zeros win",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
)


NEVER_NEGATIVE = frozenset({"RELU", "RELU6", "RELU_0_TO_1", "SOFTMAX", "LOGISTIC", "EXP", "ABS", "SQUARE", "SQRT"})


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        data, axis = operand(graph, op, 0), operand(graph, op, 1)
        if op.name != "ARG_MAX" or data is None or axis is None or data.rank < 2:
            continue
        along = integers(case.model, axis)
        if not along or along[0] % data.rank != data.rank - 1 or data.shape[-1] % 4 == 0:
            continue
        producer = graph.producer(data.index)
        if producer is not None and producer.name in NEVER_NEGATIVE:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"ARG_MAX over {data.shape[-1]} channels answers an index past the end where every value is negative",
            advice="CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact",
            severity=Severity.WARNING,
            evidence=(measured("the padding zeros take part"),),
        )
