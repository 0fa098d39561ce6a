"""A 1x1 CONV_2D with int8 weights and a stride or groups.

## What it reports
A CONV_2D of kernel 1x1 with a stride above 1, or with groups, whose weights are quantized to int8 (or narrower) in
the file.

## Why it matters
The delegate computes it as a matrix product, which knows neither. The stride is ignored: output (y, x) is computed
from input (y, x) instead of (s·y, s·x). With groups the result is wrong throughout. Measured on WebGPU on 2.1.2 to
2.3.0, SAME and VALID, per tensor and per channel, with float and int8 activations. The shortcuts of int8 ResNets have
this form. Float and FLOAT16 weights, int8 behind DEQUANTIZE, larger kernels and stride 1 are right.

## What to do
```python
y = conv1x1(x[:, :, ::2, ::2])          # STRIDED_SLICE (or a 1x1 MAX_POOL_2D with the stride), then stride 1: exact
```

Instead of groups, dense weights with zero blocks: exact.

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import Conv2DOptions
from ._evidence import measured
from ._operands import operand, result

RULE = Rule(
    id="strided-pointwise-conv",
    summary="the stride and groups of a 1x1 CONV_2D with int8 weights are ignored",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("CONV_2D"):
        options = op.options_of(Conv2DOptions)
        if options is None:
            continue
        data, weights, out = operand(graph, op, 0), operand(graph, op, 1), result(graph, op)
        if data is None or weights is None or out is None or not weights.rank == data.rank == out.rank == 4:
            continue
        if weights.shape[1:3] != (1, 1) or not weights.constant:
            continue
        if not weights.quantized or weights.type not in ("INT8", "INT4", "INT2"):
            continue
        where = place(graph, op, (data.index, weights.index))
        groups = data.shape[3] // max(1, weights.shape[3])
        if groups > 1:
            if _off_four(weights.shape[3], weights.shape[0] // groups):
                continue  # grouped-conv-channels says so
            yield case.hazard(
                RULE,
                where,
                f"the {groups} groups of a 1x1 convolution with {weights.type} weights are ignored",
                advice="use dense weights with zero blocks: exact",
                evidence=(measured("computed as one matrix product"),),
            )
            continue
        stride = [options.stride_h, options.stride_w]
        # Where there is one result along an axis, it is that of the first element either way.
        if any(step > 1 and extent > 1 for step, extent in zip(stride, out.shape[1:3], strict=True)):
            yield case.hazard(
                RULE,
                where,
                f"the stride {stride} of a 1x1 convolution with {weights.type} weights is ignored",
                advice="STRIDED_SLICE the input, then a convolution of stride 1: exact",
                evidence=(measured("output (y, x) reads input (y, x)"),),
            )


def _off_four(inside: int, out: int) -> bool:
    """Whether no grouped convolution of so many channels a group comes out right, whatever its weights."""
    return not inside == out == 1 and (inside % 4 != 0 or out % 4 != 0)
