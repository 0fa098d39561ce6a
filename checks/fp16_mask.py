"""A mask in front of SOFTMAX that becomes NaN in half precision.

## What it reports
A runtime 0/1 mask times a constant of magnitude 65520 or more, added to attention scores. A constant mask of -65520 or
less that hides the first four entries of a row, or all of it. A value of -65520 or less that is selected into the
scores or the mask at runtime, or a mask input that is stated to hold one: a warning, since the rows decide. A mask
input of which nothing is known: an information.

## Why it matters
From -65520 on a mask is minus infinity. `scores + mask * -1e9` multiplies 0 by that where nothing is masked: NaN, and
so is every row of the SOFTMAX. A constant or selected -1e9 gives the probability 0, as it should, unless the first
four entries of a row are all hidden: the kernel keeps a running maximum of four entries at a time, subtracts minus
infinity from itself in the first step, and the whole row is NaN. Left padding and sliding windows hide them. A row
that is hidden whole is NaN too, and uniform from about -1000 on, because scores next to such a value have no digits
left. Measured on WebGPU on 2.1.2 to 2.3.0 with rows of 6 to 1024 entries. Minus infinity itself
over the first four gives NaN in fp32 as well: `softmax-of-infinity`.

## What to do
Use -30000 (anything down to -65504 is right in all of these):

```python
scores = scores + (1.0 - mask) * -30000.0
scores = scores.masked_fill(hidden, -30000.0)        # not float("-inf"), nor torch.finfo(torch.float32).min
```

For a row that is masked whole, multiply the probabilities by the mask, or leave the row out.

## What it cannot see
Which rows a runtime mask hides. OpenCL and Metal were not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..linter.case import Case
from ..linter.constant_facts import Facts
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import OVERFLOW
from ..linter.model import Operator, Subgraph
from ..linter.patterns import origin, scaled
from ..linter.ranges import Ranges, ranges_of
from ._masks import STEP, leads_to_softmax, masks, over_last, softmax_behind
from ._precision import accumulated, makes_floats, number, stored

RULE = Rule(
    id="fp16-mask",
    summary="a mask in front of SOFTMAX that becomes NaN in half precision",
    kind=Kind.PRECISION,
    severity=Severity.ERROR,
    since="0.1.0",
)

DROWNED = -1000.0
"""From here on a fully masked row loses its scores: uniform instead of what fp32 gives."""
ADVICE = "use -30000 for what is hidden (down to -65504 is right)"
OUTCOME = "NaN rows where the first four entries are hidden"


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    seen: set[tuple[int, int]] = set()  # a mask is one fault, however many layers add it
    for graph, op in case.operators("ADD", "MUL", "SELECT", "SELECT_V2"):
        if not makes_floats(graph, op):
            continue
        for mask, finding in _judged(case, ranges, graph, op):
            if (graph.index, mask) not in seen and case.on_gpu(graph, op):
                seen.add((graph.index, mask))
                yield finding


def _judged(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[tuple[int, Finding]]:
    """Findings, each with the tensor whose fault it is."""
    for mask in masks(ranges, graph, op):
        if mask.rows is not None:
            yield from _counted(case, graph, op, mask.tensor, mask.rows)
        elif -math.inf < mask.hidden <= -OVERFLOW:
            yield (
                mask.tensor,
                accumulated(
                    case,
                    RULE,
                    place(graph, op, (*op.inputs[1:], op.outputs[0])),
                    f"{number(mask.hidden)} is selected for what is hidden: SOFTMAX gives NaN for every row whose "
                    f"first {STEP} entries are hidden",
                    advice=ADVICE,
                    outcome=OUTCOME,
                ),
            )
    if op.name not in ("ADD", "MUL") or len(op.inputs) != 2:
        return
    for index, data in (op.inputs, op.inputs[::-1]):
        constant = ranges.constants.behind(graph, index)
        if ranges.constants.behind(graph, data) is not None:
            continue
        if constant is None:
            if op.name == "ADD" and (ranges.likely(graph, index).known or _are_scores(ranges, graph, data)):
                yield from _given(case, ranges, graph, op, index)
            continue
        facts = ranges.constants.facts(graph, constant)
        if op.name != "MUL" or facts is None or not OVERFLOW <= facts.peak < math.inf:
            continue
        if leads_to_softmax(ranges, graph, op.outputs[0]):
            yield op.outputs[0], _multiplied(case, graph, op, facts)


def _multiplied(case: Case, graph: Subgraph, op: Operator, facts: Facts) -> Finding:
    factor = facts.lowest if facts.lowest < 0 else facts.highest
    return stored(
        case,
        RULE,
        place(graph, op, op.inputs),
        f"a mask times {number(factor)} is NaN where it is 0: half precision rounds the factor to infinity, and every "
        "row of the SOFTMAX becomes NaN",
        advice="use -30000 as the factor (down to -65504 is right)",
        outcome="NaN everywhere",
    )


def _counted(
    case: Case, graph: Subgraph, op: Operator, mask: int, rows: Sequence[Sequence[float]]
) -> Iterator[tuple[int, Finding]]:
    """What is to be said of the rows of a mask, of which all values are known."""
    where = place(graph, op, (*op.inputs, op.outputs[0]))
    whole = [max(row) for row in rows if max(row) <= DROWNED]
    first = sum(-math.inf < max(row[:STEP]) <= -OVERFLOW < max(row) for row in rows)
    if first:
        yield (
            mask,
            accumulated(
                case,
                RULE,
                where,
                f"{first} of {len(rows)} rows of the mask hide their first {STEP} entries with -65520 or less: "
                "SOFTMAX gives NaN for these rows",
                advice=ADVICE,
                outcome=OUTCOME,
                severity=Severity.ERROR,
            ),
        )
    elif whole:
        nan = min(whole) <= -OVERFLOW
        yield (
            mask,
            stored(
                case,
                RULE,
                where,
                f"{len(whole)} of {len(rows)} rows of the mask hide everything (at most {number(max(whole))})"
                + (": SOFTMAX gives NaN there" if nan else ": SOFTMAX is uniform there, where fp32 keeps the scores"),
                advice="leave such rows out, or use -30000 and multiply the result by the mask: finite, and exact for "
                "the rest",
                outcome="NaN rows" if nan else "uniform rows",
                severity=Severity.ERROR if min(whole) > -math.inf and nan else Severity.WARNING,
            ),
        )


def _are_scores(ranges: Ranges, graph: Subgraph, index: int) -> bool:
    """Whether a tensor is a matrix product, which may be scaled."""
    producer = graph.producer(scaled(ranges.patterns, graph, index)[0])
    return producer is not None and producer.name == "BATCH_MATMUL"


def _given(case: Case, ranges: Ranges, graph: Subgraph, op: Operator, mask: int) -> Iterator[tuple[int, Finding]]:
    """A mask that is an input of the model."""
    source = origin(graph, mask)
    softmax = softmax_behind(graph, op.outputs[0])
    if source not in graph.inputs or softmax is None or not over_last(graph, graph.tensors[mask], softmax):
        return
    values = ranges.likely(graph, source)
    if values.lo > -OVERFLOW:
        return
    yield (
        source,
        accumulated(
            case,
            RULE,
            place(graph, op, (source, op.outputs[0])),
            f"the mask {graph.label(source)} is an input: from -65520 on it is minus infinity, and SOFTMAX gives NaN "
            f"for every row whose first {STEP} entries are hidden so",
            advice="feed -30000 for what is hidden (down to -65504 is right)",
            outcome=OUTCOME,
            severity=Severity.WARNING if values.known else Severity.INFO,
        ),
    )
