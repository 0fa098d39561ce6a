"""SPLIT under the conditions that refuse it, or with one output, which kills the process.

## What it reports
A SPLIT that the delegate refuses, and a SPLIT with exactly one output.

## Why it matters
Some field guides list SPLIT (`torch.chunk`, `torch.split`) as unsupported. Measured on every release from 2.1.2 to
2.3.0, it is accepted for float and 8-bit data on any axis, batch included. It is refused for INT16 and INT32 data
(`Tensor type(INT32) is not supported.`). With one output it is accepted and then aborts the process while the
kernels are built (`Check failed: CanReadValue`).

## What to do
Slices give the same parts, bit for bit, on every release:

```python
a, b = x.chunk(2, dim=1)          # SPLIT
a, b = x[:, :c], x[:, c:]         # two SLICEs
```

Drop a split into one part.

## What it cannot see
Parts that are combined again are wrong on the GPU although SPLIT itself is accepted: see `split-parts-combined` and
`split-concat`."""

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
    id="split",
    summary="SPLIT on data the GPU does not split, or with one output",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)
    yield from failed(
        case,
        RULE,
        Fault.SPLIT_ONE_OUTPUT,
        advice="drop the SPLIT: with one part it copies its input",
    )


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    return "take the parts with SLICE (`x[:, :c]`, `x[:, c:]`), which is exact and has kernels for these types"
