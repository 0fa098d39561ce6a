"""A TOPK_V2 over a number of channels that is not a multiple of 4, or of more than 4 entries on older releases.

## What it reports
TOPK_V2 whose last axis is not a multiple of 4; up to 2.1.4, one with k above 4; and, up to 2.1.3, one of a tensor of
rank 1.

## Why it matters
Values and indices miss the tail of the axis; with fewer than 4 channels the process dies (SIGFPE). A line in the
log says so (`TopK requires src tensor C dimension to be divisible by 4.`), but the residency sentence does not
change. Up to 2.1.4, with k above 4, all entries but the last block are 0. Up to 2.1.3 the only
axis of a rank-1 tensor is taken for the batch. Measured on WebGPU on 2.1.2 to 2.3.0.

## What to do
```python
scores = torch.cat([scores, torch.full((b, pad), -1e9)], dim=-1)        # up to a multiple of 4: exact for k <= n
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import scalar
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured, releases
from ._failed import failed
from ._operands import operand

RULE = Rule(
    id="topk-channels",
    summary="TOPK_V2 over channels off a multiple of 4",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


ADVICE = "CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact for k <= 4"


def check(case: Case) -> Iterator[Finding]:
    yield from failed(case, RULE, Fault.TOPK_CHANNELS, advice=ADVICE)
    dying = {(failure.subgraph, failure.operator) for failure in case.failures(Fault.TOPK_CHANNELS)}
    for graph, op in case.gpu_operators("TOPK_V2"):
        data = operand(graph, op, 0)
        if data is None or not data.rank or (graph.index, op.index) in dying:
            continue
        channels = data.shape[-1]
        where = place(graph, op, (data.index, *op.outputs))
        if channels % 4:
            yield case.hazard(
                RULE,
                where,
                f"TOPK_V2 over {channels} channels misses the tail of the axis",
                advice=ADVICE,
                evidence=(measured("values and indices of the tail are missed"),),
            )
            continue
        if data.rank == 1 and case.before("2.1.4"):
            yield case.hazard(
                RULE,
                where,
                f"TOPK_V2 of a tensor {list(data.shape)} takes its only axis for the batch",
                advice=f"RESHAPE to [1, {channels}] in front, or run it on 2.1.4 or later: exact",
                evidence=(measured("every value and index is wrong", releases("2.1.2", "2.1.3")),),
            )
            continue
        k = operand(graph, op, 1)
        most = scalar(case.model, k) if k is not None else None
        if most is not None and most > 4 and case.before("2.1.5"):
            yield case.hazard(
                RULE,
                where,
                f"TOPK_V2 with k = {most:g} returns 0 for all entries but the last block",
                advice="run it on 2.1.5 or later",
                evidence=(measured("zeros but in the last block", releases("2.1.2", "2.1.4")),),
            )
