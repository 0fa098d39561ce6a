"""A file that the runtime refuses to load.

## What it reports
A schema version other than 3, quantization parameters that cannot be, element types that the loader does not know,
operators that wait for each other, tensors that are read and never written, and models compiled for an NPU.

## Why it matters
The model does not load on the named releases, on any accelerator; where a tensor is never written it loads, and its
first run fails. The finding repeats the runtime's words where it prints any.

## What to do
Convert again with a current converter:

```python
litert_torch.convert(model.eval(), sample_inputs).export("model.tflite")
```

## What it cannot see
Damage that makes the file unreadable is not a finding: it is an error with a byte offset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._failed import failed

RULE = Rule(
    id="malformed-model",
    summary="the runtime refuses to load the file",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.MALFORMED,
        Fault.ELEMENT_TYPE,
        Fault.WRITTEN_TWICE,
        advice="convert the model again with a current converter",
    )
    yield from failed(
        case,
        RULE,
        Fault.NPU_MODEL,
        advice="use the model before it was compiled for the NPU",
    )
    yield from _never_written(case)


def _never_written(case: Case) -> Iterator[Finding]:
    for graph in case.model.subgraphs:
        given = {*graph.inputs, *graph.producers}
        for op in graph.operators:
            for index in dict.fromkeys(op.inputs):
                if index < 0 or index in given:
                    continue
                tensor = graph.tensors[index]
                if tensor.constant or tensor.external_buffer or tensor.variable or not tensor.elements:
                    continue
                yield RULE.finding(
                    place(graph, op, (index,)),
                    f"nothing writes {graph.label(index)}: the first run fails with `Input tensor {index} lacks data`",
                    advice="convert the model again: the tensor's data, or the operator that writes it, is missing",
                    evidence=(measured("Failed to invoke, on the GPU and on the CPU"),),
                )
