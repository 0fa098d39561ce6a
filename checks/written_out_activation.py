"""An activation written out as its formula, where one operator does it.

## What it reports
A GELU or hard-swish in single operators, and which form it is:

| form | formula | distance from exact GELU |
|---|---|---|
| GELU, erf | `0.5 * x * (1 + erf(x / sqrt(2)))` | 0 |
| GELU, tanh | `0.5 * x * (1 + tanh(0.79788 * (x + 0.044715 * x**3)))` | up to 5e-4 |
| GELU, sigmoid | `x * sigmoid(1.702 * x)` | up to 2.1e-2 |
| hard-swish | `x * min(max(x + 3, 0), 6) / 6` | (from SiLU) up to 0.15 |

The forms of one graph are one finding each. GELU operators with the tanh approximation are named too where the graph
holds both forms.

## Why it matters
There are GELU (exact and tanh) and HARD_SWISH operators with a GPU kernel on every release from 2.1.2 to 2.3.0.
Written out, an activation costs four to nine operators and as many tensors. And a form that the model was not trained
with is an approximation: in a head with a wide range the difference becomes visible.

## What to do
Keep the form that the model was trained with, and let it convert to one operator:

```python
y = F.gelu(x)                              # exact form
y = F.gelu(x, approximate="tanh")          # tanh form: GPT-2, and most of JAX
y = F.hardswish(x)                         # MobileNetV3; F.relu6(x + 3) / 6 * x is the same
y = x * torch.sigmoid(1.702 * x)           # QuickGELU of CLIP: trained so, keep it
```

The rewrites from tanh to tanh and from hard-swish to hard-swish are equal to rounding. SiLU (`x * sigmoid(x)`) has no
operator of its own and is exact as it is. A converter setting that replaces activations is to be turned off where
the source model uses another form.

## What it cannot see
Which form the model was trained with; and an erf in other approximations than a polynomial of `x / sqrt(2)` or a
TensorFlow operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ..linter.case import Case
from ..linter.constant_facts import Constants
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.options import GeluOptions

RULE = Rule(
    id="written-out-activation",
    summary="an activation is written out as its formula",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)


class Form(Enum):
    """A form: what it is called, and what converts to one operator."""

    ERF = ("GELU", "erf form, the exact one", "`F.gelu(x)` converts to one GELU operator")
    TANH = ("GELU", "tanh form", '`F.gelu(x, approximate="tanh")` converts to one GELU operator')
    SIGMOID = (
        "GELU",
        "sigmoid form (off by up to 2e-2)",
        "`F.gelu(x)` converts to one GELU operator; keep a QuickGELU that the model was trained with",
    )
    HARD_SWISH = ("hard-swish", "piecewise form", "`F.hardswish(x)` converts to one HARD_SWISH operator")


SIGMOID_FACTOR = 1.702
"""x * sigmoid(1.702 x): the factor of the sigmoid form."""
TANH_FACTOR = 0.7978845608
"""sqrt(2 / pi)"""
ERF_FACTOR = 0.7071067812
"""1 / sqrt(2)"""

ERF_REACH = 64
"""Operators of an erf's polynomial that are walked back through."""

LISTED = 4


def check(case: Case) -> Iterator[Finding]:
    constants = case.derive(Constants)
    found: dict[tuple[int, Form], list[Operator]] = {}
    for graph, op in case.operators():
        form = _form(constants, graph, op)
        if form is not None:
            found.setdefault((graph.index, form), []).append(op)
    for (index, form), ops in found.items():
        activation, title, advice = form.value
        graph, first = case.model.subgraphs[index], ops[0]
        some = ", ".join(str(op.index) for op in ops[:LISTED]) + (", …" if len(ops) > LISTED else "")
        what = f"a {activation} is" if len(ops) == 1 else f"{len(ops)} {activation}s (at {some}) are"
        yield RULE.finding(
            place(graph, first, first.outputs),
            f"{what} written out in {'its' if len(ops) == 1 else 'their'} {title}",
            advice=advice,
            confidence=Confidence.HEURISTIC,
        )
    yield from _both_forms(case)


def _both_forms(case: Case) -> Iterator[Finding]:
    """GELU operators of the tanh form in a graph that has exact ones."""
    for graph in case.model.subgraphs:
        forms: dict[bool, list[Operator]] = {True: [], False: []}
        for op in graph.operators:
            if op.name == "GELU":
                options = op.options_of(GeluOptions)
                forms[options is not None and options.approximate].append(op)
        if not forms[True] or not forms[False]:
            continue
        yield RULE.finding(
            place(graph, forms[True][0], forms[True][0].outputs),
            f"{len(forms[True])} GELU operators hold the tanh form and {len(forms[False])} the exact one",
            advice="keep the form that the model was trained with in every one of them",
            confidence=Confidence.SOURCE,
        )


def _form(constants: Constants, graph: Subgraph, op: Operator) -> Form | None:
    """The form that an operator is the heart of: TANH, LOGISTIC, the last ADD of an erf, or the clip."""
    if not op.inputs or op.inputs[0] < 0 or not op.outputs:
        return None
    if op.name in ("RELU6", "MINIMUM") or op.activation == "RELU6":
        return Form.HARD_SWISH if _hard_swish(constants, graph, op) else None
    if op.name == "TANH":
        return Form.TANH if _tanh_form(constants, graph, op) else None
    if op.name == "LOGISTIC":
        return Form.SIGMOID if _sigmoid_form(constants, graph, op) else None
    if op.name == "ADD":
        return Form.ERF if _erf_form(constants, graph, op) else None
    return None


def _tanh_form(constants: Constants, graph: Subgraph, op: Operator) -> bool:
    """TANH, then ADD 1; in front a factor of sqrt(2 / pi)."""
    if not any(reader.name == "ADD" and _has(constants, graph, reader, 1.0) for reader in graph.readers(op.outputs[0])):
        return False
    inner = graph.producer(op.inputs[0])
    for _ in range(3):
        if inner is None:
            return False
        if inner.name == "MUL" and _has(constants, graph, inner, TANH_FACTOR):
            return True
        runtime = (t for t in inner.inputs if t >= 0 and constants.behind(graph, t) is None)
        inner = next((producer for producer in map(graph.producer, runtime) if producer is not None), None)
    return False


def _sigmoid_form(constants: Constants, graph: Subgraph, op: Operator) -> bool:
    """MUL by 1.702, LOGISTIC, and MUL by what was multiplied."""
    inner = graph.producer(op.inputs[0])
    if inner is None or inner.name != "MUL" or not _has(constants, graph, inner, SIGMOID_FACTOR):
        return False
    return _meets(graph, op.outputs[0], set(inner.inputs))


def _erf_form(constants: Constants, graph: Subgraph, op: Operator) -> bool:
    """ADD 1 to something that is computed from x / sqrt(2), and MUL of the sum by x or a half of it."""
    if not _has(constants, graph, op, 1.0):
        return False
    scaled = _scaled_by_erf(constants, graph, op)
    if scaled is None:
        return False
    halves = {out for reader in graph.readers(scaled) if _has(constants, graph, reader, 0.5) for out in reader.outputs}
    sums = [op.outputs[0]]
    sums += [r.outputs[0] for r in graph.readers(op.outputs[0]) if r.name == "MUL" and _has(constants, graph, r, 0.5)]
    return any(_meets(graph, total, {scaled, *halves}) for total in sums)


def _scaled_by_erf(constants: Constants, graph: Subgraph, op: Operator) -> int | None:
    """The x of an x / sqrt(2) in the polynomial behind an operator."""
    waiting = [tensor for tensor in op.inputs if tensor >= 0]
    seen = set(waiting)
    for _ in range(ERF_REACH):
        if not waiting:
            return None
        producer = graph.producer(waiting.pop())
        if producer is None:
            continue
        runtime = [t for t in producer.inputs if t >= 0 and constants.behind(graph, t) is None]
        factor = {"MUL": ERF_FACTOR, "DIV": 1 / ERF_FACTOR}.get(producer.name)
        if factor is not None and len(runtime) == 1 and _has(constants, graph, producer, factor):
            return runtime[0]
        waiting += [t for t in runtime if t not in seen]
        seen.update(runtime)
    return None


def _hard_swish(constants: Constants, graph: Subgraph, op: Operator) -> bool:
    """ADD 3, a clip to 0 to 6, and MUL by x, with a sixth on one side of it."""
    if op.activation == "RELU6":
        shift: Operator | None = op
    else:
        shift = graph.producer(op.inputs[0])
        if op.name == "MINIMUM":
            if not _has(constants, graph, op, 6.0) or shift is None or shift.name not in ("RELU", "MAXIMUM"):
                return False
            shift = graph.producer(shift.inputs[0]) if shift.inputs[0] >= 0 else None
    if shift is None or shift.name != "ADD" or not _has(constants, graph, shift, 3.0):
        return False
    clipped = {op.outputs[0], *_sixths(constants, graph, op.outputs[0])}
    for source in shift.inputs:
        if source >= 0 and constants.behind(graph, source) is None:
            others = {source, *_sixths(constants, graph, source)}
            if any(_meets(graph, value, others) for value in clipped):
                return True
    return False


def _sixths(constants: Constants, graph: Subgraph, tensor: int) -> set[int]:
    """A tensor over 6."""
    found: set[int] = set()
    for reader in graph.readers(tensor):
        factor = {"MUL": 1 / 6, "DIV": 6.0}.get(reader.name)
        if factor is not None and _has(constants, graph, reader, factor):
            found.update(reader.outputs[:1])
    return found


def _meets(graph: Subgraph, tensor: int, others: set[int]) -> bool:
    """Whether a tensor is multiplied by one of others."""
    return any(r.name == "MUL" and others.intersection(set(r.inputs) - {tensor}) for r in graph.readers(tensor))


def _has(constants: Constants, graph: Subgraph, op: Operator, value: float) -> bool:
    """Whether an operand is a constant of that value."""
    for index in op.inputs:
        found = constants.scalar(graph, index)
        if found is not None and abs(found - value) <= 1e-3 * abs(value):
            return True
    return False
