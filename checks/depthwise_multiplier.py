"""A 1x1 DEPTHWISE_CONV_2D that makes several channels of each.

## What it reports
A DEPTHWISE_CONV_2D of kernel 1x1 with constant weights, several input channels and a depth multiplier above 1.

## Why it matters
The delegate reads the weights in another order: for output channel `i * multiplier + m` it takes the weight of
`m * channels + i`, so that all but the first and the last channel are scaled by the weights of others. The bias is
right. Measured on WebGPU on 2.1.2 to 2.3.0, for float, FLOAT16 and int8 weights, any stride, padding and batch.
Larger kernels (1x2 is enough), a multiplier of 1, and a single input channel are right.

## What to do
```python
conv.weight = nn.Parameter(F.pad(conv.weight, (1, 1, 1, 1)))      # 3x3 with zeros around the weight: exact
conv.kernel_size, conv.padding = (3, 3), (1, 1)
```

## What it cannot see
Whether weights above 64 KiB are the same in both orders.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import same_transposed
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import constant_behind, operand, result

RULE = Rule(
    id="depthwise-multiplier",
    summary="a 1x1 DEPTHWISE_CONV_2D with a depth multiplier takes weights of other channels",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("DEPTHWISE_CONV_2D"):
        data, out, weights = operand(graph, op, 0), result(graph, op), constant_behind(graph, operand(graph, op, 1))
        if data is None or out is None or weights is None or not data.rank == out.rank == weights.rank == 4:
            continue
        channels = data.shape[3]
        if weights.shape[:3] != (1, 1, 1) or channels < 2 or weights.shape[3] <= channels:
            continue
        if same_transposed(case.model, weights, channels):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, weights.index)),
            f"the {weights.shape[3] // channels} weights of each of the {channels} channels are read in another order",
            advice="pad the weights to 3x3 with zeros, and the data by 1 on each side: exact",
            evidence=(measured("output channel i·multiplier + m uses the weight of m·channels + i"),),
        )
