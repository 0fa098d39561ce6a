"""A mask with one head added to attention scores, on OpenCL.

## What it reports
ADD of a rank-4 BATCH_MATMUL result `[B,H,M,N]` and an operand whose head axis is 1 while H is larger, on OpenCL
with 2.1.3 to 2.1.5.

## Why it matters
Reported on a Mali with 2.1.3 and 2.1.5, bit-identically wrong, with full residency: masked attention is right for
the first token and wrong from the second on (LiteRT#8593); fixed in 2.1.6. On WebGPU the form is right on every
release (measured, 1e-6), so it is reported for OpenCL alone.

## What to do
```python
mask = mask.expand(b, h, n, n).contiguous()         # stored at the scores' own shape: exact, larger by the heads
```

Making the scores a second output works too, and changes the signature.

## What it cannot see
Other devices: the report is from one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ._evidence import measured, reported
from ._operands import operand

RULE = Rule(
    id="batch-matmul-broadcast-add",
    summary="a one-head mask is added to attention scores",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("LiteRT#8593",),
)


def check(case: Case) -> Iterator[Finding]:
    if case.backend != "opencl" or not case.within("2.1.3", "2.1.5"):
        return
    for graph, op in case.gpu_operators("ADD"):
        if len(op.inputs) != 2:
            continue
        for scores, mask in ((0, 1), (1, 0)):
            left, right = operand(graph, op, scores), operand(graph, op, mask)
            if left is None or right is None or not left.rank == right.rank == 4:
                continue
            producer = graph.producer(left.index)
            if producer is None or producer.name != "BATCH_MATMUL" or left.shape[1] < 2 or right.shape[1] != 1:
                continue
            yield RULE.finding(
                place(graph, op, (left.index, right.index)),
                f"the mask {graph.label(right.index)} {list(right.shape)} is misread "
                f"against the scores {list(left.shape)}",
                advice=f"expand the mask to {[right.shape[0], left.shape[1], *right.shape[2:]]}: exact",
                confidence=Confidence.REPORTED,
                evidence=(
                    reported("wrong from the second token on", "opencl", "LiteRT#8593", ("2.1.3", "2.1.5"), "fp16"),
                    measured("right to 1e-6 on WebGPU"),
                ),
            )
            break
