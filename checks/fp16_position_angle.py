"""SIN or COS of a position, whose angle half precision rounds.

## What it reports
SIN or COS of positions times constant frequencies (rotary position embeddings, time steps of diffusion models): a
warning where a position is known, from the values or the number of positions, to give an angle above 64, else an
information. SIN or COS of any other values that are known to pass 32, also behind a FLOOR_MOD, which comes too late.

## Why it matters
The angle is stored as a half: at 64 it is rounded to 0.03, at 512 to 0.25, at 2048 to 1. The greatest error of SIN and
COS is 0.9 % at an angle of 64, 1.5 % at 128, 5 to 9 % at 256, 14 % at 512, 40 % at 2048 and 100 % from 4096 on; time
steps to 1000 are off by 33 %. Positions that are cast from INT32 are rounded as well, above 2048. Measured on WebGPU on
2.1.2 to 2.3.0; the storage is the same on every backend.

## What to do
Gather the rows of a constant table by INT32 positions, which is right to position 32768 (2e-4):

```python
cos_table = torch.cos(torch.outer(torch.arange(length), inv_freq))     # a buffer
cos = cos_table[position_ids]                                          # GATHER
```

Or compute SIN and COS outside the model and feed them as inputs.

## What it cannot see
Positions that are a graph input of few entries: state them with `--input-range NAME=LO:HI`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import LARGEST, spacing
from ..linter.model import Subgraph
from ..linter.patterns import Angle, origin
from ..linter.ranges import Ranges, ranges_of
from ._precision import makes_floats, number, span, stored

RULE = Rule(
    id="fp16-position-angle",
    summary="SIN or COS of a position, whose angle half precision rounds",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

SAFE, PLAIN = 64.0, 32.0
"""Angles up to here keep SIN and COS within 1 %: of whole positions, and of any values."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    yield from _known(case, ranges)
    seen: set[tuple[int, int]] = set()
    for angle in ranges.patterns.angles:
        graph = case.model.subgraphs[angle.graph]
        key = (angle.graph, angle.product.index)
        if key in seen or not makes_floats(graph, angle.op) or not case.on_gpu(graph, angle.op):
            continue
        seen.add(key)  # SIN and COS of one angle are one fault
        yield from _judged(case, ranges, graph, angle)


def _known(case: Case, ranges: Ranges) -> Iterator[Finding]:
    """SIN and COS of values that are no positions, where they are known."""
    positions = {(angle.graph, angle.op.index) for angle in ranges.patterns.angles}
    for graph, op in case.operators():
        if op.name not in ("SIN", "COS") or (graph.index, op.index) in positions or not makes_floats(graph, op):
            continue
        angle, folded = op.inputs[0], graph.producer(op.inputs[0])
        if folded is not None and folded.name == "FLOOR_MOD":
            angle = folded.inputs[0]  # rounded already
        values = ranges.likely(graph, angle)
        if not values.known or values.peak <= PLAIN or not case.on_gpu(graph, op):
            continue
        step = number(spacing(min(values.peak, LARGEST)))
        yield stored(
            case,
            RULE,
            place(graph, op, (angle, op.outputs[0])),
            f"{op.name} of {span(values)}: half precision rounds the angle to steps of {step}",
            advice="take the remainder by 2 pi before the values enter the model, or keep them in turns below 32",
            outcome="1.5 % at an angle of 50",
            severity=Severity.WARNING,
        )


def _judged(case: Case, ranges: Ranges, graph: Subgraph, angle: Angle) -> Iterator[Finding]:
    constant = ranges.constants.behind(graph, angle.frequencies)
    facts = ranges.constants.facts(graph, constant) if constant is not None else None
    fastest = facts.peak if facts is not None else 1.0
    if fastest <= 0:
        return
    positions = ranges.likely(graph, angle.positions)
    count = graph.tensors[origin(graph, angle.positions)].elements
    if positions.known:
        reach, said = positions.peak * fastest, f"positions to {number(positions.peak)}"
        severity = Severity.WARNING
        if reach < SAFE:
            return
    elif count * fastest > SAFE:
        reach, said, severity = (count - 1) * fastest, f"{count} positions", Severity.WARNING
    else:
        reach, said, severity = SAFE, "positions that are not known", Severity.INFO
    yield stored(
        case,
        RULE,
        place(graph, angle.op, (angle.positions, angle.frequencies)),
        f"{angle.op.name} of {said} times frequencies to {number(fastest)}: "
        + (
            f"an angle of {number(reach)} is rounded to steps of {number(spacing(min(reach, 6e4)))} in half precision"
            if severity is Severity.WARNING
            else f"above an angle of {number(SAFE)} half precision rounds it by more than 1 % of the result"
        ),
        advice="GATHER the rows of a constant SIN and COS table by INT32 positions, or feed SIN and COS as inputs",
        outcome="1.5 % at an angle of 128, 14 % at 512, 40 % at 2048",
        severity=severity,
    )
