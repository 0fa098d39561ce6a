"""An operator version above the one the delegate takes.

## What it reports
An operator with a GPU kernel whose version in the file is above the delegate's ceiling on the target release.

## Why it matters
The runtime knows the version, the delegate does not: `Max version supported: 2. Requested version 3.`, and the
operator is refused. The ceilings of ADD, MUL, CONCATENATION, SLICE, SOFTMAX and TRANSPOSE rose in 2.1.6; all others
are the same from 2.1.2 to 2.3.0 (measured on every release).

## What to do
A converter writes the lowest version that an operator's form needs, so the form is what to change: int8 or int16
activations, more than four dimensions, a fused activation or a quantized bias raise it. Convert again without that
form, or raise the target release where the ceiling rose:

```python
y = F.max_pool2d(x, 2)                   # float activations: an int16 recipe writes AVERAGE_POOL_2D 3, LOGISTIC 3, …
y = x[:, 0:4].reshape(b, 4, c)           # STRIDED_SLICE 1: rank 4 or less, no ellipsis, no offset flag
y = torch.where(mask, x, zeros)          # SELECT 1: float, rank 4 or less
```

Where a tool wrote a higher version than the form needs, lower it in the file:

```python
model = schema.ModelT.InitFromPackedBuf(data, 0)      # from ai_edge_litert import schema_py_generated as schema
for code in model.operatorCodes:
    if code.builtinCode == schema.BuiltinOperator.STRIDED_SLICE:
        code.version = 2
```

## What it cannot see
Whether the operator needs its version: some tools write a higher one than necessary, and lowering it in the file is
then exact."""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="op-version",
    summary="an operator version above the delegate's ceiling",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)

RAISED = {
    "ADD": 6,
    "MUL": 8,
    "CONCATENATION": 6,
    "SLICE": 8,
    "SOFTMAX": 4,
    "TRANSPOSE": 9,
}
"""Ceilings from 2.1.6 on of the operators for which it rose then."""


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    ceiling = RAISED.get(op.name)
    if ceiling is not None and op.version <= ceiling and f": {ceiling}." not in why.message:
        return (
            f"run it on 2.1.6 or later, which takes version {ceiling}; "
            f"or convert without the form that needs version {op.version}"
        )
    return (
        f"convert without the form that needs version {op.version} "
        "(8- or 16-bit activations, rank 5, a fused activation)"
    )
