"""Two runtime operands of different rank.

## What it reports
ADD or MUL of two runtime tensors of different rank, in the shapes and orders that are wrong on the release; and any
element-wise operator on two 8-bit quantized runtime tensors of different rank.

## Why it matters
The delegate lays each operand out by itself: ranks 1, 2, 3 and 4 as `[b]`, `[b,c]`, `[b,w,c]` and `[b,h,w,c]`. So
`[20,128,128] + [1,1,128,128]` puts the heads on the batch of one and on the height of the other. Measured on WebGPU:
up to 2.1.5, ADD and MUL are wrong

- where height, width and channels of the two layouts are equal, and the batch or the result's layout is another;
- where the layouts differ, and the first operand is the one that is broadcast along height or width.

They are right where exactly one layout has a single channel, where the shapes differ by leading ones alone, and from
2.1.6 on. With int8 operands the shader does not compile, on 2.1.2 to 2.3.0: the result and everything behind it is
unwritten. Reported on OpenCL for a Whisper decoder (LiteRT#8980), up to 2.1.6.

## What to do
Reshape the operand of lower rank to the rank of the other: exact on every release.

```python
y = scores + mask.reshape(1, 1, n, n)          # both of rank 4
```

## What it cannot see
Nothing else decides: shapes and the order of operands are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.layout import layout
from ..linter.findings import Confidence, Finding, Kind, Place, Rule, Severity, place
from ..linter.model import Operator, Tensor
from ._evidence import measured, releases, reported
from ._operands import BINARY, operand, runtime

RULE = Rule(
    id="mixed-rank-operands",
    summary="two runtime operands of different rank",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#8980",),
)


MEASURED = measured("batch, height and width mixed up", releases("2.1.2", "2.1.5"))
QUANTIZED = measured("the shader does not compile; the result is unwritten")
REPORTED = reported("a Whisper decoder drifts", "opencl", "LiteRT#8980", releases("2.1.2", "2.1.6"))


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators(*BINARY):
        if len(op.inputs) != 2:
            continue
        first, second = operand(graph, op, 0), operand(graph, op, 1)
        if first is None or second is None or not (runtime(graph, first) and runtime(graph, second)):
            continue
        if first.rank == second.rank or 0 in (first.rank, second.rank) or max(first.rank, second.rank) > 4:
            continue
        where = place(graph, op, (first.index, second.index))
        shapes = f"{list(first.shape)} and {list(second.shape)}"
        lower = first if first.rank < second.rank else second
        advice = f"RESHAPE {graph.label(lower.index)} to rank {max(first.rank, second.rank)}: exact"
        if first.type in ("INT8", "UINT8") and first.quantized:
            yield case.hazard(
                RULE, where, f"{op.name} of quantized {shapes} does not compile: its result stays unwritten",
                advice=advice, evidence=(QUANTIZED,),
            )  # fmt: skip
        elif op.name in ("ADD", "MUL"):
            yield from _float(case, op, where, shapes, first, second, advice)


def _float(
    case: Case, op: Operator, where: Place, shapes: str, first: Tensor, second: Tensor, advice: str
) -> Iterator[Finding]:
    if case.backend == "opencl" and case.within("2.1.2", "2.1.6"):
        yield RULE.finding(
            where,
            f"{op.name} of {shapes} may mix up batch and height",
            advice=advice,
            severity=Severity.WARNING,
            confidence=Confidence.REPORTED,
            evidence=(REPORTED,),
        )
    elif case.backend != "opencl" and misread(first, second) and case.before("2.1.6"):
        yield case.hazard(
            RULE,
            where,
            f"{op.name} of {shapes} mixes up batch and height",
            advice=advice,
            evidence=(MEASURED,),
        )


def misread(first: Tensor, second: Tensor) -> bool:
    """Whether ADD and MUL up to 2.1.5 combine other elements than the shapes say. Found by measuring every pair of
    fifteen shapes."""
    lower, higher = (first.shape, second.shape) if first.rank < second.rank else (second.shape, first.shape)
    left, right, out = layout(first.shape), layout(second.shape), layout(broadcast(lower, higher))
    if left is None or right is None or higher == (1,) * (len(higher) - len(lower)) + lower:
        return False  # nothing is broadcast, only regrouped
    if (left.channels == 1) != (right.channels == 1):
        return False
    if (left.height, left.width) == (right.height, right.width):
        return left != right or out != left
    return left.height in (1, right.height) and left.width in (1, right.width)


def broadcast(lower: tuple[int, ...], higher: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the result."""
    padded = (1,) * (len(higher) - len(lower)) + lower
    return tuple(max(pair) for pair in zip(padded, higher, strict=True))
