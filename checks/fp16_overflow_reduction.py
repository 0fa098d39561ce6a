"""A sum whose total does not fit in half precision.

## What it reports
A SUM whose total is beyond 65504 for the values it can get: a warning or an error where they are known, or where an
ordinary mean of up to 16 is enough; else an information that says from which mean on. On OpenCL and Metal also a
MEAN over 4096 values or more.

## Why it matters
The result of a SUM is stored as a half. Beyond 65504 it is 65504, and infinite once an elementwise operator follows,
also where `* 1/n` comes next and the mean would be small. WebGPU accumulates SUM and MEAN in fp32, so that there a
MEAN is right at any length (measured to 70,000 values on 2.1.3 to 2.3.0). On OpenCL and Metal the running total itself
is reported to overflow, in MEAN too (EfficientNet's squeeze-and-excite, all logits NaN, 2.1.5 and 2.2.0).

## What to do
```python
y = (x * (1.0 / n)).sum(dim)                 # scale first: right on WebGPU to n * x = 1e6
y = x.mean(dim)                              # right on WebGPU
y = F.avg_pool2d(F.avg_pool2d(x, 8), 8)      # a cascade: no long running total on any backend
```

## What it cannot see
The values: state those of inputs with `--input-range NAME=LO:HI`. Totals of norms are `fp16-overflow-norm`'s, and
those of a softmax written out `fp16-range`'s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.half import LARGEST, OVERFLOW
from ..linter.model import Operator, Subgraph
from ..linter.patterns import reduced_axes, scaled, terms_of
from ..linter.ranges import Ranges, ranges_of
from ._precision import CLEARS, ORDINARY, makes_floats, mobile, number, span, stored

RULE = Rule(
    id="fp16-overflow-reduction",
    summary="a sum whose total does not fit in half precision",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("LiteRT#9249",),
)

SHORT = 64
"""Sums of fewer terms are silent where nothing is known: a mean of 1000 is not ordinary."""
REACHED = 0.99 * LARGEST
"""A mean as large as that could not be stored itself."""
SATURATED = 1.01 * LARGEST
"""A total that is an output and read by nothing is 65504 from 65504 on, which is off by 1 % here."""
LONG = 4096
"""Values from which on a running total in half precision was reported to overflow."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    means = {(norm.graph, norm.source) for norm in ranges.patterns.norms if norm.centred}
    for graph, op in case.operators("SUM", "MEAN"):
        if not makes_floats(graph, op) or op.inputs[0] < 0:
            continue
        axes = reduced_axes(case.model, graph, op)
        if not axes or not case.on_gpu(graph, op) or (graph.index, op.index) in ranges.patterns.in_norm:
            continue
        producer = graph.producer(op.inputs[0])
        if producer is not None and (graph.index, producer.index) in ranges.patterns.in_exp:
            continue
        if op.name == "SUM" and not ((graph.index, op.inputs[0]) in means and _is_mean(ranges, graph, op)):
            yield from _sum(case, ranges, graph, op, axes)
        elif op.name == "MEAN" and terms_of(graph, op, axes) >= LONG:
            yield from _running(case, ranges, graph, op, axes)


def _is_mean(ranges: Ranges, graph: Subgraph, op: Operator) -> bool:
    """Whether the total only becomes the mean that a norm subtracts."""
    return any(
        ranges.patterns.means.get((graph.index, reader.outputs[0])) == op.inputs[0]
        for reader in graph.readers(op.outputs[0])
        if reader.outputs
    )


def _limit(ranges: Ranges, graph: Subgraph, op: Operator, count: int) -> tuple[float, str]:
    """The magnitude from which on the total overflows, and of what."""
    source, factor = scaled(ranges.patterns, graph, op.inputs[0])
    producer = graph.producer(source)
    limit = LARGEST / count / abs(factor)
    if producer is not None and (
        producer.name == "SQUARE" or (producer.name == "MUL" and producer.inputs[0] == producer.inputs[-1])
    ):
        return math.sqrt(
            limit
        ), f"a root mean square of {number(math.sqrt(limit))} of {graph.label(producer.inputs[0])}"
    return limit, f"a mean of {number(limit)} of {graph.label(source)}"


def _sum(case: Case, ranges: Ranges, graph: Subgraph, op: Operator, axes: tuple[int, ...]) -> Iterator[Finding]:
    count = terms_of(graph, op, axes)
    values, total = ranges.likely(graph, op.inputs[0]), ranges.likely(graph, op.outputs[0])
    fits = OVERFLOW if graph.readers(op.outputs[0]) else SATURATED
    if ranges.worst(graph, op.outputs[0]).peak < fits or count < 2:
        return
    limit, said = _limit(ranges, graph, op, count)
    if values.known:
        if values.peak >= OVERFLOW:
            return  # overflows before it is added
        over = total.peak >= fits
        severity = Severity.INFO
        if over:
            certain = ranges.worst(graph, op.outputs[0]).certain >= fits
            severity = Severity.ERROR if certain else Severity.WARNING
        ending = f"; it gets {span(values)}" + ("" if over else ", which only reaches that if all have one sign")
    else:
        severity, ending = Severity.WARNING if limit <= ORDINARY else Severity.INFO, ""
        if count < SHORT or limit > REACHED:
            return
    yield stored(
        case,
        RULE,
        place(graph, op, (op.inputs[0], op.outputs[0])),
        f"the SUM of {count} values overflows above {said}{ending}",
        advice="multiply by 1/n before the SUM, or use MEAN",
        outcome="65504, or infinity when an elementwise operator follows",
        severity=severity,
    )


def _running(case: Case, ranges: Ranges, graph: Subgraph, op: Operator, axes: tuple[int, ...]) -> Iterator[Finding]:
    """MEAN, whose running total is reported to overflow on phones and Macs."""
    if case.backend == "webgpu":
        return
    count = terms_of(graph, op, axes)
    values = ranges.likely(graph, op.inputs[0])
    limit, said = _limit(ranges, graph, op, count)
    if values.known and max(abs(values.middle), values.deviation) * count < OVERFLOW:
        return
    if limit > REACHED:
        return
    yield RULE.finding(
        place(graph, op, (op.inputs[0], op.outputs[0])),
        f"the running total of this MEAN of {count} values overflows above {said}, as reported for this backend",
        advice="average in two steps of a few hundred values each (AVERAGE_POOL_2D, or one axis at a time)" + CLEARS,
        severity=Severity.WARNING if limit <= ORDINARY else Severity.INFO,
        confidence=Confidence.REPORTED,
        evidence=(mobile("NaN logits where a squeeze-and-excite sum passes 65504", "LiteRT#9249", case.backend),),
    )
