"""A tensor of an element type that the operator's GPU kernel does not take.

## What it reports
An operator with a GPU kernel whose runtime input or output has a type outside the kernel's set.

## Why it matters
INT64, FLOAT64 and STRING runtime tensors are refused by every operator on every release: `Tensor type(INT64) is not
supported. x`. Others depend on the operator: INT32 data passes through ADD, RESHAPE or GATHER, and not through
SPLIT, MEAN or UNPACK. Constants are not held to it. Measured on 2.1.2 to 2.3.0; SUM takes INT32 from 2.1.3 on,
ARG_MAX from 2.3.0 on.

## What to do
Change the type where the tensor is made, not with a cast in front of the operator (the CAST itself is refused on
INT64):

```python
idx = torch.argmax(x, dim=-1).to(torch.int32)      # and feed int32 ids into the model
pos = torch.arange(n, dtype=torch.int32)
```

INT32 holds every index of a model that fits into memory, so this is exact. Float data that only copies integers is
exact up to 2048 in fp16.

## What it cannot see
Where the wide type came from: it is reported at every operator that touches it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="tensor-type",
    summary="an element type that the GPU kernel does not take",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    types = {str(graph.tensors[tensor].type) for tensor in why.tensors}
    if types & {"INT64", "UINT64"}:
        return "make it INT32 where it is created (`dtype=torch.int32`): exact for every index below 2147483648"
    if types & {"INT32", "INT16", "UINT32", "UINT16"}:
        return (
            f"run {op.title} in FLOAT32 (exact up to 2048 in fp16), "
            "or use operators that take integers, such as SLICE and RESHAPE"
        )
    if "FLOAT64" in types:
        return "export in FLOAT32"
    return f"give {op.title} FLOAT32 data"
