"""The value of a padding before a convolution or sum becomes 0.

## What it reports
PADV2 with a value other than 0 whose only consumer takes the padding over: of height or width before CONV_2D,
DEPTHWISE_CONV_2D or FULLY_CONNECTED, where the padding is read at all; of the last channels before an ADD of two
runtime tensors.

## Why it matters
The delegate folds the padding into its consumer, which pads with zeros. Measured on WebGPU on 2.1.2 to 2.3.0, fp32.
A value of 0, PAD, MIRROR_PAD, other padded axes, quantized tensors, TRANSPOSE_CONV and MEAN are right.

## What to do
Both exact, on every release:

```python
F.pad(x - v, (1, 1, 1, 1)) + v                          # F.pad(x, (1, 1, 1, 1), value=v)
torch.cat([edge, x, edge], 3)                           # CONCATENATION with constants
```

## What it cannot see
A value that is only known at run time.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.fusion import POOLS, Padding
from ..linter.delegate.layout import layout
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph
from ..linter.options import Conv2DOptions, DepthwiseConv2DOptions
from ._delegated import delegate_graphs
from ._evidence import measured
from ._operands import constant_behind, operand
from ._windows import reads

RULE = Rule(
    id="padded-value-before-conv",
    summary="the value of a padding before a convolution or sum becomes 0",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for padding in found.paddings:
            if padding.consumer.name in POOLS or not padding.value or not _read(graph, padding):
                continue
            consumer = padding.consumer
            yield case.hazard(
                RULE,
                place(graph, consumer, (*padding.operator.inputs[:1], *padding.operator.outputs)),
                f"{consumer.title} pads with 0 instead of {padding.value:g}: the {padding.operator.title} before it is "
                "folded into it",
                advice="pad with 0 around the shifted values, ADD(PAD(SUB(x, v)), v), or CONCATENATION with constants: "
                "both exact",
                evidence=(measured("zeros in place of the value"),),
            )


def _read(graph: Subgraph, padding: Padding) -> bool:
    """Whether the consumer reads what was padded."""
    consumer = padding.consumer
    padded = layout(graph.tensors[padding.operator.outputs[0]].shape)
    weights = constant_behind(graph, operand(graph, consumer, 1))
    if consumer.name not in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        return any(padding.height + padding.width + padding.channels)
    options = consumer.options_of(Conv2DOptions) or consumer.options_of(DepthwiseConv2DOptions)
    if padded is None or weights is None or options is None or weights.rank != 4:
        return False
    same = options.padding == "SAME"
    return any(
        reads(extent - sum(amounts), amounts, kernel, stride, same=same, dilation=dilation).some
        for extent, amounts, kernel, stride, dilation in (
            (padded.height, padding.height, weights.shape[1], options.stride_h, options.dilation_h_factor),
            (padded.width, padding.width, weights.shape[2], options.stride_w, options.dilation_w_factor),
        )
    )
