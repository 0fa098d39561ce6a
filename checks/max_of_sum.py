"""The maximum or minimum of a sum starts from one operand instead of the sum.

## What it reports
An ADD or ADD_N of two different runtime tensors of one shape, with no fused activation, whose only consumer is
REDUCE_MAX or REDUCE_MIN, along any axes. It is silent where the first operand cannot be negative (REDUCE_MAX) or
positive (REDUCE_MIN): then the result is right.

## Why it matters
The delegate computes both in one kernel, which starts from the second operand's first element along the reduced axes,
without the first operand: `max(a + b)` becomes `max(b[0], max(a + b))`. Random inputs show it in 3 to 75 % of the
results. Measured on WebGPU on 2.1.2 to 2.3.0, fp32. SUM, MEAN and REDUCE_PROD are right.

## What to do
Both right on every release:

```python
y = ((a + b) * one).amax((2, 3))            # `one` is a runtime input that holds 1
y = F.max_pool2d(a + b, (h, w))             # over the whole map; for a minimum, -F.max_pool2d(-(a + b), (h, w))
```

Not enough: one axis after the other, ADD_N instead of ADD.

## What it cannot see
The values, unless bounded functions, constants or `--input-range` tell them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.ranges import ranges_of
from ._delegated import delegate_graphs
from ._evidence import measured

RULE = Rule(
    id="max-of-sum",
    summary="the maximum or minimum of a sum starts from one operand",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
)

EXTREMES = {"REDUCE_MAX": "maximum", "REDUCE_MIN": "minimum"}


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for total in found.sums:
            title = EXTREMES.get(total.reduction.name)
            if title is None:
                continue
            first, second = total.operands
            known = ranges_of(case).worst(graph, first) if first >= 0 else None
            if known is not None and (known.lo >= 0 if title == "maximum" else known.hi <= 0):
                continue
            yield case.hazard(
                RULE,
                place(graph, total.reduction, (*total.reduction.outputs, *total.operands)),
                f"the {title} of a sum starts from the first element of {graph.label(second)} alone: "
                f"wrong where that is {'greater' if title == 'maximum' else 'less'} than every sum",
                advice="put MUL by a runtime 1 between ADD and the reduction, or take MAX_POOL_2D over the whole map",
                severity=Severity.WARNING,
                evidence=(measured(f"{title} of one operand's first element and the sums"),),
            )
