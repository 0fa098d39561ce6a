"""A tensor that is split and put together again is taken for itself.

## What it reports
A SPLIT, SPLIT_V or UNPACK of which every used part goes into one CONCATENATION or PACK and nowhere else, with nothing
else put in:

* in another order: the result has the original order;
* along another axis: half of the result is wrong, the rest 0;
* in the same order, when the tensor has other consumers: they read what is never written;
* along the same axis, when the tensor is an input of the graph or comes from the CPU: the model cannot be created.

## Why it matters
Channel shuffles and swaps (`torch.cat([b, a], 1)`) and "split the channels, stack along the width" are written so.
Measured on WebGPU on 2.1.2 to 2.3.0, fp32: `NOT_FOUND: Output id not found` at creation, or silently wrong. Quantized
tensors are right.

## What to do
Slices give the same parts, bit for bit:

```python
a, b = x[:, :c], x[:, c:]         # two SLICEs instead of x.chunk(2, dim=1): right on every release
torch.cat([b, a], 1)
```

A split that is put together as it was does nothing: drop both.

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.delegate.fusion import Identity, SplitConcat
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph
from ._delegated import delegate_graphs
from ._evidence import measured
from ._failed import failed

RULE = Rule(
    id="split-concat",
    summary="a tensor that is split and put together again is taken for itself",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.SPLIT_CONCAT,
        advice="take the parts with SLICE, which is exact; drop both operators if they change nothing",
    )
    for found in delegate_graphs(case):
        graph = found.graph
        for pair in found.split_concats:
            message = _fault(graph, pair)
            if message is None:
                continue
            yield case.hazard(
                RULE,
                place(graph, pair.join, (pair.tensor, *pair.join.outputs)),
                message,
                advice=f"take the parts with SLICE instead of {pair.split.title}: exact on every release",
                evidence=(measured("taken for an identity"),),
            )


def _fault(graph: Subgraph, pair: SplitConcat) -> str | None:
    both = f"{pair.split.title} and {pair.join.title} are taken for an identity"
    if pair.identity is Identity.ORDER:
        return f"{both}: the parts come out in the original order"
    if pair.identity is Identity.AXIS:
        return f"{both}, although they go along different axes: half of the result is 0"
    if pair.identity is Identity.RIGHT and pair.shared:
        readers = ", ".join(sorted({op.title for op in pair.shared}))
        return f"{both} in place of {graph.label(pair.tensor)}, which {readers} reads too: it is never written"
    return None
