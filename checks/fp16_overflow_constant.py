"""A constant operand that half precision does not hold.

## What it reports
A constant of magnitude 65520 or more that is multiplied, added, subtracted, divided by or divided; a factor or divisor
so small that rounding moves it by more than 1 %; an addition so close to 65504 that ordinary values overflow.

## Why it matters
The GPU stores constants as halves. From 65520 on they are infinite: `x * 1e9` is infinite for every x and NaN for 0,
however small the result would be, `x + 1e5` is infinite, and `x / 1e5` is 0. Below 6.1e-5 they lie on a grid of 6e-8:
a factor of 1e-6 is off by 1.3 %, 1e-7 by 19 %, and 2.9e-8 is 0. Operators that are fused into one kernel still
overflow in between: `x * 300 / 300` is infinite from x = 219. Measured on WebGPU on 2.1.3 to 2.3.0; the storage is the
same on every backend.

No finding: MAXIMUM, MINIMUM, PADV2 and the branches of SELECT_V2, which are right with any constant; a sum that is
clipped again (`min(x + 1e5, 1000)`); a constant mask in front of SOFTMAX, which becomes minus infinity and works.

## What to do
Split the factor, so that each part and each product fits:

```python
y = x * 1e-8                      # 0 on the GPU
y = (x * 1e-4) * 1e-4             # right while the result itself fits
```

A factor behind a convolution or a fully connected layer folds into its weights: multiply the weights in the model
instead. A large addition that is taken away again should be dropped.

## What it cannot see
Constants above 64 kB, which are not read. Whether the product is needed at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constant_facts import Facts
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import LARGEST, OVERFLOW, VANISHING, loss
from ..linter.model import Operator, Subgraph
from ..linter.patterns import absorbed
from ..linter.ranges import Ranges, ranges_of
from ._folded import folds_into
from ._masks import leads_to_softmax
from ._precision import makes_floats, number, percent, stored

RULE = Rule(
    id="fp16-overflow-constant",
    summary="a constant operand that half precision does not hold",
    kind=Kind.PRECISION,
    severity=Severity.ERROR,
    since="0.1.0",
)

OPERATORS = ("ADD", "DIV", "MUL", "SQUARED_DIFFERENCE", "SUB")
LIMIT = 0.01
"""Relative error that is reported."""
HEADROOM = 64
"""A sum with a constant this close to the largest half overflows for ordinary values."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for graph, op in case.operators():
        if op.name not in OPERATORS or len(op.inputs) != 2 or not makes_floats(graph, op) or not case.on_gpu(graph, op):
            continue
        for position in (1, 0):
            constant = ranges.constants.behind(graph, op.inputs[position])
            if constant is None or ranges.constants.behind(graph, op.inputs[1 - position]) is not None:
                continue
            facts = ranges.constants.facts(graph, constant)
            if facts is not None and math.isfinite(facts.peak):
                yield from _judged(case, ranges, graph, op, position, facts)


def _judged(
    case: Case, ranges: Ranges, graph: Subgraph, op: Operator, position: int, facts: Facts
) -> Iterator[Finding]:
    data, constant = op.inputs[1 - position], op.inputs[position]
    where = place(graph, op, (data, constant))
    name = f"{op.name} {'of' if op.name == 'DIV' and position == 0 else 'by' if op.name in ('MUL', 'DIV') else 'with'}"
    if facts.peak >= OVERFLOW:
        found = _overflow(ranges, graph, op, position, facts)
        if found is not None:
            outcome, advice = found
            yield stored(
                case,
                RULE,
                where,
                f"{name} a constant of {number(facts.peak)}, which half precision rounds to infinity: {outcome}",
                advice=advice,
                outcome=outcome,
            )
    elif op.name in ("MUL", "DIV") and 0 < facts.peak < 1e-5 and not (op.name == "DIV" and position == 0):
        if folds_into(ranges, graph, op) is not None:
            return
        error = loss(facts.peak)
        if error <= LIMIT:
            return
        gone = facts.peak <= VANISHING
        joins = any(reader.name in ("ADD", "SUB") for reader in graph.readers(op.outputs[0]))  # a term among others
        becomes = "rounds to 0" if gone else f"rounds by {percent(error)}"
        effect = ": the result is " + ("0" if op.name == "MUL" else "infinite or NaN") if gone else ""
        yield stored(
            case,
            RULE,
            where,
            f"{name} a constant of {number(facts.peak)}, which half precision {becomes}{effect}",
            advice="split the factor into two that are both above 1e-4, one operator each",
            outcome=f"off by {percent(min(error, 1.0))}",
            severity=Severity.ERROR if error >= 0.1 and not joins else Severity.WARNING,
        )
    elif op.name in ("ADD", "SUB") and facts.peak > OVERFLOW - HEADROOM:
        values = ranges.likely(graph, data)
        worst = ranges.worst(graph, op.outputs[0])
        turned = 1 if (facts.highest == facts.peak) == (op.name == "ADD" or position == 0) else -1
        if worst.peak < OVERFLOW or absorbed(ranges.patterns, graph, op.outputs[0], turned):
            return
        if values.known and ranges.likely(graph, op.outputs[0]).peak < OVERFLOW:
            return
        yield stored(
            case,
            RULE,
            where,
            f"{name} a constant of {number(facts.peak)} overflows from |x| = {number(OVERFLOW - facts.peak)} on",
            advice="use a constant of at most 60000",
            outcome="infinity",
            severity=Severity.WARNING,
        )


def _overflow(ranges: Ranges, graph: Subgraph, op: Operator, position: int, facts: Facts) -> tuple[str, str] | None:
    """What comes out and what to do, or None where it does not matter."""
    output = op.outputs[0]
    if op.name == "DIV":
        if position == 1:
            return "the result is 0", "divide twice, by factors below 65504"
        return "the result is infinite", f"divide a constant of at most {LARGEST:.0f} and multiply the result"
    if op.name == "MUL":
        if leads_to_softmax(ranges, graph, output):
            return None  # fp16-mask says it
        if folds_into(ranges, graph, op) is not None:
            return None  # fp16-weight-range says it
        return (
            "the result is infinite for every x, and NaN where x is 0",
            "multiply by a constant of at most 65504, or split the factor so that every product fits",
        )
    if op.name == "SQUARED_DIFFERENCE":
        return "the result is infinite", "scale both operands down first"
    up = op.name == "ADD" or position == 0
    signs = [sign for sign, end in ((1, facts.highest), (-1, -facts.lowest)) if end >= OVERFLOW]
    if all(absorbed(ranges.patterns, graph, output, sign if up else -sign) for sign in signs):
        return None
    return "the result is infinite", "use a constant of at most 60000, or clip what the sum is used for"
