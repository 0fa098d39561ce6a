"""A constant scale or bias that is folded wrongly into the weights of the operator next to it.

## What it reports
* MUL by a constant with different values for the channels, whose only consumer is a grouped CONV_2D with several
  channels a group;
* MUL or ADD of a constant with more channels than the tensor, which has one, directly behind a convolution,
  FULLY_CONNECTED or matrix product with constant weights, or directly before one that reads nothing else.

## Why it matters
The delegate folds constant scales and biases into weights. For a grouped convolution it takes each weight's scale by
its place in the group, not in the tensor: a batch normalisation before a grouped convolution (pre-activation ResNeXt)
comes out wrong. A constant that widens one channel to several does not fit the weights at all. Measured on WebGPU on
2.1.2 to 2.3.0, fp32. Behind a grouped convolution, or with equal values, a scale is right.

## What to do
Fold it yourself, exactly, or keep the two apart:

```python
conv.weight.data *= scale.view(groups, -1)[group_of_output]      # scale into the weights before export
conv(x * scale * one)                                           # `one` is a runtime input that holds 1
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._delegated import delegate_graphs
from ._evidence import measured

RULE = Rule(
    id="folded-scale",
    summary="a constant scale or bias is folded wrongly into the weights next to it",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)

APART = "put MUL by a runtime 1 between the two, or fold the constant into the weights before export"


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for scale in found.folded_scales:
            if scale.widened is not None:
                few, many = scale.widened
                message = f"a constant of {many} channels beside {scale.convolution.title} widens {few} channel wrongly"
            else:
                message = (
                    f"a scale for each channel goes into the weights of a convolution of {scale.groups} groups "
                    "by its place in the group"
                )
            yield case.hazard(
                RULE,
                place(graph, scale.operator, (*scale.operator.inputs, *scale.operator.outputs)),
                message,
                advice=APART,
                evidence=(measured("wrong results"),),
            )
