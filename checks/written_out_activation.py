"""A GELU written out as its formula.

## What it reports
The tanh form `0.5 * x * (1 + tanh(...))` and the sigmoid form `x * sigmoid(1.702 * x)` of GELU in single operators,
and which of the two it is.

## Why it matters
There is a GELU operator with a kernel on every release, in the exact and the tanh form. Written out it costs six
operators instead of one; and the two approximations differ from the exact GELU by up to 3e-3 (tanh 5e-4, sigmoid
2e-2), which a head with a wide range turns into visible differences.

## What to do
```python
y = F.gelu(x)                              # one GELU operator, exact form
y = F.gelu(x, approximate="tanh")          # one GELU operator, tanh form
```

SiLU (`x * sigmoid(x)`) has no operator of its own and is right as it is.

## What it cannot see
Which form the model was trained with.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import scalar
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph

RULE = Rule(
    id="written-out-activation",
    summary="a GELU is written out as its formula",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)


SIGMOID_FACTOR = 1.702
"""x * sigmoid(1.702 x): the factor of the sigmoid form."""


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.operators():
        if op.name == "TANH" and _tanh_form(case, graph, op):
            yield _finding(graph, op, "tanh form", 'F.gelu(x, approximate="tanh")')
        elif op.name == "LOGISTIC" and _sigmoid_form(case, graph, op):
            yield _finding(graph, op, "sigmoid form (off by up to 2e-2)", "F.gelu(x)")


def _finding(graph: Subgraph, op: Operator, form: str, call: str) -> Finding:
    return RULE.finding(
        place(graph, op, op.outputs),
        f"a GELU is written out in its {form}",
        advice=f"`{call}` converts to one GELU operator",
        confidence=Confidence.HEURISTIC,
    )


def _tanh_form(case: Case, graph: Subgraph, op: Operator) -> bool:
    """TANH, then ADD 1; in front a factor of sqrt(2 / pi)."""
    plus_one = any(
        reader.name == "ADD" and _has_constant(case, graph, reader, 1.0) for reader in graph.readers(op.outputs[0])
    )
    inner = graph.producer(op.inputs[0]) if op.inputs[0] >= 0 else None
    for _ in range(3):
        if not plus_one or inner is None:
            return False
        if inner.name == "MUL" and _has_constant(case, graph, inner, 0.7978845608):
            return True
        inner = next((graph.producer(t) for t in inner.inputs if t >= 0 and graph.producer(t) is not None), None)
    return False


def _sigmoid_form(case: Case, graph: Subgraph, op: Operator) -> bool:
    inner = graph.producer(op.inputs[0]) if op.inputs[0] >= 0 else None
    return inner is not None and inner.name == "MUL" and _has_constant(case, graph, inner, SIGMOID_FACTOR)


def _has_constant(case: Case, graph: Subgraph, op: Operator, value: float) -> bool:
    for index in op.inputs:
        if index < 0 or not graph.tensors[index].constant:
            continue
        found = scalar(case.model, graph.tensors[index])
        if found is not None and abs(found - value) <= 1e-3 * abs(value):
            return True
    return False
