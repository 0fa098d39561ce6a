"""A ONE_HOT of indices of a rank that comes out wrong.

## What it reports
ONE_HOT of rank-3 indices `[a,m,n]` with m > 1 (accepted from 2.2.0 on), of a scalar index, and of `[1,n]` or
`[1,1,n]` indices with n > 1 up to 2.1.3.

## Why it matters
The ones stand at other places than they should, or the result is zero. Measured on WebGPU: rank 3 with m > 1 on
2.2.0 and 2.3.0 (refused before), rank 0 on all releases, `[1,n]` and `[1,1,n]` with n > 1 on 2.1.2 and 2.1.3.

## What to do
```python
y = F.one_hot(ids.reshape(-1), n).reshape(*ids.shape, n)        # indices of rank 1: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured, releases
from ._operands import operand

RULE = Rule(
    id="one-hot-rank",
    summary="ONE_HOT of indices of a rank that comes out wrong",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


ADVICE = "RESHAPE the indices to rank 1, ONE_HOT, RESHAPE: exact"


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("ONE_HOT"):
        indices = operand(graph, op, 0)
        if indices is None:
            continue
        where = place(graph, op, (indices.index, *op.outputs))
        shape = list(indices.shape)
        if indices.rank == 0:
            yield case.hazard(
                RULE,
                where,
                "ONE_HOT of a scalar index comes back as zeros",
                advice=ADVICE,
                evidence=(measured("zeros"),),
            )
        elif indices.rank == 3 and indices.shape[1] > 1:
            yield case.hazard(
                RULE,
                where,
                f"ONE_HOT of indices {shape} puts its ones at other places",
                advice=ADVICE,
                evidence=(measured("ones moved", releases("2.2.0")),),
            )
        elif early(indices.shape) and case.before("2.1.4"):
            yield case.hazard(
                RULE,
                where,
                f"ONE_HOT of indices {shape} puts its ones at other places",
                advice=ADVICE + "; or run it on 2.1.4 or later",
                evidence=(measured("ones moved", releases("2.1.2", "2.1.3")),),
            )


def early(shape: tuple[int, ...]) -> bool:
    """Shapes that are wrong on 2.1.2 and 2.1.3 only."""
    return len(shape) in (2, 3) and shape[-1] > 1 and all(extent == 1 for extent in shape[:-1])
