"""Padding the batch axis of a tensor with batch 1.

## What it reports
PAD or PADV2 of a tensor of rank 3 or 4 whose first axis is 1 and is padded, whatever else is padded.

## Why it matters
The data is repeated where the padding should be, or nothing is written. Measured on WebGPU on 2.1.2 to 2.3.0. At
rank 4 a batch of 2 and more is right; at rank 3 it is `rank-three-pad`.

## What to do
```python
y = torch.cat([torch.zeros(1, h, w, c), x], dim=0)      # CONCATENATION with a constant: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand, result

RULE = Rule(
    id="batch-pad",
    summary="PAD of a batch of 1 repeats the data",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("PAD", "PADV2"):
        data, out = operand(graph, op, 0), result(graph, op)
        if data is None or out is None or data.rank not in (3, 4) or out.rank != data.rank:
            continue
        if data.shape[0] != 1 or out.shape[0] <= 1:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, out.index)),
            f"{op.name} of {graph.label(data.index)} from batch 1 to {out.shape[0]} repeats the data",
            advice="CONCATENATION with a constant along axis 0: exact",
            evidence=(measured("the data stands where the padding should be"),),
        )
