"""BROADCAST_TO, which no release runs on the GPU.

## What it reports
Every BROADCAST_TO operator.

## Why it matters
There is no kernel for it on any release (measured 2.1.2 to 2.3.0; LiteRT#9191): `Operation is not supported.`

## What to do
```python
k.expand(-1, groups, -1, -1)               # runtime (grouped-query attention, repeat_kv), bit-exact:
torch.cat([k] * groups, dim=1)             #   CONCATENATION of the copies

table.expand(b, n, c)                      # a constant: bake it at its target shape
self.register_buffer("table", table.expand(b, n, c).contiguous())
```

TILE has a kernel too (FLOAT32, FLOAT16, integers up to 32 bits). Often the copy is not needed at all, as the
consumer broadcasts by itself; give both operands the same rank then, or read `mixed-rank-operands` first.

## What it cannot see
Whether the consumer would broadcast by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="broadcast-to",
    summary="BROADCAST_TO has no GPU kernel",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#9191",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    source = graph.tensors[op.inputs[0]] if op.inputs and op.inputs[0] >= 0 else None
    target = list(graph.tensors[op.outputs[0]].shape) if op.outputs and op.outputs[0] >= 0 else []
    if source is not None and source.constant:
        return f"store the constant at its target shape {target}"
    return f"CONCATENATION of the copies, or TILE, gives {target} bit for bit"
