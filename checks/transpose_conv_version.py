"""A TRANSPOSE_CONV of version 4 or above.

## What it reports
A TRANSPOSE_CONV operator whose version the delegate does not take: 4 (a fused activation) or 5.

## Why it matters
`Max version supported: 3. Requested version 4.` on every release (measured 2.1.2 to 2.3.0). The converter writes
version 4 when it fuses an activation into the operator.

## What to do
Keep the activation apart, and the version stays at 3 or below: exact.

```python
y = self.up(x)            # ConvTranspose2d, TRANSPOSE_CONV version 3
y = torch.relu(y) + 0.0   # keeps the converter from fusing it
```

Or split the activation off in the .tflite itself and lower the version. Zero-stuffing and a plain convolution give
the same result to about 1e-7.

## What it cannot see
Setting the version back without removing the fused activation loses the activation: see `transpose-conv-activation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ..linter.options import TransposeConvOptions
from ._refused import findings

RULE = Rule(
    id="transpose-conv-version",
    summary="TRANSPOSE_CONV of a version above 3",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    options = op.options_of(TransposeConvOptions)
    if options is not None and options.fused_activation_function != "NONE":
        activation = options.fused_activation_function
        return f"take the fused {activation} out into an operator of its own and write version 3: exact"
    return "write it as version 3 or below: without a fused activation nothing in it needs a later one"
