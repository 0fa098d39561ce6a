"""A STABLEHLO_COMPOSITE that the GPU refuses, or accepts and dies of.

## What it reports
A composite that the delegate does not know or whose conditions it does not meet; and every composite that it
accepts, because building its kernel kills the process.

## Why it matters
An unknown composite is refused with its own name as the message. A known one (`odml.rms_norm`, `odml.group_norm`,
`odml.scaled_dot_product_attention`) that passes the check ends in a segmentation fault while the kernel is built,
whatever its attributes: measured on every release from 2.1.2 to 2.3.0 with the Linux wheels.

## What to do
Convert without composites, so that the decomposition itself is in the graph:

```python
# write the norm or attention out in the module, or strip the composite markers before conversion
y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.weight
```

The decomposition of a refused composite still runs on the CPU as its own subgraph. `odml.softmax` comes from
litert-torch 0.9.2 with an early converter and goes away with a later one (litert-torch#1136).

## What it cannot see
Other platforms: the crash was measured on Linux only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._failed import failed
from ._refused import findings

RULE = Rule(
    id="composite-op",
    summary="a STABLEHLO_COMPOSITE that is refused, or that kills the process",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)
    yield from failed(
        case,
        RULE,
        Fault.COMPOSITE,
        advice="convert without the composite, with its decomposition written out in the graph",
    )


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    return (
        "convert without the composite, so that its decomposition is in the graph and each operator is judged by itself"
    )
