"""A division that leaves not-a-number behind the last channel, and an operator that adds up channels.

## What it reports
A DIV, FLOOR_DIV or FLOOR_MOD by a tensor of as many channels as the result (a constant vector, or a runtime tensor),
or an RSQRT, when the number of channels is not a multiple of 4, and the result goes to CONV_2D, TRANSPOSE_CONV,
FULLY_CONNECTED, BATCH_MATMUL, or to a SUM, MEAN or REDUCE_PROD over channels. `(image - mean) / std` with three
channels in front of a convolution is the usual form.

## Why it matters
The delegate stores channels in groups of four. The places behind the last channel hold 0, and elementwise operators
compute on them as well: 0/0. What adds up channels multiplies these places by 0 instead of leaving them out, so that
not-a-number stays and spreads: **every value** of the result is not-a-number. Measured on WebGPU on 2.1.2 to 2.3.0,
with one channel as well. Multiples of 4, a divisor of one element, or of one channel for many, are right; so is a
divisor that is not 0 there, such as `sqrt(var + eps)` or `maximum(y, eps)`.

## What to do
```python
y = conv((x - mean) * (1 / std))                # multiply by the reciprocals: exact but for rounding
y = x / torch.clamp(s, min=1e-6)                # a divisor that is made at run time
y = x * torch.rsqrt(v + 1e-6)
```

## What it cannot see
Whether a driver makes not-a-number of 0/0: WGSL leaves that to it. The logarithm of 0 and powers of 0 came out finite
where this was measured, and are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.padding import DIVIDING, channels
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.options import BatchMatMulOptions
from ..linter.patterns import reduced_axes
from ._delegated import channel_paddings
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="division-by-padding",
    summary="a division leaves not-a-number behind the last channel",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph in case.model.subgraphs:
        if not any(op.name in DIVIDING and off_four(graph, op.outputs) for op in graph.operators):
            continue
        known = channel_paddings(case, graph)
        told: set[int] = set()
        for op in graph.operators:
            data = added_up(case, graph, op)
            padding = known.get(data) if data is not None and off_four(graph, (data,)) else None
            if padding is None or padding.maker is None or padding.maker in told or not case.on_gpu(graph, op):
                continue
            told.add(padding.maker)
            maker = graph.operators[padding.maker]
            count = channels(graph.tensors[maker.outputs[0]])
            yield case.hazard(
                RULE,
                place(graph, maker, (*maker.inputs, *maker.outputs)),
                f"{maker.name} of {count} channel{'s' * (count > 1)} divides by the zeros behind the last, "
                f"and {op.name} {op.index} adds that up: all of its result is not-a-number",
                advice=ADVICE["RSQRT" if maker.name == "RSQRT" else "DIV"],
                evidence=(measured("every value is not-a-number"),),
            )


ADVICE = {
    "DIV": "MUL by the reciprocals of a constant divisor; MAXIMUM of a runtime divisor and a small constant in front",
    "RSQRT": "ADD a small constant in front of RSQRT",
}


def off_four(graph: Subgraph, tensors: tuple[int, ...]) -> bool:
    """Whether there are places behind the last channel."""
    return any(index >= 0 and channels(graph.tensors[index]) % 4 != 0 for index in tensors[:1])


def added_up(case: Case, graph: Subgraph, op: Operator) -> int | None:
    """The tensor whose channels an operator adds up or multiplies."""
    data, weights = operand(graph, op, 0), operand(graph, op, 1)
    if data is None or not data.rank:
        return None
    if op.name in ("SUM", "MEAN", "REDUCE_PROD"):
        return data.index if -1 in (reduced_axes(case.model, graph, op) or ()) and data.rank > 1 else None
    if op.name == "TRANSPOSE_CONV":
        image = operand(graph, op, 2)
        return image.index if image is not None else None
    if op.name in ("CONV_2D", "FULLY_CONNECTED") and weights is not None and weights.rank:
        return data.index if data.shape[-1] == weights.shape[-1] else None
    options = op.options_of(BatchMatMulOptions)
    return data.index if options is not None and not options.adj_x else None
