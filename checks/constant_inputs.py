"""An operator that gets nothing but constants.

## What it reports
An operator all of whose inputs are constants, where the target's GPU refuses that.

## Why it matters
The delegate wants at least one runtime input from most operators: `Expected 1 runtime input tensor(s), but node has
0 runtime input(s).`, `Op can only handle 1 or 2 operand(s).`, `input must be a runtime tensor`. A converter that
did not fold a constant subgraph so keeps the whole model off the GPU. Measured on every release; from 2.3.0 on,
binary element-wise operators accept two constants of the output's rank. CONCATENATION, PACK and SELECT of constants
are accepted on every release.

## What to do
Fold it at export: compute the value once and store it.

```python
# instead of recomputing a table from parameters in forward():
self.register_buffer("table", torch.softmax(self.bank, dim=0))
```

A softmax over a constant bank, positional tables and normalised weights are the usual sources. If folding makes the
file too large, feed one factor as a runtime input.

## What it cannot see
Whether the constants are small: folding a product of two factors stores the product.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="constant-inputs",
    summary="an operator gets nothing but constants",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#9192",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    size = sum(graph.tensors[tensor].elements for tensor in op.outputs if tensor >= 0)
    return f"fold it at export: store its {size} result values as a constant (`register_buffer`)"
