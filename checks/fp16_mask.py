"""A mask in front of SOFTMAX that becomes NaN in half precision.

## What it reports
A runtime 0/1 mask times a constant of magnitude 65520 or more, added to attention scores; a constant mask with a row
that masks everything.

## Why it matters
`scores + mask * -1e9` multiplies 0 by minus infinity where nothing is masked: NaN, and so is every row of the SOFTMAX.
A constant mask of -1e9 is fine by itself (it becomes minus infinity, and the probability 0), but a row in which every
entry is -65520 or less gives NaN, and one of -1000 or less comes out uniform, because scores next to such a value have
no digits left. Measured on WebGPU on 2.1.3 to 2.3.0; the storage is the same on every backend.

## What to do
Use -30000 (anything down to -65504 works, with a runtime mask too):

```python
scores = scores + (1.0 - mask) * -30000.0
```

For a row that is masked whole, multiply the probabilities by the mask, or leave the row out.

## What it cannot see
The values of a mask that is a graph input: from -65520 on it works as long as no row is masked whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import OVERFLOW
from ..linter.model import Operator, Subgraph
from ..linter.ranges import Ranges, ranges_of
from ._masks import leads_to_softmax
from ._precision import makes_floats, number, stored

RULE = Rule(
    id="fp16-mask",
    summary="a mask in front of SOFTMAX that becomes NaN in half precision",
    kind=Kind.PRECISION,
    severity=Severity.ERROR,
    since="0.1.0",
)

DROWNED = -1000.0
"""From here on a fully masked row loses its scores: uniform instead of what fp32 gives."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for graph, op in case.operators():
        if op.name not in ("MUL", "ADD") or len(op.inputs) != 2 or not makes_floats(graph, op):
            continue
        for constant, data in (op.inputs, op.inputs[::-1]):
            tensor = ranges.constants.behind(graph, constant)
            if tensor is None or ranges.constants.behind(graph, data) is not None or not case.on_gpu(graph, op):
                continue
            facts = ranges.constants.facts(graph, tensor)
            if facts is None:
                continue
            if (
                op.name == "MUL"
                and OVERFLOW <= facts.peak < math.inf
                and leads_to_softmax(ranges, graph, op.outputs[0])
            ):
                yield stored(
                    case,
                    RULE,
                    place(graph, op, (data, constant)),
                    f"a mask times {number(facts.lowest if facts.lowest < 0 else facts.highest)} is NaN where it is 0: "
                    "half precision rounds the factor to infinity, and every row of the SOFTMAX becomes NaN",
                    advice="use -30000 as the factor (down to -65504 is right)",
                    outcome="NaN everywhere",
                )
            elif op.name == "ADD" and facts.lowest <= DROWNED:
                yield from _rows(case, ranges, graph, op, constant, data)


def _rows(case: Case, ranges: Ranges, graph: Subgraph, op: Operator, constant: int, data: int) -> Iterator[Finding]:
    """Rows of a constant mask that hide everything."""
    tensor = ranges.constants.behind(graph, constant)
    values = ranges.constants.values(graph, tensor) if tensor is not None else None
    if tensor is None or not values or not tensor.shape or tensor.shape[-1] < 2:
        return
    width = tensor.shape[-1]
    peaks = [max(values[at : at + width]) for at in range(0, len(values), width)]
    hidden = [peak for peak in peaks if peak <= DROWNED]
    if not hidden or not _softmax_next(graph, op):
        return
    nan = min(hidden) <= -OVERFLOW
    rows = f"{len(hidden)} of {len(peaks)} rows of the mask hide everything (at most {number(max(hidden))})"
    yield stored(
        case,
        RULE,
        place(graph, op, (data, constant)),
        rows + (": SOFTMAX gives NaN there" if nan else ": SOFTMAX is uniform there, where fp32 keeps the scores"),
        advice="leave such rows out, or use -30000 and multiply the result by the mask: finite, and exact for the rest",
        outcome="NaN rows" if nan else "uniform rows",
        severity=Severity.ERROR if min(hidden) > -math.inf and nan else Severity.WARNING,
    )


def _softmax_next(graph: Subgraph, op: Operator) -> bool:
    return bool(op.outputs) and any(reader.name == "SOFTMAX" for reader in graph.readers(op.outputs[0]))
