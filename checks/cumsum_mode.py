"""A CUMSUM in a mode or along an axis that comes out wrong.

## What it reports
A CUMSUM that is exclusive or reversed, and one along an axis that the delegate takes for another:

| rank | wrong | right |
|---|---|---|
| 1 | both ways to say its axis | |
| 2 | 0, -1; -2 of `[1,c]` | 1; -2 of `[n,c]` |
| 3 | 0, -1 | 1, 2 |
| 4 | 0 of batch 1 | 0 of a larger batch, 1, 2, 3 |

Other negative axes kill the process while the kernel is built, which `kernel-creation` reports; on 2.1.2 they come
back as zeros and are reported here.

## Why it matters
`exclusive` and `reverse` are ignored. The axis is counted from the end of batch, height, width, channels without
asking whether it is negative, and tensors of lower rank leave some of these four out: the sum then runs along an axis
of one element, and the input comes back unchanged, or along the batch. Along a batch of 1 the shader does not compile
and the result is zero. Measured on WebGPU on 2.1.2 to 2.3.0.

## What to do
Count axes from 0, and reshape to rank 4 where the axis is the first one.

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
from ..linter.delegate.layout import axis_letter, layout
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Tensor
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
    for graph, op in case.gpu_operators("CUMSUM"):
        data, axis = operand(graph, op, 0), operand(graph, op, 1)
        chosen = integers(case.model, axis) if axis is not None else None
        if data is None or not chosen or not -data.rank <= chosen[0] < data.rank:
            continue
        where = place(graph, op, (op.inputs[0], *op.outputs))
        options = op.options_of(CumsumOptions)
        exclusive, reverse = (options.exclusive, options.reverse) if options is not None else (False, False)
        # One element is the same in either direction.
        modes = [
            name for name, on in (("exclusive", exclusive), ("reverse", reverse and data.shape[chosen[0]] > 1)) if on
        ]
        if modes:
            yield case.hazard(
                RULE,
                where,
                f"{' and '.join(modes)} of CUMSUM is ignored",
                advice="exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact",
                evidence=(measured("the plain running sum comes back"),),
            )
        outcome = along(data, chosen[0])
        if not 0 <= chosen[0] + 4 - data.rank < 4:
            outcome = "comes back as zeros" if case.before("2.1.3") else None
        if outcome:
            yield case.hazard(
                RULE,
                where,
                f"CUMSUM along axis {chosen[0]} of {list(data.shape)} {outcome}",
                advice="RESHAPE to rank 4 so that the axis is not the first and count it from 0, CUMSUM there, "
                "RESHAPE back: exact",
                evidence=(measured("zeros along a batch of 1, else the sum along another axis"),),
            )


def along(data: Tensor, axis: int) -> str | None:
    """What comes of a sum along an axis; None where it is right, and where no kernel is built. The delegate counts the
    axis from the end of its four, as if it were not negative and the rank 4."""
    extents, position = layout(data.shape), axis + 4 - data.rank
    if extents is None or not 0 <= position < 4:
        return None
    meant, summed, count = axis_letter(data.rank, axis), "bhwc"[position], extents[position]
    if summed == "b" and count == 1:
        return "comes back as zeros"
    if summed == meant or count == data.shape[axis] == 1:
        return None
    return "comes back unchanged" if count == 1 else "runs along the first axis"
