"""A TRANSPOSE_CONV of version 3 or below with a fused activation.

## What it reports
A TRANSPOSE_CONV operator of version 1 to 3 whose options name an activation.

## Why it matters
The delegate ignores the activation: the result is that of the convolution alone. Measured on WebGPU on 2.1.2 to
2.3.0. Converters write version 4 for a fused activation, which is refused (`transpose-conv-version`); lowering the
version by hand brings this fault instead.

## What to do
Keep the activation as an operator of its own: exact.

```python
y = torch.relu(self.up(x))      # TRANSPOSE_CONV version 3, then RELU
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import TransposeConvOptions
from ._evidence import measured

RULE = Rule(
    id="transpose-conv-activation",
    summary="the fused activation of a TRANSPOSE_CONV is ignored",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("TRANSPOSE_CONV"):
        options = op.options_of(TransposeConvOptions)
        if options is None or op.version > 3:
            continue
        activation = options.fused_activation_function
        if activation == "NONE":
            continue
        yield case.hazard(
            RULE,
            place(graph, op, op.outputs),
            f"the fused {activation} of a version {op.version} TRANSPOSE_CONV is ignored",
            advice=f"make {activation} an operator of its own: exact",
            evidence=(measured("the result is that of the convolution alone"),),
        )
