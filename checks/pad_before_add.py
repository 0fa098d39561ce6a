"""A padding of channels before an ADD that broadcasts its other operand.

## What it reports
PAD or PADV2 that appends channels and nothing else, or a CONCATENATION of one tensor and constant zeros behind it
along the channels, whose only consumer is an ADD of two runtime tensors of which the other one is broadcast, or
broadcasts it, in height, width or channels.

## Why it matters
The delegate drops the padding and adds tensors of different channel counts, which comes out wrong unless both have the
same height, width and channels (then it is right: the identity of a residual block that widens). Measured on WebGPU on
2.1.2 to 2.3.0, fp32.

## What to do
Anything between the padding and the ADD keeps them apart, exactly:

```python
F.pad(x, (0, 0, 0, 0, 0, c)) * one + y                  # `one` is a runtime input that holds 1
F.pad(x, (0, 0, 0, 0, 0, c)) + y.expand_as(padded)      # TILE the other operand to the same shape
```

## What it cannot see
Nothing else decides. A value of the padding other than 0 is in `padded-value-before-conv`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._delegated import delegate_graphs
from ._evidence import measured

RULE = Rule(
    id="pad-before-add",
    summary="a padding of channels before an ADD that broadcasts",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for padding in found.paddings:
            if padding.other is None or padding.channels == (0, 0):
                continue
            padded, other = graph.tensors[padding.operator.outputs[0]], graph.tensors[padding.other]
            if (1, 1, 1, *other.shape)[-3:] == padded.shape[-3:]:
                continue
            yield case.hazard(
                RULE,
                place(graph, padding.consumer, (padded.index, other.index)),
                f"the padding {list(padded.shape)} is dropped before an ADD that broadcasts, with {list(other.shape)}",
                advice="keep PAD and ADD apart with MUL by a runtime 1, or bring both operands to one shape with TILE",
                evidence=(measured("wrong sums"),),
            )
