"""RELU_0_TO_1 on a release whose GPU refuses it.

## What it reports
A RELU_0_TO_1 operator on LiteRT 2.1.5 and later.

## Why it matters
Accepted on 2.1.2, 2.1.3 and 2.1.4. From 2.1.5 on the delegate asks a compatibility table that has no entry for the
operator and refuses it: `Not supported op RELU_0_TO_1` (measured on every release; public report LiteRT#8598). With
a GPU-only accelerator set an upgrade then stops the model from being created at all.

## What to do
```python
y = torch.clamp(torch.relu(x), max=1.0)     # MINIMUM(RELU(x), 1): exact
y = torch.relu(x) - torch.relu(x - 1)       # exact but for float rounding at large |x|
```

It comes from `nn.Hardtanh(0, 1)`, `torch.clamp(x, 0, 1)` and hard-sigmoid gates.

## What it cannot see
Nothing within a model: the operator alone decides. A fused activation of this kind does not exist in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="relu-0-to-1",
    summary="RELU_0_TO_1, refused from 2.1.5 on",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#8598",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    return (
        "write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release"
    )
