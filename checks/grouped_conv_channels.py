"""A grouped CONV_2D whose channels a group are not multiples of 4, or whose weights come at run time.

## What it reports
A CONV_2D with several groups (input channels a multiple of the weights') whose channels a group, in and out, are
not both 1 and not both multiples of 4; one whose weights are not constant, whatever its channels. Weights behind a
DEQUANTIZE come at run time, unless they are FLOAT16.

## Why it matters
The result is unwritten or zero; with 5 or 6 channels a group, in and out, the process dies with SIGILL while
kernels are built. The kernel for runtime weights knows no groups, and every result of it is wrong. Measured on WebGPU
on 2.1.2 to 2.3.0.

## What to do
Dense weights with zero blocks, or one convolution a group: both exact. Weights behind DEQUANTIZE are right as float
constants.

```python
y = torch.cat([conv_g(x_g) for conv_g, x_g in zip(convs, slices)], dim=1)       # SLICE, CONV_2D, CONCATENATION
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._failed import failed
from ._operands import constant_behind, operand

RULE = Rule(
    id="grouped-conv-channels",
    summary="a grouped CONV_2D with runtime weights, or channels a group off 4",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


ADVICE = "use dense weights with zero blocks, or SLICE, one CONV_2D a group, and CONCATENATION: both exact"


def check(case: Case) -> Iterator[Finding]:
    yield from failed(case, RULE, Fault.GROUPED_CONV, advice=ADVICE)
    dying = {(failure.subgraph, failure.operator) for failure in case.failures(Fault.GROUPED_CONV)}
    for graph, op in case.gpu_operators("CONV_2D"):
        if (graph.index, op.index) in dying:
            continue
        data, weights = operand(graph, op, 0), operand(graph, op, 1)
        if data is None or weights is None or data.rank != 4 or weights.rank != 4 or not weights.shape[3]:
            continue
        groups, rest = divmod(data.shape[3], weights.shape[3])
        if groups < 2 or rest or weights.shape[0] % groups:
            continue
        inside, out = weights.shape[3], weights.shape[0] // groups
        if constant_behind(graph, weights) is None:
            yield case.hazard(
                RULE,
                place(graph, op, (data.index, weights.index)),
                f"a convolution of {groups} groups with runtime weights is computed as if it had none",
                advice="store the weights as float constants, or SLICE them and the data, one CONV_2D a group: exact",
                evidence=(measured("wrong throughout"),),
            )
            continue
        if inside == out == 1 or (inside % 4 == 0 and out % 4 == 0):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, weights.index)),
            f"a convolution of {groups} groups with {inside} channels in and {out} out a group "
            "leaves its result unwritten",
            advice=ADVICE,
            evidence=(measured("unwritten or zero; SIGILL for 5/5 and 6/6"),),
        )
