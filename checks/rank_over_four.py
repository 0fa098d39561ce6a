"""A tensor of rank 5 or more at an operator that would otherwise run on the GPU.

## What it reports
An operator with a GPU kernel that reads or writes a tensor of five dimensions or more.

## Why it matters
The delegate lays every tensor out as batch, height, width, channels. A tensor of rank 5 or more has no place in it,
and the operator is refused, constants included. The wording changed between 2.1.5 and 2.1.6; the verdict is the
same on every release: `Tensor dimensions must be less than 5. x`, before that `Tensor "x" has bad input dims size:
5.`.

## What to do
Keep the graph at rank 4. The usual sources in PyTorch, with an exact rewrite each:

```python
# nn.PixelShuffle(r), rank 6 inside: a transposed convolution with a fixed 0/1 kernel
kernel = torch.zeros(c * r * r, c, r, r)
for i in range(r):
    for j in range(r):
        kernel[i * r + j :: r * r, :, i, j] = torch.eye(c)
y = F.conv_transpose2d(x, kernel, stride=r)
# window partition x.view(b, h//w, w, w//w, w, c): one axis at a time, folding the others into the batch
x = x.reshape(b * (h // w), w, w_total // w, w * c)     # rank 4, then transpose, then reshape
# packed QKV x.view(b, n, 3, heads, d): three slices of the projection instead of one rank-5 view
q, k, v = qkv[..., :c], qkv[..., c:2 * c], qkv[..., 2 * c:]
# grouped-query attention k[:, :, None].expand(...): concatenate the repeated heads at rank 4
k = torch.cat([k[:, i : i + 1] for i in range(kv_heads) for _ in range(groups)], dim=1)
# einops with five letters or more: two rearrangements of rank 4
```

In a file, RESHAPE, TRANSPOSE and RESHAPE of a pixel shuffle with the channels last are one DEPTH_TO_SPACE.

## What it cannot see
Whether a smaller rank elsewhere in the model would do: it names each refused operator, not the one view that caused
them all. The operator that raised the rank is usually the first one named."""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="rank-over-four",
    summary="an operator reads or writes a tensor of rank 5 or more",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    shapes = {
        graph.tensors[tensor].shape
        for tensor in op.inputs + op.outputs
        if tensor >= 0 and graph.tensors[tensor].rank > 4
    }
    highest = ", ".join(str(list(shape)) for shape in sorted(shapes))
    return (
        f"keep it at rank 4 or below (here {highest}): fold axes that move together into one, "
        "or work on slices of the tensor"
    )
