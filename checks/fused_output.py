"""An output is never written, because the operator that makes it is united with the one that reads it.

## What it reports
A tensor that the model returns, or that the CPU reads, and that the delegate loses when it unites two operators (sums
are in `add-output-aliasing`). On every release:

* a convolution, FULLY_CONNECTED or BATCH_MATMUL with a constant matrix, then MUL or ADD of a scalar or of one value a
  channel (`x + x` counts as `2 * x`), or that MUL or ADD before it, as the tensor's only consumer;
* PAD of height or width before a convolution, FULLY_CONNECTED or pool; PAD of the last channels before ADD;
* the inside of a normalisation over the channels written `(x - mean) * rsqrt(mean((x - mean)²) + eps)`, squared with
  MUL or SQUARE, and of `x * tanh(log(1 + exp(x)))`;
* a tensor that is only sliced or resized to itself, or concatenated alone, when that result is an output too;
* a tensor that is split and put together again.

Up to 2.1.5 also:

* any operator's first result whose only consumer is elementwise (unary, or binary with the tensor as its first
  operand; of ADD and MUL, as the operand made last), when the other operand is ready by then and the shape stays;
* a tensor all of whose consumers are elementwise and meet in one result, such as `x * sigmoid(x)`;
* RESHAPE or TRANSPOSE before RESHAPE or TRANSPOSE, where blocks of four channels stay whole;
* an INT8 or UINT8 tensor that has any consumer at all.

## Why it matters
The output holds zeros, garbage, or the bytes of a tensor that used the memory before. Everything computed from it is
right. Feature pyramids, states of streaming models and tensors exposed to debug a model have this shape. Where the CPU
reads the tensor, everything behind is wrong. Measured on WebGPU on 2.1.2 to 2.3.0, fp32.

## What to do
Return a copy. It is exact and needs no further input:

```python
f = self.conv(x)
return f, f * self.scale                    # f is never written
return f.reshape(f.shape), f * self.scale   # RESHAPE to the same shape; add it to the converted graph if it is folded
```

Equally right where it is the only consumer that takes the tensor away: a further consumer whose result is an output.

## What it cannot see
Whether a backend other than WebGPU unites the same operators: there it is a warning, because the passes are shared.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity
from ._lost import lost_outputs
from .add_output_aliasing import SUMS

RULE = Rule(
    id="fused-output",
    summary="an output is never written: its producer and consumer become one operator",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from lost_outputs(case, RULE, lambda merge: merge.producer.name not in SUMS)
