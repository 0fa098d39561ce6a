"""An INT32 or BOOL constant of lower rank than the operand beside it.

## What it reports
A two-operand element-wise operator on the GPU, arithmetic, comparison, logical or shift, with a constant of INT32 or
BOOL whose rank is lower than the runtime operand's and whose first axis has more than one element.

## Why it matters
The delegate makes the first axis of such a constant the batch, as it does with runtime tensors, and not the axis
that broadcasting gives it. Beside a runtime operand with a batch of 1 no valid shader comes out of that: the log says
`Error while parsing WGSL`, the model runs all the same, and whatever hangs on the operator is all zeros. Beside a
larger batch the values are combined wrongly. Residency is full in either case. Measured on WebGPU on 2.1.2 to 2.3.0.
Float constants are laid out as they should be.

## What to do
Store the constant at the rank of the other operand: exact on every release.

```python
mask = valid & allowed.reshape(1, 1, 1, n)      # not `valid & allowed` with allowed of shape [n]
ids = positions + offsets.reshape(1, n)         # positions of shape [1, n]
```

## What it cannot see
Nothing else decides: type and shapes are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Tensor
from ._evidence import measured
from ._operands import BINARY, operand

RULE = Rule(
    id="integer-constant",
    summary="an INT32 or BOOL constant of lower rank than the operand beside it",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)

OPERATORS = BINARY | {"LOGICAL_AND", "LOGICAL_OR", "RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"}


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators(*OPERATORS):
        first, second = operand(graph, op, 0), operand(graph, op, 1)
        if first is None or second is None or first.constant == second.constant:
            continue
        constant, other = (first, second) if first.constant else (second, first)
        if not misplaced(constant, other):
            continue
        result = "its result is never written" if other.shape[0] == 1 else "its values are combined wrongly"
        yield case.hazard(
            RULE,
            place(graph, op, (constant.index, other.index)),
            f"{op.name} takes the first axis of constant {graph.label(constant.index)} {list(constant.shape)} for the "
            f"batch of {graph.label(other.index)} {list(other.shape)}: {result}",
            advice=f"store the constant at rank {other.rank}, {raised(constant, other.rank)}: exact",
            evidence=(measured("zeros beside a batch of 1, wrong values beside a larger one"),),
        )


def misplaced(constant: Tensor, other: Tensor) -> bool:
    """Whether the constant's first axis is another axis of the operand than the batch."""
    return constant.type in ("INT32", "BOOL") and 0 < constant.rank < other.rank and constant.shape[0] > 1


def raised(constant: Tensor, rank: int) -> list[int]:
    return [1] * (rank - constant.rank) + list(constant.shape)
