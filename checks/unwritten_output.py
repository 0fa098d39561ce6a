"""A graph output that is a stored constant behind DEQUANTIZE.

## What it reports
An output that a DEQUANTIZE makes of a FLOAT16 constant; of another constant too, where the DEQUANTIZE runs on the CPU.

## Why it matters
Nothing writes the output: it comes back as whatever its memory held, zeros at times, or the run fails. The delegate
takes FLOAT16 constants as weights and leaves the DEQUANTIZE out; the CPU's kernel keeps the result to itself. What
reads the tensor inside the graph is right. Measured on WebGPU on 2.1.2 to 2.3.0. Anchors, positions and class
embeddings that a float16 conversion returns beside the results have this form.

## What to do
```python
return scores                        # leave the constant out, and ship it beside the model
```

Or keep the constant in float32, without a DEQUANTIZE: exact.

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.node import is_half_weight
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._entries import entries
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="unwritten-output",
    summary="an output that is a constant behind DEQUANTIZE is never written",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph in entries(case.model):
        for index in graph.outputs:
            op = graph.producer(index) if index >= 0 else None
            if op is None or op.name != "DEQUANTIZE":
                continue
            source = operand(graph, op, 0)
            if source is None or not source.constant or not (is_half_weight(graph, op) or not case.on_gpu(graph, op)):
                continue
            yield case.hazard(
                RULE,
                place(graph, op, (source.index, index)),
                f"nothing writes output {graph.label(index)}, a {source.type} constant behind DEQUANTIZE",
                advice="store the constant as FLOAT32, or leave it out of the outputs: exact",
                evidence=(measured("the output is whatever its memory held"),),
            )
