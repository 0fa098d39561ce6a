"""A constant operand whose first axis lands on the batch axis.

## What it reports
A two-operand element-wise operator with one constant, where the constant's first axis has more than one element and
the delegate lays it out differently from the other operand's: rank 1 against rank 1, `[n,c]` against `[n,c]`,
`[n,h,c]` against `[n,h,c]`, a rank-4 constant with a batch of its own, and a constant of higher rank than the
runtime operand.

## Why it matters
The delegate makes the first axis of a runtime tensor of rank 1, 2 or 3 the batch, and lays a constant out as
height, width, channels. Only the first slice of the constant is then used, for every batch: every other row is
wrong, silently and with full residency. Measured on WebGPU on 2.1.2 to 2.3.0 for ADD, SUB, MUL, DIV, MAXIMUM,
MINIMUM, POW, SQUARED_DIFFERENCE and comparisons, in float, int8 and FLOAT16 behind DEQUANTIZE; INT32 constants are
right.

## What to do
Make the runtime operand rank 4 with a leading 1, keep the constant at rank 4, and reshape back: exact on every release.

```python
y = (x.reshape(1, n, h, c) + table.reshape(1, n, h, c)).reshape(n, h, c)     # instead of x + table
y = (x.reshape(1, n) + bias.reshape(1, n)).reshape(n)                        # rank 1
```

Making the constant a runtime input is right too.

## What it cannot see
Large constants are compared in samples: one whose slices are equal is right and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Tensor
from ..linter.repetition import repeated_axes
from ._evidence import measured
from ._operands import BINARY, constant_behind, operand

RULE = Rule(
    id="constant-on-batch-axis",
    summary="a constant operand is laid out along another axis than the runtime operand",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators(*BINARY):
        if len(op.inputs) != 2:
            continue
        first, second = operand(graph, op, 0), operand(graph, op, 1)
        constants = [constant_behind(graph, tensor) for tensor in (first, second)]
        if (constants[0] is None) == (constants[1] is None):
            continue
        constant = constants[0] or constants[1]
        other = second if constants[0] else first
        if constant is None or other is None or constant.type == "INT32" or not misplaced(constant, other):
            continue
        if constant.shape[0] > 1 and 0 in repeated_axes(case.model, constant):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (constant.index, other.index)),
            f"{op.name} uses only the first slice of constant {graph.label(constant.index)} {list(constant.shape)} "
            f"for {graph.label(other.index)} {list(other.shape)}",
            advice="RESHAPE the runtime operand to rank 4 with a leading 1, keep the constant at rank 4, RESHAPE back: "
            "exact",
            evidence=(measured("every slice but the first is wrong"),),
        )


def misplaced(constant: Tensor, other: Tensor) -> bool:
    """Whether the layouts of a constant (height, width, channels from the right) and a runtime operand (first axis
    = batch) disagree."""
    if constant.elements == 1 or constant.rank == 0 or other.rank == 0 or max(constant.rank, other.rank) > 4:
        return False
    if constant.rank > other.rank:
        return other.shape[0] > 1 or constant.shape[0] > 1
    if constant.rank < other.rank:
        return False
    if constant.rank == 4:
        return constant.shape[0] > 1 and other.shape[0] == 1
    return constant.shape[0] > 1
