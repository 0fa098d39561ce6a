"""A softmax over an axis of length 1.

## What it reports
SOFTMAX or LOG_SOFTMAX of a tensor whose last axis has one element, and a softmax written out (EXP divided by its SUM)
whose sum runs over axes of length 1.

## Why it matters
It gives 1 (LOG_SOFTMAX: 0) whatever comes in, so everything that computes its input is wasted. It is usually an
attention over a bank of one entry, or the wrong axis. Where the input is constant, a converter that half folds it
leaves operators with constant or identical inputs behind, which the GPU refuses (`constant-inputs`,
`identical-inputs`).

## What to do
Drop it with what computes its input, or take the axis that was meant:

```python
y = torch.softmax(scores, dim=1)        # scores [n, 1]: not dim=-1, which has size 1
y = values                              # attention over one entry returns the entry: softmax(...) @ values
```

Both are exact for finite scores.

## What it cannot see
Intent: a model exported for one class or one key may be meant so.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Model, Operator, Subgraph
from ..linter.patterns import reduced_axes, terms_of
from ._operands import operand

RULE = Rule(
    id="one-element-softmax",
    summary="a softmax over an axis of length 1",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)

VALUES = {"SOFTMAX": 1, "LOG_SOFTMAX": 0, "DIV": 1}
"""What comes out everywhere."""


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.operators(*VALUES):
        if not op.outputs:
            continue
        index = _written_out(case.model, graph, op) if op.name == "DIV" else _last_axis(graph, op)
        if index is None:
            continue
        yield RULE.finding(
            place(graph, op, (index, *op.outputs)),
            f"the softmax of {graph.label(index)} {list(graph.tensors[index].shape)} is {VALUES[op.name]} everywhere",
            advice="drop it with all that computes its input, or take the axis that was meant",
            confidence=Confidence.SOURCE,
        )


def _last_axis(graph: Subgraph, op: Operator) -> int | None:
    data = operand(graph, op, 0)
    return data.index if data is not None and data.shape[-1:] == (1,) else None


def _written_out(model: Model, graph: Subgraph, op: Operator) -> int | None:
    """What EXP reads, where DIV divides its result by a SUM of one term of it."""
    if len(op.inputs) != 2 or min(op.inputs) < 0:
        return None
    total, exp = graph.producer(op.inputs[1]), graph.producer(op.inputs[0])
    if total is None or exp is None or (total.name, exp.name) != ("SUM", "EXP") or total.inputs[0] != op.inputs[0]:
        return None
    axes = reduced_axes(model, graph, total)
    return exp.inputs[0] if axes and terms_of(graph, total, axes) == 1 else None
