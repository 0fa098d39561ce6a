"""A CUMSUM in a mode or along an axis that comes out wrong.

## What it reports
A CUMSUM that is exclusive or reversed, and one along the first axis of a tensor of rank 1 to 3, or of a rank-4
tensor of batch 1.

## Why it matters
`exclusive` and `reverse` are ignored. Along axis 0 of rank 1, 2 and 3 the input comes back unchanged; along axis 0
of rank 4 with batch 1 the shader does not compile and the result is zero. Measured on WebGPU on 2.1.2 to 2.3.0.

## What to do
```python
exclusive = torch.cumsum(x, dim) - x                                    # exact
reverse = torch.flip(torch.cumsum(torch.flip(x, [2]), 2), [2])          # along the width: exact
along_0 = torch.cumsum(x.reshape(1, n, 1, c), 1).reshape(n, c)          # another axis of rank 4: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import integers
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import CumsumOptions
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="cumsum-mode",
    summary="CUMSUM in a mode or along an axis that comes out wrong",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        if op.name != "CUMSUM":
            continue
        data, axis = operand(graph, op, 0), operand(graph, op, 1)
        options = op.options_of(CumsumOptions)
        where = place(graph, op, (op.inputs[0], *op.outputs))
        modes = [
            name
            for name, on in (("exclusive", options and options.exclusive), ("reverse", options and options.reverse))
            if on
        ]
        if modes:
            yield case.hazard(
                RULE,
                where,
                f"{' and '.join(modes)} of CUMSUM is ignored",
                advice="exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact",
                evidence=(measured("the plain running sum comes back"),),
            )
        if data is None or axis is None:
            continue
        along = integers(case.model, axis)
        if not along or not data.rank or along[0] % data.rank != 0:
            continue
        # At rank 4 only a batch of 1 is zeroed; below, a first axis of one element has nothing to sum.
        if (data.rank == 4) != (data.shape[0] == 1):
            continue
        yield case.hazard(
            RULE,
            where,
            f"CUMSUM along axis 0 of {list(data.shape)} comes back {'as zeros' if data.rank == 4 else 'unchanged'}",
            advice="RESHAPE to rank 4 so that the axis is not the first, CUMSUM there, RESHAPE back: exact",
            evidence=(measured("zeros at rank 4 with batch 1, the input at rank 1 to 3"),),
        )
