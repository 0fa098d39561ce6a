"""A BATCH_MATMUL with a transposition flag and a constant right matrix of rank 2.

## What it reports
A BATCH_MATMUL with adj_x or adj_y whose right operand is a rank-2 constant.

## Why it matters
The delegate lays the constant out as if no flag were set, so values come out transposed or mixed, square or not.
Measured on WebGPU on every release that accepts it (2.1.2 to 2.3.0). Runtime operands and constants of rank 3 and 4
honour all four flag pairs. Reported on OpenCL for adj flags in general up to 2.1.6 (LiteRT#8913).

## What to do
```python
self.register_buffer("w_t", w.t().contiguous())         # transpose the constant offline, flags off: exact
y = x @ self.w_t
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import BatchMatMulOptions
from ._evidence import measured, releases, reported
from ._operands import constant_behind, operand

RULE = Rule(
    id="batch-matmul-adjoint",
    summary="the transposition flags of a BATCH_MATMUL are misapplied",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#8913",),
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        options = op.options_of(BatchMatMulOptions)
        if op.name != "BATCH_MATMUL" or options is None or not (options.adj_x or options.adj_y):
            continue
        right = constant_behind(graph, operand(graph, op, 1))
        if right is None or right.rank != 2:
            continue
        flags = " and ".join(name for name, on in (("adj_x", options.adj_x), ("adj_y", options.adj_y)) if on)
        yield case.hazard(
            RULE,
            place(graph, op, (*op.inputs, *op.outputs)),
            f"{flags} is misapplied with the constant {graph.label(right.index)} {list(right.shape)}",
            advice="transpose the constant offline (and the left operand by TRANSPOSE), flags off: exact",
            evidence=(
                measured("values transposed"),
                reported("adj_x and adj_y ignored", "opencl", "LiteRT#8913", releases("2.1.2", "2.1.6")),
            ),
        )
