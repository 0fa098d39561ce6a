"""A SELECT whose condition has a lower rank than the result.

## What it reports
SELECT_V2 with a condition whose rank is below the result's and whose first axis is not 1, constant conditions (causal
masks) included.

## Why it matters
The first axis of a tensor below rank 4 is its batch to the delegate, and not what it is broadcast along. With a result
of batch 1 the kernel cannot be created (`Unable to parse bc coord for BATCH axis … cond`), otherwise
the result is wrong. Measured on WebGPU on 2.1.2 to 2.3.0. A condition of the result's rank, size-1 axes included,
is right, and so is SELECT, whose condition of rank 1 is one for each batch.

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
    for graph, op in case.gpu_operators("SELECT_V2"):
        condition, out = operand(graph, op, 0), result(graph, op)
        if condition is None or out is None or (graph.index, op.index) in failing:
            continue
        if not 0 < condition.rank < out.rank or condition.shape[0] == 1:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (condition.index, out.index)),
            f"the condition {graph.label(condition.index)} {list(condition.shape)} is misread against "
            f"the result {list(out.shape)}",
            advice=ADVICE,
            evidence=(measured("wrong with a result batch above 1; not created with batch 1"),),
        )
