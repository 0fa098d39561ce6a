"""An ARG_MAX over a number of channels that is not a multiple of 4.

## What it reports
ARG_MAX along the last axis of a tensor of rank 2 to 4, when its size is not a multiple of 4; and any ARG_MAX of BOOL.

## Why it matters
The delegate stores channels in groups of four, and what stands behind the last channel takes part in the comparison:
0, or what elementwise operators made of it (behind EXP it is 1, behind LOGISTIC 0.5). Where every value is below that,
the answer is the index behind the last channel. It depends on the values, so it is a warning. Measured on WebGPU on
2.1.2 to 2.3.0. Other axes, multiples of 4, and rank 1 are right. With BOOL the answer is always 0,
which is an error.

## What to do
```python
scores = torch.cat([scores, torch.full((b, pad), -1e9)], dim=-1)        # up to a multiple of 4: exact
```

## What it cannot see
The values, unless their bounds follow from the file or `--input-range`: behind SOFTMAX, RELU, ABS and the like nothing
is below what stands there, and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import integers
from ..linter.delegate.padding import Padding
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph
from ..linter.ranges import ranges_of
from ._delegated import channel_paddings
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="argmax-channels",
    summary="ARG_MAX over channels off a multiple of 4 lets padding zeros win",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("ARG_MAX"):
        data, axis = operand(graph, op, 0), operand(graph, op, 1)
        if data is None or axis is None:
            continue
        where = place(graph, op, (data.index, *op.outputs))
        if data.type == "BOOL":
            yield case.hazard(
                RULE,
                where,
                "ARG_MAX of BOOL answers 0",
                advice="CAST to FLOAT32 in front: exact where the number of channels is a multiple of 4",
                evidence=(measured("zeros"),),
            )
            continue
        along = integers(case.model, axis)
        if data.rank < 2 or not along or along[0] % data.rank != data.rank - 1 or data.shape[-1] % 4 == 0:
            continue
        padding = channel_paddings(case, graph).get(data.index)
        if harmless(case, graph, data.index, padding):
            continue
        low = "low" if padding is None else f"below {padding.value or 0:g}"
        yield case.hazard(
            RULE,
            where,
            f"ARG_MAX over {data.shape[-1]} channels answers an index past the end where every value is {low}",
            advice="CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact",
            severity=Severity.WARNING,
            evidence=(measured("what stands behind the last channel takes part"),),
        )


def harmless(case: Case, graph: Subgraph, tensor: int, padding: Padding | None) -> bool:
    """Whether what stands behind the last channel is never above all values."""
    producer = graph.producer(tensor)
    if producer is not None and producer.name == "SOFTMAX":
        return True  # measured, also where all scores are negative
    return padding is not None and padding.value <= ranges_of(case).worst(graph, tensor).lo
