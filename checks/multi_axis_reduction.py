"""A mean or sum of many values over several axes at once, on OpenCL.

## What it reports
MEAN and SUM over two or more axes longer than 1 that take 65536 values or more together, on OpenCL. One finding a
subgraph and operator, which counts them.

## Why it matters
Reported on a Mali (Pixel 8a, 2.1.3): the mean over height and width of a map of about 65000 positions is NaN, in fp32
too, so it is no matter of half precision alone (john-rocky/LiteRT-Models, conversion guide). Over one axis after the
other the same mean is right. On WebGPU it is right (measured on 2.1.3 and 2.3.0; sums accumulate in fp32 there), so
it is reported for OpenCL alone. `fp16-overflow-reduction` tells what overflows in half precision.

## What to do
One axis after the other, with the axes kept:

```python
y = x.mean(dim=2, keepdim=True).mean(dim=3, keepdim=True)         # not x.mean(dim=(2, 3)): equal to rounding
y = F.avg_pool2d(F.avg_pool2d(x, 16), 16)                         # or a cascade of average pools
```

## What it cannot see
The extent from which a device fails: one was reported. Means over one axis are not reported, however long.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.patterns import reduced_axes, terms_of
from ._evidence import measured, reported
from ._operands import tally

RULE = Rule(
    id="multi-axis-reduction",
    summary="a mean or sum of many values over several axes at once",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("john-rocky/LiteRT-Models",),
)

TERMS = 1 << 16
"""Values taken together in the report: a map of 256 by 256."""


def check(case: Case) -> Iterator[Finding]:
    if case.backend != "opencl" or case.before("2.1.3"):
        return
    found: dict[tuple[int, str], list[Operator]] = {}
    for graph, op in case.gpu_operators("MEAN", "SUM"):
        if _takes_many(case, graph, op):
            found.setdefault((graph.index, op.name), []).append(op)
    for (index, name), ops in found.items():
        graph, first = case.model.subgraphs[index], ops[0]
        data = graph.tensors[first.inputs[0]]
        yield RULE.finding(
            place(graph, first, (data.index, *first.outputs)),
            f"{name} takes {_terms(case, graph, first)} values of {graph.label(data.index)} {list(data.shape)} "
            f"together over several axes{tally(ops)}",
            advice=f"{name} over one axis after the other: equal to rounding",
            confidence=Confidence.REPORTED,
            evidence=(
                reported("NaN on a Mali, in fp32 too", "opencl", "john-rocky/LiteRT-Models", ("2.1.3",)),
                measured("right on WebGPU", ("2.1.3", "2.3.0")),
            ),
        )


def _terms(case: Case, graph: Subgraph, op: Operator) -> int:
    return terms_of(graph, op, reduced_axes(case.model, graph, op) or ())


def _takes_many(case: Case, graph: Subgraph, op: Operator) -> bool:
    axes = reduced_axes(case.model, graph, op)
    if axes is None or terms_of(graph, op, axes) < TERMS:
        return False
    shape = graph.tensors[op.inputs[0]].shape
    return sum(shape[axis] > 1 for axis in axes) > 1
