"""A graph input that feeds several first convolutions.

## What it reports
An input of the model that two or more convolutions read, directly or through padding, normalisation by constants,
resizing, and layout changes; with the weights of each, their shape, and the axis that the input's channels run along.

## Why it matters
Nothing is wrong in the model. But folding a colour matrix (RGB to BGR, a normalisation) into the first convolution
must touch every one of them: a stem that is missed sees other colours, which shows as a small mean error with a
maximum error near 1 at few places. Typical are two stems of different kernel, a detail and a context branch, and a
skip connection from the image.

## What to do
Fold into each of the convolutions listed, along the channel axis given; where the input is wider than its colours,
only into the colour channels.

```python
for conv in stems:                                    # before export, weights are [out, in, h, w]
    colours = conv.weight.data[:, :3]                 # the colour channels of a wider input
    conv.weight.data[:, :3] = torch.einsum("oihw,ij->ojhw", colours, matrix)
    # an offset in front of the convolution goes into the bias only where nothing is padded
```

In the file the weights of CONV_2D are `[out, h, w, in]` and those of DEPTHWISE_CONV_2D `[1, h, w, channels]`: the
channel axis is 3 in both.

## What it cannot see
Whether anything is folded at all: it is information for whoever does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._entries import entries

RULE = Rule(
    id="several-input-convs",
    summary="a graph input feeds several first convolutions",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)


CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
TRANSPARENT = frozenset(
    {"PAD", "PADV2", "MIRROR_PAD", "RESHAPE", "TRANSPOSE", "MUL", "SUB", "ADD", "DIV", "CAST", "QUANTIZE", "DEQUANTIZE"}
    | {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}
)
"""Operators behind which a convolution still reads the input's colours."""

CHANNEL_AXIS = 3
"""Of the weights, in both convolutions of `CONVOLUTIONS`."""

FOLLOWED = 8
"""Operators followed behind a graph input."""

LISTED = 6


def check(case: Case) -> Iterator[Finding]:
    for graph in entries(case.model):
        for tensor in graph.inputs:
            stems = _stems(graph, tensor) if tensor >= 0 else []
            if len(stems) < 2:
                continue
            listed = "; ".join(_said(graph, op) for op in stems[:LISTED])
            more = f" and {len(stems) - LISTED} more" if len(stems) > LISTED else ""
            yield RULE.finding(
                place(graph, stems[0], (tensor, *(op.inputs[1] for op in stems))),
                f"graph input {graph.label(tensor)} feeds {len(stems)} first convolutions: {listed}{more}",
                advice="a colour or normalisation fold must touch the weights of every one of them, along channel axis "
                f"{CHANNEL_AXIS}",
                confidence=Confidence.SOURCE,
            )


def _said(graph: Subgraph, op: Operator) -> str:
    weights = graph.tensors[op.inputs[1]]
    return f"{op.name} at {op.index}, weights {graph.label(weights.index)} {list(weights.shape)}"


def _stems(graph: Subgraph, tensor: int) -> list[Operator]:
    """The first convolutions behind a tensor."""
    found: dict[int, Operator] = {}
    waiting, seen = [(tensor, 0)], {tensor}
    while waiting:
        current, depth = waiting.pop()
        for reader in graph.readers(current):
            if reader.name in CONVOLUTIONS:
                if len(reader.inputs) > 1 and reader.inputs[0] == current and reader.inputs[1] >= 0:
                    found[reader.index] = reader
            elif reader.name in TRANSPARENT and depth < FOLLOWED and reader.outputs and reader.outputs[0] not in seen:
                if any(other not in (-1, current) and not graph.tensors[other].constant for other in reader.inputs):
                    continue
                seen.add(reader.outputs[0])
                waiting.append((reader.outputs[0], depth + 1))
    return [found[index] for index in sorted(found)]
