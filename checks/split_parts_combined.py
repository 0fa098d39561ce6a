"""Two parts of one split meet in an elementwise operator, which reads what it writes.

## What it reports
An elementwise operator on two parts of one SPLIT, SPLIT_V or UNPACK (an UNPACK whose parts lie in the tensor as they
do in the result), where the delegate computes it in the kernel of the split:

* its first operand (of MUL, and of ADD with other consumers: the second) is the first part, raw or through elementwise
  operators that nothing else reads, and the other operand is a raw part;
* an ADD or ADD_N of any two raw parts, when nothing else reads any part.

`gelu(a) * b` (GEGLU) is wrong; `a * sigmoid(b)` (GLU) and `silu(a) * b` (SwiGLU) are right.

## Why it matters
Every element is wrong: the kernel reads and writes one texture, and the whole submission is dropped (`writable usage`
in the log), so other outputs are lost as well; an ADD of raw parts returns one of them. Measured on WebGPU on 2.1.2 to
2.3.0, fp32. Quantized parts are right.

## What to do
Slices give the same parts, bit for bit:

```python
a, b = x.chunk(2, dim=1)          # SPLIT
a, b = x[:, :c], x[:, c:]         # two SLICEs: right on every release
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._delegated import applies, delegate_graphs
from ._evidence import measured, releases

RULE = Rule(
    id="split-parts-combined",
    summary="two parts of one split meet in an elementwise operator",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        graph = found.graph
        for joined in found.joined_parts:
            if not applies(case, joined.until):
                continue
            parts = [index for index in (joined.first, joined.other) if index >= 0]
            names = " and ".join(graph.label(index) for index in parts)
            yield case.hazard(
                RULE,
                place(graph, joined.consumer, (*parts, *joined.consumer.outputs)),
                f"{joined.consumer.title} of two parts of one {joined.split.title} ({names}) reads what it writes",
                advice=f"take the parts with SLICE instead of {joined.split.title} (`x[:, :c]`, `x[:, c:]`): "
                "exact on every release",
                evidence=(
                    measured(
                        "every element wrong; `writable usage` in the log",
                        releases(last=joined.until),
                    ),
                ),
            )
