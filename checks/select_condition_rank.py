"""A SELECT whose condition has a lower rank than the result.

## What it reports
SELECT and SELECT_V2 with a condition of more than one element whose rank is below the result's, constant conditions
(causal masks) included.

## Why it matters
With a result of batch 1 the kernel cannot be created (`Unable to parse bc coord for BATCH axis … cond`), otherwise
the result is wrong. Measured on WebGPU on 2.1.2 to 2.3.0. A condition of the result's rank, size-1 axes included,
is right.

## What to do
```python
y = torch.where(mask.reshape(1, 1, n, n), x, value)         # the condition at the result's rank: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._failed import failed
from ._operands import operand, result

RULE = Rule(
    id="select-condition-rank",
    summary="SELECT with a condition of lower rank than the result",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


ADVICE = "RESHAPE the condition to the result's rank: exact"


def check(case: Case) -> Iterator[Finding]:
    yield from failed(case, RULE, Fault.SELECT_CONDITION_RANK, advice=ADVICE)
    failing = {(failure.subgraph, failure.operator) for failure in case.failures(Fault.SELECT_CONDITION_RANK)}
    for graph, op in case.gpu_operators():
        condition, out = operand(graph, op, 0), result(graph, op)
        if op.name not in ("SELECT", "SELECT_V2") or condition is None or out is None:
            continue
        if condition.elements <= 1 or condition.rank >= out.rank or (graph.index, op.index) in failing:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (condition.index, out.index)),
            f"the condition {graph.label(condition.index)} {list(condition.shape)} is misread against "
            f"the result {list(out.shape)}",
            advice=ADVICE,
            evidence=(measured("wrong with a result batch above 1; not created with batch 1"),),
        )
