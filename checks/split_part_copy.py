"""A part of a SPLIT that is copied: the parts come out in another order.

## What it reports
A SLICE or STRIDED_SLICE of everything, whose result is an output, or a RESIZE to the same size, of any part but the
last of SPLIT, SPLIT_V or UNPACK.

## Why it matters
The delegate drops the copy and lets the SPLIT write its result, as its last output. So the copy comes out as the last
part, and each part behind the copied one as the part before it. Measured on WebGPU on 2.1.2 to 2.3.0. Copies by
RESHAPE, of the last part, and slices that another operator reads are right.

## What to do
Drop the copy, or make it a RESHAPE to the same shape: both exact.

```python
a, b, c = x.chunk(3, dim=1)
return a, b, c                      # not b[:, :n], where n is all there is
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
    id="split-part-copy",
    summary="a copied part of a SPLIT puts the parts into another order",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        for split, copy in found.shifted_parts:
            yield case.hazard(
                RULE,
                place(found.graph, copy, (*copy.inputs[:1], *copy.outputs)),
                f"{copy.name} of everything is dropped, and {split.name} hands its parts out in another order",
                advice=f"drop the {copy.name}, which copies its operand, or make it a RESHAPE to the same shape: exact",
                evidence=(measured("the parts behind the copied one move up by one"),),
            )
