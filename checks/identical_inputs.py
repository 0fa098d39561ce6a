"""One tensor in both operands of a binary operator.

## What it reports
A two-operand element-wise operator, ADD and MUL excepted, whose operands are the same runtime tensor: DIV, SUB,
MAXIMUM, MINIMUM, POW, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, comparisons and logical operators.

## Why it matters
Refused on every release from 2.1.2 to 2.3.0 (measured): `No support of few identical inputs in the same operation.`
ADD and MUL are rewritten by the delegate (into times two and square) and accepted. Such operators come from a
softmax over an axis of length 1, from `x / x` masks, and from shared branches that the converter merged.

## What to do
The result is known without computing it:

```python
x / x                     # torch.ones_like(x)      exact but for x = 0, Inf and NaN
x - x                     # torch.zeros_like(x)     exact but for Inf and NaN
torch.maximum(x, x)       # x                       exact
```

A softmax over an axis of length 1 is all ones: drop it.

## What it cannot see
Two different tensors that always hold equal values are accepted, and are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="identical-inputs",
    summary="both operands of a binary operator are the same tensor",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#9192",),
)

RESULT = {
    "DIV": "1 (except for 0, Inf and NaN)",
    "FLOOR_DIV": "1 (except for 0, Inf and NaN)",
    "SUB": "0 (except for Inf and NaN)",
    "SQUARED_DIFFERENCE": "0 (except for Inf and NaN)",
    "FLOOR_MOD": "0 (except for 0, Inf and NaN)",
    "MAXIMUM": "the operand itself",
    "MINIMUM": "the operand itself",
    "EQUAL": "true (except for NaN)",
    "GREATER_EQUAL": "true (except for NaN)",
    "LESS_EQUAL": "true (except for NaN)",
    "NOT_EQUAL": "false (except for NaN)",
    "GREATER": "false",
    "LESS": "false",
    "LOGICAL_AND": "the operand itself",
    "LOGICAL_OR": "the operand itself",
}


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    known = RESULT.get(op.name)
    if known is None:
        return "compute it from one operand: a unary operator, or a MUL of the tensor with itself, is accepted"
    return f"fold it: the result is {known}"
