"""A POW that computes something else.

## What it reports
POW with a scalar constant base of exactly 3 (or, from 2.3.0, 2); POW with a runtime exponent, or an odd constant
exponent other than a single 3, whose base may be negative.

## Why it matters
With a constant base of 3 the delegate computes x³ instead of 3ˣ on every release, with 2 it computes x² on 2.3.0. A
negative base with an odd exponent loses its sign (|x| to the y). Measured on WebGPU. Vector constants and bases
0.5, 2.5 and 4 are right, and so are a single constant exponent of 3 and even ones.

## What to do
```python
y = torch.exp(x * math.log(3.0))        # 3 ** x: to rounding
y = x * x * x                           # odd powers of signed values: exact
```

## What it cannot see
The sign of a runtime base: the second form is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import scalar, values
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.ranges import ranges_of
from ._evidence import ALL, measured, releases
from ._operands import constant_behind, operand

RULE = Rule(
    id="pow-base",
    summary="POW with a constant base, or of a negative base",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("POW"):
        base, exponent = operand(graph, op, 0), operand(graph, op, 1)
        if base is None or exponent is None:
            continue
        where = place(graph, op, (base.index, exponent.index))
        constant = constant_behind(graph, base)
        if constant is not None:
            value = scalar(case.model, constant)
            if value == 3 or (value == 2 and case.since("2.3.0")):
                yield case.hazard(
                    RULE,
                    where,
                    f"POW computes x to the {value:g} instead of {value:g} to the x",
                    advice=f"EXP(x * ln {value:g}): to rounding",
                    evidence=(measured("operands swapped", ALL if value == 3 else releases("2.3.0")),),
                )
            continue
        power = constant_behind(graph, exponent)
        known = values(case.model, power) if power is not None else None
        odd = power is None or (known is not None and any(value % 2 == 1 for value in known) and known != (3.0,))
        if odd and ranges_of(case).worst(graph, base.index).lo < 0:
            yield case.hazard(
                RULE,
                where,
                "POW of a negative base loses its sign for odd exponents",
                advice="multiply instead (x * x * x), or take the power of ABS(x) and multiply by SIGN(x): exact",
                severity=Severity.WARNING,
                evidence=(measured("|x| to the y"),),
            )
