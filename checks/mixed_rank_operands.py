"""Two runtime operands of different rank.

## What it reports
ADD or MUL of two runtime tensors of different rank on the releases and in the orders that are wrong; and any
element-wise operator on two 8-bit quantized runtime tensors of different rank.

## Why it matters
The delegate lays each operand out by itself (first axis = batch), so `[20,128,128] + [1,1,128,128]` puts the heads
on the batch axis of one and the height of the other. Measured on WebGPU: ADD and MUL are wrong up to 2.1.5 when the
operand of lower rank comes first, or when a rank-3 operand is larger than the rank-4 one along some axis; from
2.1.6 on they are right. With int8 operands the shader does not compile on 2.1.4 to 2.3.0: the result and everything
behind it is unwritten. Reported on OpenCL for a Whisper decoder (LiteRT#8980), up to 2.1.6.

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


LOWER_FIRST = measured("wrong when the operand of lower rank comes first", releases("2.1.2", "2.1.5"))
LARGER = measured("wrong when the rank-3 operand is larger along an axis", releases("2.1.2", "2.1.5"))
QUANTIZED = measured("the shader does not compile; the result is unwritten", releases("2.1.4"))
REPORTED = reported("a Whisper decoder drifts", "opencl", "LiteRT#8980", releases("2.1.2", "2.1.6"))


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        if op.name not in BINARY or len(op.inputs) != 2:
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
            if case.since("2.1.4"):
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
    elif case.backend != "opencl" and (misread(first, second)) and case.before("2.1.6"):
        yield case.hazard(
            RULE,
            where,
            f"{op.name} of {shapes} mixes up batch and height",
            advice=advice,
            evidence=(LOWER_FIRST if first.rank < second.rank and first.rank > 1 else LARGER,),
        )


def misread(first: Tensor, second: Tensor) -> bool:
    """Whether the two layouts broadcast to another result than the shapes do, as ADD and MUL up to 2.1.5 combine
    them."""
    lower, higher = (first, second) if first.rank < second.rank else (second, first)
    pairs = list(zip(reversed(lower.shape), reversed(higher.shape), strict=False))
    larger = any(low > high for low, high in pairs)
    if larger:
        return True
    if lower is not first or lower.rank == 1:
        return False
    # Equal but for leading ones of the higher operand's own: nothing is broadcast, only regrouped.
    return (
        lower.shape[0] > 1
        or higher.shape[: higher.rank - lower.rank] != (1,) * (higher.rank - lower.rank)
        or lower.rank < 4
    )
