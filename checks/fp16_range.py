"""Values beyond what half precision holds, in an operator or a function written out.

## What it reports
Where the values are known (from `--input-range`, bounded functions, quantization or small constants): an input, an
elementwise operator, a convolution or a product that passes 65504 or stays below 3e-6, what the GPU gets from the CPU,
logits so large that their digits are lost before SOFTMAX, squares that vanish, a logarithm of shares that vanish.
Where they are not: a softmax, log-sum-exp, softplus or tanh written out with an EXP that nothing bounds, and attention
scores that are scaled only after the product.

## Why it matters
EXP is infinite from 11.09 on and 0 below -17.3, a square is infinite from 256 on, a cube from 40.4 on, 1/x below
1.53e-5, RSQRT and LOG of 2.98e-8 or less: LOG(SOFTMAX(x)) where logits are 17 apart. Below 3e-6 values are off by more
than 1 %. EXP / SUM(EXP) over 64 entries gives NaN from a logit of 11.09 on, and is off by 7 % where all are 7 (the
sum); `log(1 + exp(x))` and `(exp(2x) - 1) / (exp(2x) + 1)` are infinite or NaN from 11.09 and 5.6 on. Scores q·kᵀ
overflow before `* 1/sqrt(d)` once q and k are around 50. Logits from 64 on come out of SOFTMAX off by 1 to 2 %, from
128 on by 2 to 5 %, and near 300 by 11 %. Measured on WebGPU on 2.1.2 to 2.3.0; the storage is the same on every
backend.

## What to do
```python
torch.softmax(x, -1)                                 # the operator: right at any magnitude
torch.logsumexp(x, -1)                               # subtract the maximum: right to 1e4
F.relu(x) + torch.log(1 + torch.exp(-x.abs()))       # softplus: right
(q * d**-0.5) @ k.transpose(-1, -2)                  # scale before the product: right to |q|, |k| around 400
```

No finding: a function that turns the infinity into the right value (`1 / (1 + exp(-x))`, `tanh(x**3)`, a clipped sum).

## What it cannot see
Values that nothing bounds. Where weights are too large to be read, nothing is known behind them. Sums and norms have
rules of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constant_facts import contraction
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import LARGEST, OVERFLOW, SMALLEST, VANISHING, spacing
from ..linter.model import Operator, Subgraph
from ..linter.patterns import Form, origin, scaled
from ..linter.ranges import ELEMENTWISE, UNKNOWN, Range, Ranges, ranges_of
from ._folded import folds_into
from ._precision import accumulated, fused, is_float, makes_floats, number, percent, span, stored

RULE = Rule(
    id="fp16-range",
    summary="values beyond what half precision holds",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

EXP_LIMIT = 11.09
DOT_LIMIT = LARGEST - 16
"""A sum that is rounded at every term passes the largest half a little earlier."""
FAINT = 0.015
"""Relative error of a sum of squares that is reported."""
LOST, CLOSE = 128.0, 64.0
"""Logits that reach this far have steps of 0.125 or 0.0625, and probabilities are off by 1 to 5 %: values that are
spread out, and values that are all that large."""
FAINTEST = 50 * SMALLEST
"""Values that stay below this are off by 1 % or more."""
DOTS = ("BATCH_MATMUL", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")
REACHING = ("LOGISTIC", "SOFTMAX")
"""Their least results are reached where their operand is far out."""
JUDGED = frozenset(ELEMENTWISE) | {
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "POW",
    "SQUARED_DIFFERENCE",
    "MEAN",
    "REDUCE_PROD",
    "CUMSUM",
    *DOTS,
}
ADVICE = {
    "EXP": "subtract the greatest value before EXP, or clip its operand at 11",
    "LOG": "bound the operand from below (MAXIMUM with 1e-6), or take LOG_SOFTMAX of the logits",
    "RSQRT": "bound the operand from below (MAXIMUM with 1e-6)",
    "DIV": "keep the divisor above 1e-4, or scale the numerator down first",
    "MUL": "scale one factor down before the product, and undo it where the values are small again",
    "SQUARE": "scale the operand down before it is squared",
}


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    yield from _unknown_names(case)
    yield from _inputs(case, ranges)
    yield from _written(case, ranges)
    yield from _vanishing(case, ranges)
    for graph, op in case.operators("SOFTMAX", *JUDGED):
        if op.name == "SOFTMAX":
            yield from _logits(case, ranges, graph, op)
        elif makes_floats(graph, op):
            if (graph.index, op.index) in ranges.patterns.in_norm or not case.on_gpu(graph, op):
                continue
            if (graph.index, op.index) not in ranges.patterns.in_exp:
                yield from _operator(case, ranges, graph, op)
            if op.name == "BATCH_MATMUL":
                yield from _scores(case, ranges, graph, op)


def _unknown_names(case: Case) -> Iterator[Finding]:
    """A range that is stated for no input."""
    names = {
        name
        for graph in case.model.subgraphs
        for index in graph.inputs
        if 0 <= index < len(graph.tensors)
        for name in (graph.label(index), graph.tensors[index].name)
    }
    for name, _, _ in case.settings.input_ranges:
        if name not in names:
            yield RULE.finding(
                None,
                f"a range is stated for {name}, which is no input of this model",
                advice="inputs: " + ", ".join(sorted(name for name in names if name)),
                severity=Severity.INFO,
            )


def _entering(case: Case, ranges: Ranges) -> Iterator[tuple[Subgraph, int, str]]:
    """Tensors of known values that the GPU is given: stated inputs, and what operators on the CPU make."""
    for graph_index, index in sorted(ranges.stated):
        graph = case.model.subgraphs[graph_index]
        yield graph, index, f"input {graph.label(index)}"
    for graph, op in case.operators():
        for index in op.outputs:
            if index >= 0 and ranges.likely(graph, index).known and not case.on_gpu(graph, op):
                yield graph, index, f"{graph.label(index)}, which comes from the CPU,"


def _inputs(case: Case, ranges: Ranges) -> Iterator[Finding]:
    """Values that half precision does not hold already where they enter the GPU."""
    for graph, index, name in _entering(case, ranges):
        values, readers = ranges.likely(graph, index), [op for op in graph.readers(index) if case.on_gpu(graph, op)]
        if not readers or not is_float(graph.tensors[index]):
            continue
        signs = [sign for sign, end in ((1, values.hi), (-1, -values.lo)) if end >= OVERFLOW]
        if signs and not all(ranges.absorbed(graph, index, sign) for sign in signs):
            yield stored(
                case,
                RULE,
                place(graph, readers[0], (index,)),
                f"{name} holds {span(values)}: from 65520 on half precision rounds to infinity",
                advice="scale it down",
                outcome="infinity",
                severity=Severity.WARNING,
            )
        elif 0 < values.peak < FAINTEST:
            yield stored(
                case,
                RULE,
                place(graph, readers[0], (index,)),
                f"{name} holds {span(values)}: so small that half precision rounds it by "
                f"{percent(SMALLEST / 2 / values.peak)}",
                advice="scale it up",
                outcome="1.3 % at 1e-6",
                severity=Severity.WARNING,
            )


def _operator(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """One operator whose operands are known."""
    operands = [ranges.likely(graph, index) for index in op.inputs if index >= 0]
    made = ranges.likely(graph, op.outputs[0])
    if op.name in DOTS:
        if any(folds_into(ranges, graph, reader) is op for reader in graph.readers(op.outputs[0])):
            return  # only the product with the factor behind it is ever computed
        yield from _partial(case, ranges, graph, op)
        made = ranges.products.get((graph.index, op.index), made)
        if not made.known:
            return
    elif not all(values.known for values in operands):
        return
    else:
        layer = folds_into(ranges, graph, op)
        if layer is not None and layer.index > op.index:
            return  # goes into the weights behind it, and is never stored
        if layer is None and any(values.peak >= OVERFLOW for values in operands):
            return
    if op.name in ("RSQRT", "LOG") or (op.name == "DIV" and len(operands) == 2):
        below = operands[-1]
        if below.lo <= 0 <= below.hi:
            return
        source = scaled(ranges.patterns, graph, op.inputs[0])[0]
        maker = graph.producer(source)
        reached = (graph.index, source) in ranges.stated or (maker is not None and maker.name in REACHING)
        if op.name in ("RSQRT", "LOG") and reached and 0 < below.lo <= VANISHING:
            made = UNKNOWN
        elif op.name == "DIV" and _sources(graph, op.inputs[0]) & _sources(graph, op.inputs[1]):
            return  # large over large, small over small
    elif made == UNKNOWN:
        return
    where = place(graph, op, (*(index for index in op.inputs if index >= 0), op.outputs[0]))
    data = span(operands[0])
    if made.peak >= (DOT_LIMIT if op.name in DOTS else OVERFLOW):
        signs = [sign for sign, end in ((1, made.hi), (-1, -made.lo)) if end >= DOT_LIMIT]
        base = scaled(ranges.patterns, graph, op.inputs[0])[0]
        if all(ranges.absorbed(graph, op.outputs[0], sign, base) for sign in signs):
            return
        reach = "gives beyond any half" if math.isinf(made.peak) else f"gives {span(made)}"
        said = f"{reach}: infinite in half precision from 65520 on"
        if made == UNKNOWN:
            said = "is infinite where its operand is 2.98e-8 or less, which is 0 in half precision"
        yield stored(
            case,
            RULE,
            where,
            f"{op.name} of {data} {said}",
            advice=ADVICE.get(op.name, "scale the values down before, and back where they are small again"),
            outcome="infinity",
            severity=Severity.ERROR if ranges.worst(graph, op.outputs[0]).certain >= OVERFLOW else Severity.WARNING,
        )
    elif 0 < made.peak < FAINTEST and op.name not in DOTS and not _joins(ranges, graph, op):
        if any(0 < values.peak < FAINTEST for values in operands):
            return  # said where that came from
        becomes = "0" if made.peak <= VANISHING else f"off by {percent(SMALLEST / 2 / made.peak)} or more"
        yield stored(
            case,
            RULE,
            where,
            f"{op.name} of {data} gives at most {number(made.peak)}, which is {becomes} in half precision",
            advice="scale the values up before, or add logarithms",
            outcome="0 up to 2.98e-8, 3 % off at 1e-6",
            severity=Severity.WARNING,
        )


def _sources(graph: Subgraph, index: int) -> set[int]:
    """The tensor and what it was computed from, a few operators back."""
    found, waiting = set[int](), {index}
    for _ in range(6):
        found |= waiting
        makers = [graph.producer(made) for made in waiting]
        waiting = {
            made
            for op in makers
            if op is not None
            for made in op.inputs
            if made >= 0 and not graph.tensors[made].constant and made not in found
        }
    return found


def _joins(ranges: Ranges, graph: Subgraph, op: Operator) -> bool:
    """Whether what an operator makes is only ever added to what is larger."""
    made = op.outputs[0]
    readers = graph.readers(made)
    return (
        bool(readers)
        and made not in graph.outputs
        and all(
            reader.name in ("ADD", "SUB", "MAXIMUM")
            and any(ranges.likely(graph, index).peak > FAINTEST for index in reader.inputs if index != made)
            for reader in readers
        )
    )


def _partial(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """A sum of products that cancels, but passes 65504 on the way."""
    found = contraction(graph, op)
    if found is None:
        return
    position, terms, step = found
    weights = ranges.constants.behind(graph, op.inputs[position])
    data = ranges.likely(graph, op.inputs[2 if op.name == "TRANSPOSE_CONV" else 1 - position])
    if weights is None or not data.known or data.certain == 0:
        return
    row = ranges.constants.first_row(graph, weights, terms, step)
    if not row:
        return
    positive = sum(weight for weight in row if weight > 0)
    negative = positive - sum(row)
    height, rest = max(positive, negative) * data.certain, abs(positive - negative) * data.peak
    where = place(graph, op, (op.inputs[1 - position], op.inputs[position]))
    if min(positive, negative) == 0:
        return
    said = f"the terms of one sign of this {op.name} add up to {number(height)} or more"
    if height >= OVERFLOW > rest:
        yield accumulated(
            case,
            RULE,
            where,
            said + ": a partial sum may pass 65504 although the result is small",
            advice="scale the operand down before it, and the result up",
            outcome="infinity where one partial sum passes 65504",
        )
    elif rest < height and spacing(height) / 2 > 0.01 * rest:
        yield accumulated(
            case,
            RULE,
            where,
            f"{said} and cancel with the others to {number(rest)}: partial sums are rounded to steps of "
            f"{number(spacing(height))}",
            advice="subtract the common part of the operand first",
            outcome="6 to 60 % where the halves of 1024 to 4096 terms cancel",
        )


def _written(case: Case, ranges: Ranges) -> Iterator[Finding]:
    """Functions written out with EXP."""
    for found in ranges.patterns.exps:
        graph = case.model.subgraphs[found.graph]
        exp = found.exp
        if found.shifted or not makes_floats(graph, exp) or not case.on_gpu(graph, exp):
            continue
        if found.form is Form.SOFTPLUS and ranges.absorbed(graph, found.last.outputs[0], 1):
            continue  # mish: TANH of infinity is 1
        source, factor = scaled(ranges.patterns, graph, exp.inputs[0])
        values = ranges.likely(graph, exp.inputs[0])
        limit = EXP_LIMIT / abs(factor)
        sums = found.form in (Form.SOFTMAX, Form.LOG_SUM_EXP)
        said = f"overflows above {graph.label(source)} = {number(limit if factor > 0 else -limit)}"
        if values.known:
            total = _total(ranges, graph, exp) if sums else None
            if values.hi >= EXP_LIMIT:
                ending = f"; its operand is {span(values)}"
            elif total is not None and total.peak >= OVERFLOW:
                said, ending = (
                    f"has a sum of up to {number(total.peak)}, beyond 65504",
                    f"; its operand is {span(values)}",
                )
            elif sums and values.hi <= -17.3:
                said, ending = "is 0 everywhere, and divided by 0", f"; its operand is {span(values)}"
            else:
                continue
        elif ranges.worst(graph, exp.inputs[0]).hi <= 0:
            continue
        else:
            ending = ""
        yield stored(
            case,
            RULE,
            place(graph, exp, (exp.inputs[0], exp.outputs[0])),
            f"the EXP of this {found.form.value} written out {said}{ending}",
            advice={
                Form.SOFTMAX: "use the SOFTMAX operator, or subtract REDUCE_MAX first: right at any magnitude",
                Form.LOG_SUM_EXP: "subtract REDUCE_MAX before EXP and add it behind LOG: right to 1e4",
                Form.SOFTPLUS: "RELU(x) + LOG(1 + EXP(-ABS(x))): right at any magnitude",
                Form.TANH: "use the TANH operator",
            }[found.form],
            outcome="infinity or NaN",
            severity=Severity.WARNING,
        )


def _total(ranges: Ranges, graph: Subgraph, exp: Operator) -> Range | None:
    for reader in graph.readers(exp.outputs[0]):
        if reader.name == "SUM" and reader.outputs:
            return ranges.likely(graph, reader.outputs[0])
    return None


def _logits(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """Logits whose neighbours are far apart. What is far below the greatest does not matter (a mask)."""
    values = ranges.likely(graph, op.inputs[0])
    limit = CLOSE if values.lo >= values.hi / 2 else LOST
    producer = graph.producer(origin(graph, op.inputs[0]))
    clipped = producer is not None and producer.name == "MINIMUM" and math.isinf(values.lo)
    if clipped or values.lo == values.hi or not limit <= abs(values.hi) < OVERFLOW:
        return
    if not makes_floats(graph, op) or not case.on_gpu(graph, op):
        return
    step = spacing(values.hi)
    yield stored(
        case,
        RULE,
        place(graph, op, (op.inputs[0],)),
        f"the logits of this SOFTMAX reach {number(values.hi)}, where halves are {number(step)} apart: probabilities "
        f"of close ones are off by up to {percent(min(math.expm1(step / 2), 1.0))}",
        advice="subtract a common value, or scale the logits down, before they are stored",
        outcome="1 to 2 % for logits from 64 on, 11 % near 300",
        severity=Severity.WARNING,
    )


def _scores(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """q times k, scaled only afterwards."""
    found = contraction(graph, op)
    if found is None or any(ranges.constants.behind(graph, index) is not None for index in op.inputs[:2]):
        return
    if (graph.index, op.index) in ranges.products:
        return  # judged by its values
    left = graph.producer(origin(graph, op.inputs[0]))
    if left is not None and left.name == "SOFTMAX":
        return
    for reader in graph.readers(op.outputs[0]):
        factor = scaled(ranges.patterns, graph, reader.outputs[0])[1] if reader.name in ("MUL", "DIV") else 1.0
        if not 0 < abs(factor) < 1:
            continue
        limit = math.sqrt(LARGEST / 4 / math.sqrt(max(found[1], 1)))
        yield stored(
            case,
            RULE,
            place(graph, op, (*op.inputs[:2], op.outputs[0])),
            f"the product of {found[1]} terms is scaled by {number(factor)} only afterwards: it overflows when both "
            f"operands have a standard deviation of about {number(limit)}",
            advice="scale one operand before the BATCH_MATMUL (q * d^-0.5): exact for powers of two",
            outcome="infinity from a standard deviation of 60 on (64 terms)",
            severity=Severity.INFO,
        )
        return


def _vanishing(case: Case, ranges: Ranges) -> Iterator[Finding]:
    """Squares of a norm that are too small for halves, next to an epsilon that is smaller still."""
    for norm in ranges.patterns.norms:
        graph = case.model.subgraphs[norm.graph]
        values = ranges.likely(graph, norm.source)
        if fused(case, norm) or not values.known or values.peak == 0 or not case.on_gpu(graph, norm.square):
            continue
        spread = values.deviation**2 + (0.0 if norm.centred else values.middle**2)
        total = spread * (1 if norm.mean else norm.terms)
        epsilon = norm.epsilon or 0.0
        covered = norm.epsilon_op is not None and norm.epsilon_op.name == "MAXIMUM" and total < epsilon
        if covered or not spread:
            continue
        if min(SMALLEST / 2 / spread, 1.0) * total / (total + epsilon) < FAINT:
            continue
        yield stored(
            case,
            RULE,
            place(graph, norm.square, (norm.source, norm.square.outputs[0])),
            f"the squares of this {norm.title} are around {number(spread)}, below what half precision resolves (6e-8)",
            advice="scale the input up before it is squared, or raise the epsilon to 1e-5",
            outcome="47 % for an L2 norm of values around 1e-4",
            severity=Severity.WARNING,
        )
