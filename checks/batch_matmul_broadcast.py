"""A BATCH_MATMUL that broadcasts its batch.

## What it reports
A BATCH_MATMUL whose operands differ in their leading axes: 1 on one side and more on the other, or different ranks
with a leading product above 1.

## Why it matters
Only the first batch is computed and the rest is 0. Measured on WebGPU on 2.1.2 to 2.3.0, for runtime and constant
operands, on either side. One matrix on the right for all batches is right in two forms: a rank-2 constant without
transposition, and any other with `adj_y` when its rows and columns are multiples of 4.

## What to do
```python
y = x @ w.expand(b, -1, -1)                       # a constant: store it expanded; a runtime operand: TILE.     exact
y = (x.reshape(1, 1, b * m, k) @ w).reshape(b, m, n)     # one matrix for all batches: fold them into the rows. exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import BatchMatMulOptions
from ._evidence import measured
from ._operands import constant_behind, operand

RULE = Rule(
    id="batch-matmul-broadcast",
    summary="BATCH_MATMUL broadcasts its batch",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("BATCH_MATMUL"):
        options = op.options_of(BatchMatMulOptions)
        left, right = operand(graph, op, 0), operand(graph, op, 1)
        if left is None or right is None or min(left.rank, right.rank) < 2:
            continue
        width = max(left.rank, right.rank) - 2
        batches = [(1,) * (width + 2 - tensor.rank) + tensor.shape[:-2] for tensor in (left, right)]
        if batches[0] == batches[1] or prod(batches[0]) == prod(batches[1]) == 1:
            continue
        if right.rank == 2 and constant_behind(graph, right) is not None:
            continue  # read as weights; with a transposition it is `batch-matmul-adjoint`
        whole = right.shape[-2] % 4 == right.shape[-1] % 4 == 0
        if options is not None and options.adj_y and prod(batches[1]) == 1 and whole:
            continue  # one matrix, stored by columns, serves all batches
        yield case.hazard(
            RULE,
            place(graph, op, (left.index, right.index)),
            f"of the batches {list(batches[0])} and {list(batches[1])} only the first is computed, the rest is 0",
            advice="give both operands the same leading axes (store the constant expanded, TILE a runtime operand), "
            "or fold the batches into the rows of the left operand: exact",
            evidence=(measured("the first batch right, all others 0"),),
        )
