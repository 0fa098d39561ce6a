"""A SOFTMAX over a row that begins with minus infinity.

## What it reports
Minus infinity in front of a SOFTMAX, in a constant mask whose rows hide their first four entries with it (an error) or
selected at runtime (a warning, since the rows decide).

## Why it matters
The kernel keeps a running maximum of four entries at a time. Where the first four are minus infinity it subtracts
minus infinity from itself, and the whole row is NaN, although the entries behind are ordinary. Left padding and
sliding windows hide the first entries; `masked_fill(mask, float("-inf"))` is how many attention masks are written.
Measured on WebGPU on 2.1.2 to 2.3.0, in fp32 and fp16, rows of 6 to 1024 entries. A row that hides any other entries is
right, and so is a value that is finite in the precision used: in fp16 it must be above -65520, see `fp16-mask`.

## What to do
```python
scores = scores.masked_fill(hidden, -30000.0)        # right in fp32 and fp16
```

## What it cannot see
Which rows a runtime mask hides, and a mask that is an input.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.ranges import ranges_of
from ._evidence import measured
from ._masks import STEP, Mask, masks

RULE = Rule(
    id="softmax-of-infinity",
    summary="a SOFTMAX over a row that begins with minus infinity",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    ranges = ranges_of(case)
    seen: set[tuple[int, int]] = set()  # a mask is one fault, however many layers add it
    for graph, op in case.operators("ADD", "SELECT", "SELECT_V2"):
        for mask in masks(ranges, graph, op):
            if mask.hidden != -math.inf or (graph.index, mask.tensor) in seen or not case.on_gpu(graph, op):
                continue
            seen.add((graph.index, mask.tensor))
            yield from _judged(case, graph, op, mask)


def _judged(case: Case, graph: Subgraph, op: Operator, mask: Mask) -> Iterator[Finding]:
    if mask.rows is None:
        said = f"minus infinity is selected for what is hidden: SOFTMAX gives NaN for every row whose first {STEP}"
        said += " entries are hidden"
    else:
        first = sum(max(row[:STEP]) == -math.inf < max(row) for row in mask.rows)
        if not first:
            return
        said = f"{first} of {len(mask.rows)} rows of the mask hide their first {STEP} entries with minus infinity: "
        said += "SOFTMAX gives NaN for these rows"
    yield case.hazard(
        RULE,
        place(graph, op, (*op.inputs, op.outputs[0])),
        said,
        advice="use -30000 for what is hidden, which is right in fp32 and fp16",
        evidence=(measured("NaN rows where the first four entries are minus infinity"),),
        severity=Severity.WARNING if mask.rows is None else Severity.ERROR,
    )
