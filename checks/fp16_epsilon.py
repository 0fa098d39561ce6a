"""An epsilon that half precision rounds to 0.

## What it reports
A constant below 3e-8 that is added, or taken as a lower bound, to keep a division, a square root or a logarithm away
from 0; one below 1e-6 that rounding moves by more than 2 %.

## Why it matters
Constants of up to 2.98e-8 are 0 in half precision: 1e-8, 1e-10, 1e-12. A row of zeros, from padding, RELU or a mask,
is then divided by 0: NaN, in ADD and MAXIMUM alike, before RSQRT or SQRT and behind the square root; a logarithm gives
minus infinity. Only that row is lost. Rows around 1e-4 are wrong by 4 to 30 % with an epsilon of 3e-8 to 1e-7.
Measured on WebGPU on 2.1.2 to 2.3.0; the storage is the same on every backend.

No finding: the one form of LayerNorm that the delegate fuses and computes in fp32 inside (see `fp16-overflow-norm`),
which is right with any epsilon.

## What to do
```python
nn.LayerNorm(c, eps=1e-6)                               # at least 1e-7: no NaN; at least 1e-6: keeps its value
x / x.norm(dim=-1, keepdim=True).clamp_min(1e-6)        # F.normalize has 1e-12
```

## What it cannot see
Whether a row of zeros occurs: a warning. An epsilon that is computed, or larger than 64 kB.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import VANISHING, rounded
from ..linter.model import Operator, Subgraph
from ..linter.patterns import MOVES
from ..linter.ranges import ranges_of
from ._precision import fused, makes_floats, number, percent, stored

RULE = Rule(
    id="fp16-epsilon",
    summary="an epsilon that half precision rounds to 0",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)


LIMITS = {"root": 0.02, "divisor": 0.01, "logarithm": 0.01}
"""Relative errors that are reported, by use. 1e-6, which is advised for roots, is off by 1.3 %."""


COARSE = 0.3
"""The same for an epsilon that is added to a divisor."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for graph, op in case.operators("ADD", "MAXIMUM"):
        if len(op.inputs) != 2 or not makes_floats(graph, op):
            continue
        for constant, data in (op.inputs, op.inputs[::-1]):
            tensor = ranges.constants.behind(graph, constant)
            if tensor is None or ranges.constants.behind(graph, data) is not None or not case.on_gpu(graph, op):
                continue
            facts = ranges.constants.facts(graph, tensor)
            if facts is None or facts.lowest != facts.highest or not 0 < facts.lowest < 2e-6:
                continue
            use = _use(graph, op)
            norm = ranges.patterns.in_norm.get((graph.index, op.index))
            if use is None or (norm is not None and fused(case, norm)) or ranges.worst(graph, data).lo > 1e-5:
                continue
            yield from _judged(case, graph, op, constant, data, facts.lowest, use)


def _use(graph: Subgraph, op: Operator) -> str | None:
    """What the sum is for: `root`, `divisor` or `logarithm`."""
    for reader in graph.readers(op.outputs[0]):
        if reader.name in MOVES and reader.outputs:
            return _use(graph, reader)
        if reader.name == "RSQRT" or (reader.name == "POW" and reader.inputs[0] == op.outputs[0]):
            return "root"
        if reader.name == "SQRT" and reader.outputs:
            for last in graph.readers(reader.outputs[0]):
                if last.name in ("ADD", "MAXIMUM") or (last.name == "DIV" and last.inputs[-1] == reader.outputs[0]):
                    return "root"
        if reader.name == "DIV" and reader.inputs[-1] == op.outputs[0]:
            producers = [graph.producer(index) for index in op.inputs if index >= 0]
            return "root" if any(made is not None and made.name == "SQRT" for made in producers) else "divisor"
        if reader.name == "LOG":
            return "logarithm"
    return None


def _judged(
    case: Case, graph: Subgraph, op: Operator, constant: int, data: int, epsilon: float, use: str
) -> Iterator[Finding]:
    where = place(graph, op, (data, constant))
    stands = rounded(epsilon)
    if epsilon <= VANISHING:
        gives = "minus infinity" if use == "logarithm" else "NaN or infinity"
        yield stored(
            case,
            RULE,
            where,
            f"the epsilon {number(epsilon)} is 0 in half precision: where {_label(graph, data)} is 0 the result is "
            f"{gives}",
            advice="raise the epsilon to 1e-6 (from 1e-7 on there is no NaN, from 1e-6 on it keeps its value)",
            outcome=f"{gives} on rows of zeros",
            severity=Severity.WARNING,
        )
        return
    off = abs(stands - epsilon) / epsilon
    if use == "logarithm":
        off = abs(math.log(stands / epsilon)) / abs(math.log(epsilon))
    # Next to an epsilon that is added, the values themselves are as coarse.
    if off <= (COARSE if use == "divisor" and op.name == "ADD" else LIMITS[use]):
        return
    yield stored(
        case,
        RULE,
        where,
        f"the epsilon {number(epsilon)} is {number(stands)} in half precision, which moves small results by "
        f"up to {percent(off)}",
        advice="raise the epsilon to 1e-6 or more",
        outcome=f"rows near the epsilon off by up to {percent(off)}",
        severity=Severity.WARNING,
    )


def _label(graph: Subgraph, index: int) -> str:
    return graph.label(index) or f"tensor {index}"
