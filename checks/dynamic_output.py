"""A graph output without a static shape.

## What it reports
An output of a subgraph with a signature, or of the first one, whose shape is not in the file, or may change at run
time.

## Why it matters
The application sizes its output buffer by the file: without a static shape it gets 4 bytes (LiteRT#9518), or a size
of another input. Nothing breaks on the GPU as long as the tensors are static there.

## What to do
Export with fixed sizes, or read the shape after every run.

```python
litert_torch.convert(model, (torch.zeros(1, 3, 224, 224),))     # no dynamic_shapes
```

## What it cannot see
Whether the application resizes its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place

RULE = Rule(
    id="dynamic-output",
    summary="a graph output has no static shape",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
    references=("LiteRT#9518",),
)


def check(case: Case) -> Iterator[Finding]:
    entries = {signature.subgraph for signature in case.model.signatures} or {0}
    for graph in case.model.subgraphs:
        if graph.index not in entries:
            continue
        for index in graph.outputs:
            if index < 0:
                continue
            tensor = graph.tensors[index]
            unknown = not tensor.has_shape
            changing = tensor.signature is not None and min(tensor.signature, default=0) < 0
            producer = graph.producer(index)
            if producer is None or not (unknown or changing):
                continue
            shape = "no shape" if unknown else f"the shape {list(tensor.signature or ())}"
            yield RULE.finding(
                place(graph, producer, (index,)),
                f"output {graph.label(index)} has {shape} in the file",
                advice="export with fixed sizes, or read the output's shape after every run",
                confidence=Confidence.SOURCE,
            )
