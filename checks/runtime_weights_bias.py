"""A FULLY_CONNECTED with runtime weights and a constant bias.

## What it reports
A FULLY_CONNECTED whose weights are not constant and whose bias is. INT8 weights behind a DEQUANTIZE are not constant
to the delegate; FLOAT16 ones are.

## Why it matters
The bias is dropped: the result is that of the product alone. Measured on WebGPU on 2.1.2 to 2.3.0, any shape.
Convolutions with runtime weights keep their bias.

## What to do
```python
y = x @ w.T + bias          # FULLY_CONNECTED without a bias, then ADD: exact
```

## What it cannot see
A bias of zeros loses nothing; one that can be read is checked for that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import values
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import constant_behind, operand, runtime

RULE = Rule(
    id="runtime-weights-bias",
    summary="the bias of a FULLY_CONNECTED with runtime weights is dropped",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("FULLY_CONNECTED"):
        weights, bias = operand(graph, op, 1), constant_behind(graph, operand(graph, op, 2))
        if bias is None or not runtime(graph, weights):
            continue
        known = values(case.model, bias)
        if known is not None and not any(known):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, op.inputs),
            f"the constant bias {graph.label(bias.index)} is dropped, because the weights are a runtime tensor",
            advice="take the bias out of FULLY_CONNECTED and ADD it behind: exact",
            evidence=(measured("the result is that of the product alone"),),
        )
