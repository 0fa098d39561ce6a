"""A DYNAMIC_UPDATE_SLICE that writes at another place than its start says.

## What it reports
DYNAMIC_UPDATE_SLICE of rank 1 to 3 whose update is shorter than the operand along the first axis, unless that start is
0; and, where `--input-range` or the file bounds the starts, starts that can be negative.

## Why it matters
Below rank 4 the first axis is the batch to the delegate, and the kernel has no start for a batch: the update always
lands on the first rows. So does each step of a cache of shape `[time, channels]`. A negative start is not raised to 0,
as on the CPU, but puts a part of the update outside, which is lost. Measured on WebGPU on 2.1.2 to 2.3.0, FLOAT32,
INT32, BOOL and INT8. Starts along the other axes, all those of rank 4, and starts beyond the end are right.

## What to do
```python
cache = dynamic_update_slice(cache[None], new[None], (0, pos, 0))[0]    # not (cache, new, (pos, 0)): exact
```

RESHAPE operand and update to one more axis in front, of extent 1, with a 0 in front of the starts. Where a start can be
negative: MAXIMUM with 0.

## What it cannot see
Starts that nothing bounds: below rank 4 they are taken to differ from 0, and nowhere to be negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph, Tensor
from ..linter.patterns import origin
from ..linter.ranges import Range, ranges_of
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="dynamic-update-start",
    summary="DYNAMIC_UPDATE_SLICE along the first axis below rank 4, or from a negative start",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("DYNAMIC_UPDATE_SLICE"):
        data, update, starts = (operand(graph, op, position) for position in range(3))
        if data is None or update is None or starts is None:
            continue
        if not 0 < data.rank == update.rank:
            continue
        where = place(graph, op, (data.index, update.index, starts.index))
        first = _first(case, graph, starts)
        if data.rank < 4 and update.shape[0] < data.shape[0] and (first.lo, first.hi) != (0, 0):
            yield case.hazard(
                RULE,
                where,
                f"the update {graph.label(update.index)} {list(update.shape)} always lands at the beginning of the "
                f"first axis of {graph.label(data.index)} {list(data.shape)}, whatever its start",
                advice="RESHAPE both to one more axis in front, with a 0 in front of the starts: exact",
                severity=Severity.ERROR if first.certain else Severity.WARNING,
                evidence=(measured("written at the first rows"),),
            )
            continue
        every = ranges_of(case).worst(graph, starts.index)
        if every.known and every.lo < 0:
            yield case.hazard(
                RULE,
                where,
                f"the starts {graph.label(starts.index)} can be negative ({every.lo:.4g}): "
                "a part of the update is lost then, where the CPU starts at 0",
                advice="MAXIMUM of the starts with 0: exact",
                severity=Severity.ERROR if every.hi < 0 else Severity.WARNING,
                evidence=(measured("written in part"),),
            )


def _first(case: Case, graph: Subgraph, starts: Tensor) -> Range:
    """What the start along the first axis can be. Starts are mostly put together of one part for each axis."""
    index = origin(graph, starts.index)
    producer = graph.producer(index)
    if producer is not None and producer.name in ("PACK", "CONCATENATION") and producer.inputs:
        index = producer.inputs[0]
    return ranges_of(case).worst(graph, index)
