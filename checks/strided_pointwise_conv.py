"""A 1x1 CONV_2D with int8 weights and a stride.

## What it reports
A CONV_2D of kernel 1x1 with a stride above 1 whose weights are quantized to int8 (or narrower) in the file.

## Why it matters
The stride is ignored: output (y, x) is computed from input (y, x) instead of (s·y, s·x). Measured on WebGPU on
2.1.2 to 2.3.0, SAME and VALID, per tensor and per channel, with float and int8 activations. The shortcuts of int8
ResNets have this form. Float and FLOAT16 weights, int8 behind DEQUANTIZE, larger kernels and stride 1 are right.

## What to do
```python
y = conv1x1(x[:, :, ::2, ::2])          # STRIDED_SLICE (or a 1x1 MAX_POOL_2D with the stride), then stride 1: exact
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import Conv2DOptions
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="strided-pointwise-conv",
    summary="the stride of a 1x1 CONV_2D with int8 weights is ignored",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        options = op.options_of(Conv2DOptions)
        if op.name != "CONV_2D" or options is None or max(options.stride_h, options.stride_w) < 2:
            continue
        data, weights = operand(graph, op, 0), operand(graph, op, 1)
        if data is None or weights is None or weights.rank != 4 or weights.shape[1:3] != (1, 1):
            continue
        if not weights.constant or not weights.quantized or weights.type not in ("INT8", "INT4", "INT2"):
            continue
        if data.rank == 4 and data.shape[1:3] == (1, 1):
            continue
        stride = [options.stride_h, options.stride_w]
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, weights.index)),
            f"the stride {stride} of a 1x1 convolution with {weights.type} weights is ignored",
            advice="STRIDED_SLICE the input, then a convolution of stride 1: exact",
            evidence=(measured("output (y, x) reads input (y, x)"),),
        )
