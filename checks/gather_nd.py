"""GATHER_ND, which no release runs on the GPU.

## What it reports
Every GATHER_ND operator.

## Why it matters
There is no kernel for it on any release (measured 2.1.2 to 2.3.0, any shape): `Operation is not supported.` The
maintainers see a low probability of one (LiteRT#5197).

## What to do
It is written by the converter for indexing that has an exact form without it. Find the source in PyTorch:

```python
# x[..., ::2, ::2]: stride-2 slicing (Focus stem, patch merging)                                          exact
y = F.max_pool2d(x, 1, stride=2)                          # each of the four parts: of x[..., i:, j:]
# F.pad(x, (1, 1), mode="reflect"), also padding_mode="reflect" of a convolution with padding 0           exact
y = torch.cat([x[..., 1:2], x, x[..., -2:-1]], dim=-1)
# nn.MaxPool2d(3, 2, padding=1): pad, then pool without padding                 exact where nothing is below -1e4
y = F.max_pool2d(F.pad(x, (1, 1, 1, 1), value=-1e4), 3, 2)
# F.interpolate(x, mode="bicubic"): fixed matrices of the weights, rows then columns                to rounding
y = rows @ x @ columns.T
# F.grid_sample(x, grid): one weight a pixel, max(0, 1 - |distance|) in both directions           to about 2e-7
y = (tent(grid) @ x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(n, c, h, w)
# x[:, idx] with constant indices of rank 1: one GATHER, or slices                                        exact
y = x.index_select(1, idx)
```

## What it cannot see
Which of these wrote it. The tensor names of the finding usually carry the module's path.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="gather-nd",
    summary="GATHER_ND has no GPU kernel",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#5197",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    return (
        "find its source (strided slicing, reflect padding, max-pool padding, bicubic resize, grid_sample, indexing) "
        "and write it as strided pooling, slices with CONCATENATION, or a matmul with a constant; "
        "all but grid_sample are exact"
    )
