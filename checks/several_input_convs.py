"""A graph input that feeds several first convolutions.

## What it reports
A graph input that two or more convolutions read, directly or through padding, normalisation by constants, and
layout changes.

## Why it matters
Folding a colour matrix or a normalisation into the first convolution must touch every one of them; a stem that is
missed sees other colours, which shows as a small mean error with large errors at few places.

## What to do
Fold into each of the convolutions listed, along the channel axis given, and only into the colour channels of a
wider input.

```python
for conv in stems:
    conv.weight.data = torch.einsum("oihw,ij->ojhw", conv.weight.data, matrix)
```

## What it cannot see
Whether anything is folded at all: it is information for whoever does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph

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

FOLLOWED = 8
"""Operators followed behind a graph input."""


def check(case: Case) -> Iterator[Finding]:
    for graph in case.model.subgraphs:
        for tensor in graph.inputs:
            if tensor < 0:
                continue
            stems = _stems(graph, tensor)
            if len(stems) < 2:
                continue
            listed = ", ".join(
                f"{op.index} {op.name} ({graph.label(op.inputs[1])}, channel axis 3)" for op in stems[:6]
            )
            more = f" and {len(stems) - 6} more" if len(stems) > 6 else ""
            yield RULE.finding(
                place(graph, stems[0], (tensor, *(op.inputs[1] for op in stems))),
                f"graph input {graph.label(tensor)} feeds {len(stems)} first convolutions: {listed}{more}",
                advice="a colour or normalisation fold must touch the weights of every one of them",
                confidence=Confidence.SOURCE,
            )


def _stems(graph: Subgraph, tensor: int) -> list[Operator]:
    """The first convolutions behind a tensor."""
    found: dict[int, Operator] = {}
    waiting, seen = [(tensor, 0)], {tensor}
    while waiting:
        current, depth = waiting.pop()
        for reader in graph.readers(current):
            if (
                reader.name in CONVOLUTIONS
                and reader.inputs[0] == current
                and len(reader.inputs) > 1
                and reader.inputs[1] >= 0
            ):
                found[reader.index] = reader
            elif reader.name in TRANSPARENT and depth < FOLLOWED and reader.outputs and reader.outputs[0] not in seen:
                if any(
                    other >= 0 and other != current and not graph.tensors[other].constant for other in reader.inputs
                ):
                    continue
                seen.add(reader.outputs[0])
                waiting.append((reader.outputs[0], depth + 1))
    return [found[index] for index in sorted(found)]
