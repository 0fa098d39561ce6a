"""SELECT or SELECT_V2 in a form the GPU refuses.

## What it reports
A SELECT or SELECT_V2 whose branches need broadcasting, whose condition is an integer, whose version is 2 or above,
or whose data is INT64.

## Why it matters
Some field guides list SELECT as unsupported. Measured on every release from 2.1.2 to 2.3.0, it is accepted when the
condition is BOOL or float and each branch has the output's exact shape, rank 0, or one element of rank 1. A branch
of shape `[1,1,1,8]` or `[1,1,1,1]` against `[1,4,4,8]` is refused: `Cond must be float or bool type, if, else
tensors must be either be same the shape as output or constant, scalar.`

## What to do
Give both branches the output's shape, or a scalar (both are exact):

```python
y = torch.where(mask, x, torch.full_like(x, -1e4))     # branch of the full shape
y = torch.where(mask, x, torch.tensor(-1e4))           # scalar branch
```

Without SELECT, exact only where `x` and `v` are finite and `m` is 0 or 1:

```python
y = x * (1 - m) + v * m
```

It comes from `torch.where`, `masked_fill`, in-place index assignment, PReLU and ELU.

## What it cannot see
A condition of lower rank than the result passes this check and fails later: see `select-condition-rank`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Cause, Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="select",
    summary="SELECT with a branch, condition or version the GPU refuses",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    if why.cause is Cause.VERSION:
        return (
            "convert again with rank 4 or less, which gives version 1; "
            "or write it as `x * (1 - m) + v * m` (finite values only)"
        )
    if why.cause is Cause.TYPE:
        return "select in FLOAT32 or INT32: INT64 activations have no place on the GPU"
    output = list(graph.tensors[op.outputs[0]].shape) if op.outputs and op.outputs[0] >= 0 else []
    return (
        f"give both branches the output's shape {output}, or a scalar (exact); "
        "or write it as `x * (1 - m) + v * m` (exact for finite x and v and m of 0 or 1)"
    )
