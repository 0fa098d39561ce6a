"""Weights or a bias outside the range of half precision.

## What it reports
Float weights or a bias of magnitude 65520 or more, or all so small that rounding moves the greatest by more than 1 %;
int8 weights of FULLY_CONNECTED whose scale is 257 or more, or rounds by more than 1 %; a constant MUL right before or
behind the layer counts as part of its weights, because the delegate folds it into them.

## Why it matters
Weights are stored as halves: from 65520 on they are infinite, up to 2.98e-8 they are 0, and 1e-7 is off by 18 %. An
int8 FULLY_CONNECTED keeps the scale as a half and multiplies it by up to 255: from 257 on it overflows (127 * s of
32000 is right, 33000 is not), and a scale of 1e-6 is off by 1.3 %, 2e-7 by 11 %. Measured on WebGPU on 2.1.2 to 2.3.0;
the storage is the same on every backend.

## What to do
Scale the weights of this layer, and undo it with a factor that is not folded back. A DIV is not, nor is a MUL with
something between it and the layer; a MUL right before or behind it is.

```python
y = layer_with_weights_over_16(x / 0.0625)                  # weights of 7e4: right
y = layer_with_weights_over_16(F.relu(layer_before_times_16(x)))   # a positive factor passes RELU
```

## What it cannot see
Weights above 64 kB, and those of a large model beyond its first megabyte of constants. Weights that are FLOAT16 in the
file were rounded when it was written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constant_facts import LEVELS, contraction
from ..linter.constants import scales
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import OVERFLOW, VANISHING, loss
from ..linter.model import Operator, Subgraph, Tensor
from ..linter.ranges import Ranges, ranges_of
from ._folded import FOLDERS, factor_of
from ._precision import number, percent, stored

RULE = Rule(
    id="fp16-weight-range",
    summary="weights or a bias outside the range of half precision",
    kind=Kind.PRECISION,
    severity=Severity.ERROR,
    since="0.1.0",
)

SCALE_LIMIT = 257.0
"""255 times this is beyond the largest half."""
LIMIT = 0.01


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    for graph, op in case.operators(*FOLDERS, "BATCH_MATMUL"):
        found = contraction(graph, op)
        if found is None or not case.on_gpu(graph, op):
            continue
        weights = ranges.constants.behind(graph, op.inputs[found[0]])
        if weights is not None:
            direct = weights.index == op.inputs[found[0]]
            yield from _weights(case, ranges, graph, op, weights, direct)
        bias = 3 if op.name == "TRANSPOSE_CONV" else 2
        if op.name in FOLDERS and len(op.inputs) > bias:
            tensor = ranges.constants.behind(graph, op.inputs[bias])
            facts = ranges.constants.facts(graph, tensor) if tensor is not None else None
            if facts is not None and tensor is not None and not tensor.quantized and OVERFLOW <= facts.peak < math.inf:
                yield _too_large(case, graph, op, op.inputs[bias], "bias", facts.peak)


def _weights(
    case: Case, ranges: Ranges, graph: Subgraph, op: Operator, weights: Tensor, direct: bool
) -> Iterator[Finding]:
    if weights.quantized and weights.type in LEVELS:
        steps = [step for step in scales(case.model, weights) if 0 < step < math.inf]
        if not steps or graph.tensors[op.outputs[0]].quantized:
            return
        if op.name == "FULLY_CONNECTED" and direct:
            yield from _scale(case, graph, op, weights, max(steps))
            return
        peak = max(steps) * max(-LEVELS[weights.type][0], LEVELS[weights.type][1])
    elif weights.type in ("FLOAT32", "FLOAT16"):
        facts = ranges.constants.facts(graph, weights)
        if facts is None:
            return
        peak = facts.peak
    else:
        return
    factor = factor_of(ranges, graph, op)
    if weights.type == "FLOAT16" and factor == 1:
        return  # rounded when the file was written
    peak *= factor
    if OVERFLOW <= peak < math.inf:
        yield _too_large(case, graph, op, weights.index, "weights" if factor == 1 else "weights times the MUL", peak)
    elif 0 < peak < 3e-6 and loss(peak) > LIMIT:
        yield _too_small(case, graph, op, weights.index, "weights", peak)


def _scale(case: Case, graph: Subgraph, op: Operator, weights: Tensor, step: float) -> Iterator[Finding]:
    if step >= SCALE_LIMIT:
        yield stored(
            case,
            RULE,
            place(graph, op, (weights.index,)),
            f"the {weights.type} weights have a scale of {number(step)}: 255 times that is beyond half precision",
            advice=f"scale the weights so that the scale is below {SCALE_LIMIT:.0f}, and the input by the inverse",
            outcome="infinity and NaN",
        )
    # The rounded scale is not all: 0.93 % gave 1 to 2 % on 2.3.0, and 0.66 % gave 1.6 % on 2.1.3 to 2.1.6.
    elif loss(step) > LIMIT * (0.5 if case.before("2.2.0") else 0.8):
        yield _too_small(case, graph, op, weights.index, "scale of the weights", step)


def _too_large(case: Case, graph: Subgraph, op: Operator, index: int, what: str, peak: float) -> Finding:
    return stored(
        case,
        RULE,
        place(graph, op, (index,)),
        f"{what} of {number(peak)}: half precision rounds them to infinity from 65520 on",
        advice="scale the weights down, and the input up by as much with a DIV (a MUL beside the layer folds back)",
        outcome="infinity and NaN",
    )


def _too_small(case: Case, graph: Subgraph, op: Operator, index: int, what: str, peak: float) -> Finding:
    error = loss(peak)
    becomes = "0" if peak <= VANISHING else f"off by {percent(error)}"
    return stored(
        case,
        RULE,
        place(graph, op, (index,)),
        f"{what} of at most {number(peak)}: half precision makes them {becomes}",
        advice="scale the weights up, and the input down by as much with a DIV (a MUL beside the layer folds back)",
        outcome=becomes,
        severity=Severity.ERROR if error >= 0.1 else Severity.WARNING,
    )
