"""A graph output without a static shape.

## What it reports
An output of a subgraph with a signature, or of the first one, whose shape is not in the file, or may change at run
time.

## Why it matters
The application sizes its output buffer by the file. Without a static shape it gets 4 bytes, as for the four outputs
of TFLite_Detection_PostProcess (reported, LiteRT#9518, CPU, 2.2.0), or the size of another input (LiteRT#5774,
2.1.1). Nothing breaks on the GPU as long as the tensors are static there: where they are not, `dynamic-shape` says so.

## What to do
Export with fixed sizes:

```python
litert_torch.convert(model, (torch.zeros(1, 3, 224, 224),))     # no dynamic_shapes
```

Or cut the head whose size depends on values (box decoding, non-maximum suppression) and run it in the application.
Where the size has to change, read the output's shape after every run.

## What it cannot see
Whether the application resizes its inputs. A -1 in the shape signature alone does not make a tensor dynamic.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ._entries import entries

RULE = Rule(
    id="dynamic-output",
    summary="a graph output has no static shape",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
    references=("LiteRT#9518", "LiteRT#5774"),
)


def check(case: Case) -> Iterator[Finding]:
    for graph in entries(case.model):
        for index in graph.outputs:
            if index < 0:
                continue
            tensor = graph.tensors[index]
            producer = graph.producer(index)
            if producer is None:
                continue
            # Converters write an empty shape for what a custom operator makes: it is no scalar.
            unknown = not tensor.has_shape or (not tensor.shape and producer.name == "CUSTOM")
            changing = tensor.signature is not None and min(tensor.signature, default=0) < 0
            if not (unknown or changing):
                continue
            shape = "no shape" if unknown else f"the shape {list(tensor.signature or ())}"
            yield RULE.finding(
                place(graph, producer, (index,)),
                f"output {graph.label(index)} has {shape} in the file",
                advice="export with fixed sizes, or read the output's shape after every run",
                confidence=Confidence.SOURCE,
            )
