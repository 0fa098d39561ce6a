"""A FULLY_CONNECTED that flattens its input by itself.

## What it reports
A FULLY_CONNECTED whose input's last axis differs from the weights' input size: `[1,2,2,4]` with `[o,16]` weights.

## Why it matters
The CPU flattens; the delegate uses only the last axis and reads the rest as 0. Measured on WebGPU on 2.1.2 to
2.3.0, in float, FLOAT16 and int8. TensorFlow 1.x classifiers have this form. It is right where the leading axes are
all 1.

## What to do
```python
y = fc(x.reshape(batch, -1))        # RESHAPE to [batch, K] in front: exact
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
    id="implicit-flatten",
    summary="FULLY_CONNECTED flattens its input by itself",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("FULLY_CONNECTED"):
        data, weights = operand(graph, op, 0), operand(graph, op, 1)
        if data is None or weights is None or weights.rank < 2 or data.rank < 2:
            continue
        size = weights.shape[-1]
        if data.shape[-1] == size:
            continue
        if not size or data.elements % size:
            continue  # no shape that the CPU would prepare: it is another one at run time
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, weights.index)),
            f"only the last axis of {graph.label(data.index)} {list(data.shape)} is used where the weights "
            f"{list(weights.shape)} expect {size} values",
            advice=f"RESHAPE the input to [{data.elements // size}, {size}] in front: exact",
            evidence=(measured("values beyond the last axis are read as 0"),),
        )
