"""A DEPTH_TO_SPACE or SPACE_TO_DEPTH with a batch above 1.

## What it reports
DEPTH_TO_SPACE and SPACE_TO_DEPTH of a tensor whose first axis is larger than 1.

## Why it matters
On WebGPU the shader does not compile and the result is zero, while creation and run succeed (measured on 2.1.2 to
2.3.0). On OpenCL the kernel source is broken and creation fails (LiteRT#8459, 2.1.3 to 2.1.6).

## What to do
```python
y = F.pixel_shuffle(x.reshape(1, b * h, w, c), r).reshape(b, ...)       # the batch in the height: exact (NHWC)
```

RESHAPE the batch into the height, the operator, RESHAPE back.

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
    id="batched-depth-space",
    summary="DEPTH_TO_SPACE or SPACE_TO_DEPTH with a batch above 1",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#8459",),
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("DEPTH_TO_SPACE", "SPACE_TO_DEPTH"):
        data = operand(graph, op, 0)
        if data is None or data.rank != 4 or data.shape[0] < 2:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"{op.name} with a batch of {data.shape[0]} comes back as zeros",
            advice="RESHAPE the batch into the height, the operator, RESHAPE back: exact",
            evidence=(
                measured("zeros: the shader does not compile"),
                reported("creation fails: broken kernel source", "opencl", "LiteRT#8459", releases("2.1.3", "2.1.6")),
            ),
        )
