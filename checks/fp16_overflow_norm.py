"""A normalization whose squares overflow in half precision.

## What it reports
RMSNorm, L2 norm, LayerNorm, InstanceNorm and GroupNorm written out with operators (square, SUM or MEAN, root,
division), in any form but one: where the values are known to be too large it is a warning or an error, where they are
not known it is an information that says from which magnitude on it breaks. With SUM in place of MEAN that magnitude
may be an ordinary one, which is a warning.

## Why it matters
Every square is stored as a half: it is infinite from |x| = 256 on (from |x - mean| = 256 on, where the mean is
subtracted first), and the row comes out as 0. A SUM over n squares overflows from a root mean square of
sqrt(65504 / n) on: 11 for 512 channels, 4 for 4096. A mean written `SUM * 1/n` gives NaN as well. Measured on WebGPU on
2.1.2 to 2.3.0, ranks 2 to 4, with RSQRT, SQRT and DIV, or POW. A residual stream that grows with depth passes 256
unnoticed: 24 blocks of RMSNorm with a residual of 400 were off by 93 %. On OpenCL and Metal the sum of squares is
reported to overflow at comparable magnitudes (zeros from RMSNorm at 274, LayerNorm at 440).

**The form that is right at any magnitude** is fused into one kernel that computes in fp32: MEAN, SUB, MUL(d, d) or
SQUARE(d), MEAN, ADD epsilon, RSQRT, MUL(d, ·), both means over the last axis, and nothing in between read by another
operator; from 2.3.0 on a RESHAPE right behind a MEAN may bring the axis back. Lost by: SQUARED_DIFFERENCE; SQRT and
DIV; 1/SQRT; POW; an epsilon through MAXIMUM; SUM; another axis; a second SUB; the variance or x - mean used elsewhere;
the form `x * inv + (beta - mean * inv)` of Keras. RMSNorm is never fused.

## What to do
```python
d = x - x.mean(-1, keepdim=True)                          # LayerNorm: this exact form is fused
y = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + eps)
y = layer_norm(torch.cat([x, -x], -1))[..., :c]           # RMSNorm as the first half of it: exact
s = x.abs().amax(-1, keepdim=True).clamp_min(1e-3)        # or scale by the greatest value first
y = rms_norm(x / s)
```

InstanceNorm: transpose and reshape so that height times width is the last axis, LayerNorm, and back. Dividing by a
constant S works between about S/640 and 16 * S, with an epsilon of 1e-6 (eps / S² would be 0).

## What it cannot see
Values of the input: state them with `--input-range NAME=LO:HI`. Where weights are too large to be read, nothing is
known behind them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import LARGEST, OVERFLOW
from ..linter.model import Subgraph
from ..linter.patterns import Norm, scaled
from ..linter.ranges import Ranges, ranges_of
from ._precision import ORDINARY, fused, makes_floats, mobile, number, span, stored

RULE = Rule(
    id="fp16-overflow-norm",
    summary="a normalization whose squares overflow in half precision",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for norm in ranges.patterns.norms:
        graph = case.model.subgraphs[norm.graph]
        if fused(case, norm) or not makes_floats(graph, norm.square) or not case.on_gpu(graph, norm.square):
            continue
        yield from _judged(case, ranges, graph, norm)


def _judged(case: Case, ranges: Ranges, graph: Subgraph, norm: Norm) -> Iterator[Finding]:
    square, total = norm.square.outputs[0], norm.reduction.outputs[0]
    stages = [square] if norm.mean else [square, total]
    averages = _totals(ranges, graph, norm)
    if any(ranges.likely(graph, index).known and ranges.likely(graph, index).peak >= OVERFLOW for index in averages):
        stages = averages
    likely = [ranges.likely(graph, index) for index in stages]
    if all(ranges.worst(graph, index).peak < OVERFLOW for index in stages):
        return
    what = "|x - mean|" if norm.centred else "|x|"
    limit = math.sqrt(LARGEST) if norm.mean else math.sqrt(LARGEST / max(norm.terms, 1))
    factor = scaled(ranges.patterns, graph, norm.source)[1]
    limit /= abs(factor)
    values = ranges.likely(graph, norm.source)
    known = values.known
    over = [found for found in likely if known and found.peak >= OVERFLOW]
    if known and not over and all(found.known for found in likely):
        severity, ending = Severity.INFO, f"; values of {span(values)} reach it only if they all conspire"
    elif over:
        certain = max(ranges.worst(graph, index).certain for index in stages) >= OVERFLOW
        severity, ending = (
            Severity.ERROR if certain else Severity.WARNING,
            f"; {graph.label(norm.source)} is {span(values)}",
        )
    elif limit >= 0.99 * LARGEST:
        return
    else:
        severity = Severity.WARNING if limit <= ORDINARY else Severity.INFO
        ending = ""
    kind = "squares" if norm.mean else f"sum of {norm.terms} squares"
    if stages is averages and averages:
        yield stored(
            case,
            RULE,
            place(graph, norm.square, (norm.source, *averages)),
            f"the sum of {norm.terms} values from which this {norm.title} takes the mean overflows, and the row "
            f"becomes NaN{ending}",
            advice="use MEAN in place of SUM and a factor; " + _advice(norm),
            outcome="NaN",
            severity=severity,
        )
        return
    yield stored(
        case,
        RULE,
        place(graph, norm.square, (norm.source, square, total)),
        f"the {kind} of this {norm.title} overflow{'' if norm.mean else 's'} above {what} = {number(limit)}"
        f"{'' if norm.mean else ' (root mean square)'}, and the row becomes 0{ending}",
        advice=_advice(norm),
        outcome="rows of zeros",
        severity=severity,
        also=(mobile("zeros where the sum of squares overflows, |x| of 175 to 7000", "field report"),),
    )


def _totals(ranges: Ranges, graph: Subgraph, norm: Norm) -> list[int]:
    """The SUMs that only become the mean which the norm subtracts."""
    if not norm.centred:
        return []
    return [
        op.outputs[0]
        for op in graph.readers(norm.source)
        if op.name == "SUM"
        and any(
            ranges.patterns.means.get((graph.index, reader.outputs[0])) == norm.source
            for reader in graph.readers(op.outputs[0])
            if reader.outputs
        )
    ]


def _advice(norm: Norm) -> str:
    if norm.centred and norm.axes == (-1,):
        return (
            "write it MEAN, SUB, MUL(d, d), MEAN, ADD, RSQRT, MUL(d, ·) over the last axis, read by nothing else: the "
            "delegate fuses that form and computes in fp32 inside"
        )
    if norm.centred:
        return (
            "move the normalized axes to the end (TRANSPOSE, RESHAPE) and use the fused LayerNorm form over the last "
            "axis: right at any magnitude"
        )
    return (
        "divide by MAXIMUM(REDUCE_MAX(ABS(x)), 1e-3) first, or take the first half of a LayerNorm of "
        "CONCATENATION(x, -x): both exact"
    )
