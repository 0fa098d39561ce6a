"""Padding a tensor of rank 3 whose first axis is larger than 1.

## What it reports
PAD, PADV2 and MIRROR_PAD of a rank-3 tensor `[n,h,c]` with n > 1, whichever axis is padded.

## Why it matters
The delegate reads the three rows of paddings as height, width, channels while the tensor itself lies on batch,
width, channels, and pads the batch by one on its own account: all data moves one batch later, the first is empty
and the last is lost. Measured on WebGPU on 2.1.2 to 2.3.0, even with all paddings zero; reported on Metal
(LiteRT#9272).

## What to do
Pad at rank 4: exact on every release.

```python
y = F.pad(x.unsqueeze(0), (0, 0, 1, 1)).squeeze(0)      # x of shape [n, h, c]
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured, releases, reported
from ._operands import operand

RULE = Rule(
    id="rank-three-pad",
    summary="PAD of a rank-3 tensor moves its data along the batch",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#9272",),
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("PAD", "PADV2", "MIRROR_PAD"):
        data = operand(graph, op, 0)
        if data is None or data.rank != 3 or data.shape[0] <= 1:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"{op.name} of {graph.label(data.index)} {list(data.shape)} moves its data one step along the first axis",
            advice=f"RESHAPE to {[1, *data.shape]}, pad there, RESHAPE back: exact",
            evidence=(
                measured("the first slice is empty, the last is lost"),
                reported(
                    "rows shifted by one along the outermost axis", "metal", "LiteRT#9272", releases("2.1.5", "2.2.0")
                ),
            ),
        )
