"""A constant operand that half precision does not hold.

## What it reports
A constant of magnitude 65520 or more that is multiplied, added, subtracted, divided by or divided, or is the slope of
a PRELU or the divisor of a FLOOR_MOD, or is joined, selected or looked up and then computed with; a padding value
beyond 65504; a factor or divisor so small that rounding moves it by more than 1 %; an addition so close to 65504 that
ordinary values overflow.

## Why it matters
The GPU stores constants as halves. From 65520 on they are infinite: `x * 1e9` is infinite for every x and NaN for 0,
however small the result would be, `x + 1e5` is infinite, and `x / 1e5` is 0. Below 6.1e-5 they lie on a grid of 6e-8:
a factor of 1e-6 is off by 1.3 %, 1e-7 by 19 %, and 2.9e-8 is 0. Operators that are fused into one kernel still
overflow in between: `x * 300 / 300` is infinite from x = 219. The padding value of PADV2 is written into the kernel's
source: beyond 65504 it does not compile, nothing is said, and the whole output is 0. Measured on WebGPU on 2.1.2 to
2.3.0; the storage is the same on every backend.

No finding: a bound of MAXIMUM or MINIMUM that no value reaches; a constant that SOFTMAX or a bound takes for very low
or high; a PADV2 that a pool, a convolution or a sum takes over (see `pad-before-pool`, `padded-value-before-conv`); a
sum that is clipped again (`min(x + 1e5, 1000)`). A constant mask in front of SOFTMAX is `fp16-mask`'s, and a factor
next to a layer `fp16-weight-range`'s: it folds into the weights.

## What to do
Split the factor, so that each part and each product fits:

```python
y = x * 1e-8                      # 0 on the GPU
y = (x * 1e-4) * 1e-4             # right while the result itself fits
```

```python
x = F.pad(x, (1, 1, 1, 1), value=-60000.0)       # not -1e9, nor minus infinity
```

A large addition that is taken away again should be dropped.

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
from ..linter.patterns import scaled
from ..linter.ranges import Ranges, ranges_of
from ._delegated import delegate_graphs
from ._folded import folds_into
from ._masks import leads_to_softmax
from ._precision import accumulated, is_float, makes_floats, number, percent, stored

RULE = Rule(
    id="fp16-overflow-constant",
    summary="a constant operand that half precision does not hold",
    kind=Kind.PRECISION,
    severity=Severity.ERROR,
    since="0.1.0",
)

OPERATORS = ("ADD", "DIV", "FLOOR_MOD", "MUL", "PRELU", "SQUARED_DIFFERENCE", "SUB")
CARRIERS = (
    "CONCATENATION", "EMBEDDING_LOOKUP", "FILL", "GATHER", "MAXIMUM", "MINIMUM", "ONE_HOT", "PACK", "SELECT",
    "SELECT_V2",
)  # fmt: skip
"""Operators that hand a constant on."""
LOOKUPS = ("EMBEDDING_LOOKUP", "GATHER", "SELECT", "SELECT_V2")
"""Those of them that may leave the large values out."""
LIMIT = 0.01
"""Relative error that is reported."""
HEADROOM = 64
"""A sum with a constant this close to the largest half overflows for ordinary values."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for graph, op in case.operators("PADV2", *CARRIERS, *OPERATORS):
        if not makes_floats(graph, op) or not case.on_gpu(graph, op):
            continue
        if op.name == "PADV2":
            yield from _padding(case, ranges, graph, op)
        if op.name in CARRIERS:
            yield from _carried(case, ranges, graph, op)
        if op.name not in OPERATORS or len(op.inputs) != 2:
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
    elif op.name in ("MUL", "DIV") and 0 < facts.peak < 1e-5:
        if folds_into(ranges, graph, op) is not None or _is_negligible(ranges, graph, op, data):
            return
        error = loss(facts.peak)
        if error <= LIMIT:
            return
        gone = facts.peak <= VANISHING
        joins = any(reader.name in ("ADD", "SUB") for reader in graph.readers(op.outputs[0]))  # a term among others
        becomes = "rounds to 0" if gone else f"rounds by {percent(error)}"
        zero = op.name == "MUL" or position == 0
        effect = ": the result is " + ("0" if zero else "infinite or NaN") if gone else ""
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
        if worst.peak < OVERFLOW or ranges.absorbed(graph, op.outputs[0], turned):
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


def _is_negligible(ranges: Ranges, graph: Subgraph, op: Operator, data: int) -> bool:
    """Whether what is left of a tensor is only ever added to the tensor itself."""
    made = op.outputs[0]
    readers = graph.readers(made)
    source = scaled(ranges.patterns, graph, data)[0]
    return (
        op.name == "MUL"
        and bool(readers)
        and made not in graph.outputs
        and all(
            reader.name in ("ADD", "SUB")
            and any(scaled(ranges.patterns, graph, index)[0] == source for index in reader.inputs if index != made)
            for reader in readers
        )
    )


def _carried(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """A large constant that is joined, selected or looked up, and computed with."""
    for index in op.inputs:
        constant = ranges.constants.behind(graph, index)
        facts = ranges.constants.facts(graph, constant) if constant is not None and is_float(constant) else None
        if facts is None or not OVERFLOW <= facts.peak < math.inf:
            continue
        if op.name in ("MAXIMUM", "MINIMUM") and ranges.worst(graph, op.outputs[0]).certain < OVERFLOW:
            continue  # a bound that is not reached
        signs = [sign for sign, end in ((1, facts.highest), (-1, -facts.lowest)) if end >= OVERFLOW]
        if all(ranges.absorbed(graph, op.outputs[0], sign) for sign in signs):
            continue
        rare = op.name in ("SELECT", "SELECT_V2") or min(abs(facts.lowest), abs(facts.highest)) < OVERFLOW
        yield stored(
            case,
            RULE,
            place(graph, op, (index, op.outputs[0])),
            f"{op.name} brings in a constant of {number(facts.peak)}, which half precision rounds to infinity",
            advice="use a constant of at most 65504, or scale it down and what is computed from it up",
            outcome="infinity",
            severity=Severity.WARNING if rare and op.name in LOOKUPS else Severity.ERROR,
        )


def _padding(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """A padding value in the source of a kernel, which then does not compile."""
    value = ranges.constants.scalar(graph, op.inputs[2]) if len(op.inputs) > 2 else None
    if value is None or abs(value) <= LARGEST:
        return
    for found in delegate_graphs(case):
        if found.graph is graph and any(padding.operator is op for padding in found.paddings):
            return  # the reader takes the padding over
    yield accumulated(
        case,
        RULE,
        place(graph, op, (op.inputs[0], op.outputs[0])),
        f"the padding value of this PADV2 is {number(value)}, which no half holds: its kernel does not compile, and "
        "the whole output is 0",
        advice=f"pad with {'-60000' if value < 0 else '60000'}: it is as good as any value beyond",
        outcome="the whole output is 0",
        severity=Severity.ERROR,
    )


def _overflow(ranges: Ranges, graph: Subgraph, op: Operator, position: int, facts: Facts) -> tuple[str, str] | None:
    """What comes out and what to do, or None where it does not matter."""
    output = op.outputs[0]
    if op.name == "DIV":
        if position == 1 and min(abs(facts.lowest), abs(facts.highest)) < OVERFLOW / 100:
            return None  # next to nothing beside the other channels
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
    if op.name in ("FLOOR_MOD", "PRELU"):
        if position == 0:
            return None
        return "the result is NaN", "use a constant of at most 65504"
    if op.name == "SQUARED_DIFFERENCE":
        return "the result is infinite", "scale both operands down first"
    up = op.name == "ADD" or position == 0
    signs = [sign for sign, end in ((1, facts.highest), (-1, -facts.lowest)) if end >= OVERFLOW]
    if all(ranges.absorbed(graph, output, sign if up else -sign) for sign in signs):
        return None
    return "the result is infinite", "use a constant of at most 60000, or clip what the sum is used for"
