"""A difference of large values that loses its digits in half precision.

## What it reports
An ADD or SUB (or a bias) whose operands are known to be so much larger than the result that rounding them moves it by
more than 1 %; a constant of 2048 or more that is added and taken away again, or to a tensor that is then taken away; a
variance computed as the mean of squares minus the square of the mean; a normalization that multiplies x and its mean
by the inverse deviation apart, `x * inv + (beta - mean * inv)`, as Keras writes it.

## Why it matters
A half has 11 bits: at 1000 neighbours are 0.5 apart, at 3000 they are 2. `(x + 1) - x` is 0 from x = 2048 on, and `(x
+ 60000) - 60000` is 0 for x = 10. The variance E[x²] - E[x]² is off by 6 % where the mean is ten standard deviations,
by 50 % at thirty, and NaN at three hundred; the mean of the squared difference is right there (0.2 %). The Keras form
of a LayerNorm is off by 1 % where the mean is 12 standard deviations, by 3 % at 30, and a constant row by the size of
beta; with x - mean taken first it is 1 % at 40. An input that sits around 100 with a spread of 1 loses 2 % before
anything is computed. Measured on WebGPU on 2.1.2 to 2.3.0; the storage is the same on every backend.

## What to do
```python
x = x - 1000.0            # outside the model, before the input is rounded
y = (x - mean) * inv * gamma + beta              # not x * (inv * gamma) + (beta - mean * inv * gamma)
var = ((x - x.mean(-1, keepdim=True)) ** 2).mean(-1, keepdim=True)
```

## What it cannot see
Values that nothing bounds: state those of inputs with `--input-range NAME=LO:HI`. A variance by squares without known
values is an information; as part of a LayerNorm it stops the process, which `variance-by-squares` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constant_facts import contraction
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import INTEGERS, OVERFLOW, SMALLEST, rounded, spacing
from ..linter.model import Operator, Subgraph
from ..linter.patterns import MOVES, Norm, origin
from ..linter.ranges import Range, Ranges, added, ranges_of, subtracted
from ._precision import makes_floats, number, percent, span, stored

RULE = Rule(
    id="fp16-cancellation",
    summary="a difference of large values that loses its digits in half precision",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

LIMIT = 0.01
COARSE = 2048.0
LONG, DRIFT = 256, 0.005
"""A sum of that many terms is itself off by about this share."""
REACH = 4
WHOLE = ("INT8", "UINT8", "INT16", "INT32", "INT64")
APART = 12.0
"""Mean over standard deviation at which x * inv - mean * inv is off by 1 %."""
RATIO = 4.4
"""Mean over standard deviation at which E[x²] - E[x]² is off by 1 %: 2^-11 of the squared ratio."""
BIASED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    yield from _variances(case, ranges)
    yield from _apart(case, ranges)
    shifts: set[tuple[int, int]] = set()
    variances = {(graph, op.index) for graph, op, _ in ranges.patterns.variances}
    for graph, op in case.operators("ADD", "SUB", *BIASED):
        if not makes_floats(graph, op) or (graph.index, op.index) in variances or not case.on_gpu(graph, op):
            continue
        if op.name in ("ADD", "SUB") and len(op.inputs) == 2:
            if (graph.index, op.index) in shifts:
                continue
            back = _back(ranges, graph, op)
            if back is None:
                yield from _difference(case, ranges, graph, op)
            else:
                shifts |= {(graph.index, shift.index) for shift in back}
                yield _there_and_back(case, ranges, graph, op)
        elif (graph.index, op.index) in ranges.products:
            yield from _bias(case, ranges, graph, op)


def _difference(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    constants = [ranges.constants.behind(graph, index) is not None for index in op.inputs]
    if all(constants):
        return
    a, b = (ranges.likely(graph, index) for index in op.inputs)
    if a.known and b.known and not all(_exact(ranges, graph, index) for index in op.inputs):
        left = _left(ranges, graph, op)
        made = added(a, b) if op.name == "ADD" else subtracted(a, b) if left is None else Range(left, left)
        peak = max(a.peak, b.peak)
        if peak >= OVERFLOW or made.peak == 0 or peak <= made.peak:
            return
        # A constant is rounded once and for all; two runtime operands are each off by half a step.
        error = spacing(peak) / (2 if any(constants) else 1) / made.peak
        if error < LIMIT:
            return
        yield stored(
            case,
            RULE,
            place(graph, op, op.inputs),
            f"{op.name} of {span(a)} and {span(b)} gives {span(made)}: the operands are rounded to steps of "
            f"{number(spacing(peak))}, {percent(min(error, 1.0))} of the result",
            advice="subtract the common part before the values enter the model",
            outcome="2 % for values around 100 with a spread of 1",
            severity=Severity.WARNING,
        )


def _back(ranges: Ranges, graph: Subgraph, op: Operator) -> list[Operator] | None:
    """The shifts by constants that begin with an operator and, in the end, take most of the greatest away again."""
    chain: list[Operator] = []
    moved = height = 0.0
    current: Operator | None = op
    source = _shift(ranges, graph, op)[0]
    while current is not None and len(chain) < REACH:
        shift = _shift(ranges, graph, current)[1]
        if shift is None:
            break
        chain.append(current)
        moved += shift
        height = max(height, abs(moved))
        if abs(moved) < height / 2 and COARSE <= height < OVERFLOW:
            values = ranges.likely(graph, source)
            reach = max(abs(values.lo + moved), abs(values.hi + moved))
            if not values.known or spacing(height) / 2 >= LIMIT * reach:
                return chain
        readers = [reader for reader in graph.readers(current.outputs[0]) if reader.name in ("ADD", "SUB")]
        current = readers[0] if readers and len(readers[0].inputs) == 2 else None
    return None


def _there_and_back(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Finding:
    """A constant that is added and taken away again."""
    source, shift = _shift(ranges, graph, op)
    return stored(
        case,
        RULE,
        place(graph, op, (source, op.outputs[0])),
        f"{number(abs(shift or 0.0))} is added and taken away again: in between the values are rounded to steps of "
        f"{number(spacing(shift or 0.0))}",
        advice="drop the operators, or add what remains of the constants",
        outcome="0 for x = 10 and a constant of 60000",
        severity=Severity.WARNING,
    )


def _left(ranges: Ranges, graph: Subgraph, op: Operator) -> float | None:
    """The constant that is left of (x + c) - x, where it is stored with another rounding."""
    producer = graph.producer(op.inputs[0])
    if op.name != "SUB" or producer is None or producer.name not in ("ADD", "SUB") or len(producer.inputs) != 2:
        return None
    source, shift = _shift(ranges, graph, producer)
    if shift is None or source != op.inputs[1]:
        return None
    # A multiple of the steps in which the sum is stored arrives whole.
    return None if shift % spacing(ranges.likely(graph, producer.outputs[0]).peak) == 0 else shift


def _exact(ranges: Ranges, graph: Subgraph, index: int) -> bool:
    """Whether half precision holds every value of a tensor: integers, and constants that were chosen so."""
    for _ in range(REACH):
        constant, op = ranges.constants.behind(graph, index), graph.producer(index)
        if constant is not None:
            return all(rounded(value) == value for value in ranges.constants.values(graph, constant) or (math.nan,))
        if op is None or not op.inputs:
            return False
        if op.name == "CAST":
            whole = op.inputs[0] >= 0 and graph.tensors[op.inputs[0]].type in WHOLE
            return whole and ranges.worst(graph, index).peak <= INTEGERS
        if op.name not in MOVES and op.name not in ("GATHER", "EMBEDDING_LOOKUP"):
            return False
        index = op.inputs[1 if op.name == "EMBEDDING_LOOKUP" else 0]
    return False


def _shift(ranges: Ranges, graph: Subgraph, op: Operator) -> tuple[int, float | None]:
    """What an ADD or SUB shifts, and by how much; None where it is no constant shift."""
    left, right = op.inputs
    value = ranges.constants.scalar(graph, right)
    if value is not None:
        return left, value if op.name == "ADD" else -value
    value = ranges.constants.scalar(graph, left)
    return right, value if op.name == "ADD" else None


def _bias(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    bias = 3 if op.name == "TRANSPOSE_CONV" else 2
    if len(op.inputs) <= bias or op.inputs[bias] < 0:
        return
    product = ranges.products[graph.index, op.index]
    made = added(product, ranges.likely(graph, op.inputs[bias]))
    if not product.known or not made.known or product.peak >= OVERFLOW or made.peak >= product.peak:
        return
    found = contraction(graph, op)
    drift = product.peak * DRIFT if found is not None and found[1] >= LONG else 0.0
    if max(spacing(product.peak) / 2, drift) < LIMIT * made.peak:
        return
    yield stored(
        case,
        RULE,
        place(graph, op, op.inputs),
        f"the bias brings a sum of up to {number(product.peak)} back to {span(made)}: the sum is rounded to steps of "
        f"{number(spacing(product.peak))}",
        advice="centre the input before the layer, so that the bias need not",
        outcome="results of 10 lost next to a bias of 60000",
        severity=Severity.WARNING,
    )


def _apart(case: Case, ranges: Ranges) -> Iterator[Finding]:
    """x times the inverse deviation, less the mean times the inverse deviation."""
    unknown: set[int] = set()  # graphs: where nothing is known of the values, one finding speaks for all norms
    for norm in ranges.patterns.norms:
        graph = case.model.subgraphs[norm.graph]
        if not norm.centred or norm.final is not None or not case.on_gpu(graph, norm.root):
            continue
        product = _mean_times_inverse(ranges, graph, norm)
        if product is None or not makes_floats(graph, product):
            continue
        values = ranges.likely(graph, norm.source)
        severity, ending = Severity.INFO, ""
        if not values.known:
            if norm.graph in unknown:
                continue
            unknown.add(norm.graph)
        else:
            if values.peak == 0 or abs(values.middle) < APART * values.deviation:
                continue
            severity, ending = Severity.WARNING, f"; {graph.label(norm.source)} is {span(values)}"
        yield stored(
            case,
            RULE,
            place(graph, product, (norm.source, product.outputs[0])),
            f"this {norm.title} takes mean * inv from x * inv, which cancel: off by 1 % where the mean is 12 standard "
            f"deviations, by 3 % at 30{ending}",
            advice="subtract the mean first: (x - mean) * inv * gamma + beta",
            outcome="3 % at a mean of 30 standard deviations, constant rows by the size of beta",
            severity=severity,
        )


def _mean_times_inverse(ranges: Ranges, graph: Subgraph, norm: Norm) -> Operator | None:
    waiting = [norm.root.outputs[0]]
    for _ in range(REACH):
        if not waiting:
            return None
        index = waiting.pop()
        for op in graph.readers(index):
            if op.name not in ("MUL", "DIV") or len(op.inputs) != 2 or not op.outputs:
                continue
            other = op.inputs[0] if op.inputs[1] == index else op.inputs[1]
            if ranges.patterns.means.get((graph.index, origin(graph, other))) == norm.source:
                return op
            if other != norm.source:
                waiting.append(op.outputs[0])
    return None


def _variances(case: Case, ranges: Ranges) -> Iterator[Finding]:
    for index, op, source in ranges.patterns.variances:
        graph = case.model.subgraphs[index]
        if not makes_floats(graph, op) or not case.on_gpu(graph, op):
            continue
        values = ranges.likely(graph, source)
        severity, ending = Severity.INFO, ""
        if values.known:
            mean, spread = abs(values.middle), values.deviation
            faint = mean**2 + spread**2 < 30 * SMALLEST
            if mean < RATIO * spread and not faint:
                continue
            severity, ending = Severity.WARNING, f"; {graph.label(source)} is {span(values)}"
        yield stored(
            case,
            RULE,
            place(graph, op, (source, op.outputs[0])),
            "the variance is the mean of squares minus the square of the mean: off by 1 % where the mean is 4 standard "
            f"deviations, by 6 % at 10{ending}",
            advice="take the mean of (x - mean)²: 0.2 % off where this is 50 %",
            outcome="6 % at a mean of 10 standard deviations, NaN at 300",
            severity=severity,
        )
