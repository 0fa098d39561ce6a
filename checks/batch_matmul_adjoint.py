"""A BATCH_MATMUL with a transposition flag and a constant right matrix of rank 2; on OpenCL up to 2.1.6, with a flag.

## What it reports
A BATCH_MATMUL with adj_x or adj_y whose right operand is a rank-2 constant; on OpenCL up to 2.1.6, one with adj_x or
adj_y whatever its operands.

## Why it matters
The delegate lays the constant out as if no flag were set, so values come out transposed or mixed, square or not.
Measured on WebGPU on every release that accepts it (2.1.2 to 2.3.0). Runtime operands and constants of rank 3 and 4
honour all four flag pairs there, and a flag on what is its own transpose (a symmetric constant, a single value) does no
harm. On OpenCL the flags were reported to be ignored in general up to 2.1.6, without a
word (LiteRT#8913); from 2.2.0 on the source reads both.

## What to do
```python
self.register_buffer("w_t", w.t().contiguous())         # transpose the constant offline, flags off: exact
y = x @ self.w_t
y = q @ k.transpose(-1, -2).contiguous()                # an explicit TRANSPOSE of a runtime operand: exact
```

## What it cannot see
Whether a constant above 64 KiB is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import same_transposed
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Model, Tensor
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


REPORTED = reported("adj_x and adj_y ignored", "opencl", "LiteRT#8913", releases("2.1.2", "2.1.6"))


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("BATCH_MATMUL"):
        options = op.options_of(BatchMatMulOptions)
        if options is None or not (options.adj_x or options.adj_y):
            continue
        where = place(graph, op, (*op.inputs, *op.outputs))
        left, right = operand(graph, op, 0), constant_behind(graph, operand(graph, op, 1))
        if right is not None and right.rank == 2:
            flags = _named(
                options.adj_x and not (left is not None and left.shape[-2:] == (1, 1)),
                options.adj_y and not _symmetric(case.model, right),
            )
            if not flags:
                continue
            yield case.hazard(
                RULE,
                where,
                f"{flags} is misapplied with the constant {graph.label(right.index)} {list(right.shape)}",
                advice="transpose the constant offline (and the left operand by TRANSPOSE), flags off: exact",
                evidence=(measured("values transposed"), REPORTED),
            )
        elif case.before("2.2.0") and case.backend == "opencl":
            yield RULE.finding(
                where,
                f"{_named(options.adj_x, options.adj_y)} was reported to be ignored on OpenCL",
                advice="TRANSPOSE the operand in front, flags off: exact",
                severity=Severity.WARNING,
                confidence=Confidence.REPORTED,
                evidence=(REPORTED, measured("right on WebGPU with runtime operands")),
            )


def _symmetric(model: Model, matrix: Tensor) -> bool:
    rows, columns = matrix.shape
    return rows == columns and same_transposed(model, matrix, rows)


def _named(adj_x: bool, adj_y: bool) -> str:
    return " and ".join(name for name, on in (("adj_x", adj_x), ("adj_y", adj_y)) if on)
