"""A buffer or a file above a limit of the runtime.

## What it reports
A constant larger than 128 MiB, a runtime tensor on the GPU larger than 1 GiB, a file of 2 GB or more without external
weights, and a tensor that names an external buffer that the file does not describe.

## Why it matters
WebGPU binds at most 134217728 bytes of a storage buffer unless a device grants more. On an Adreno a 155 MB table
was bound all the same and gave garbage (`Binding size … larger than the maximum storage buffer binding size`). A
flatbuffer ends at 2 GB: offsets are 32 bits, and CompiledModel refuses larger files without external buffers.
Reported, not run here.

A runtime tensor has a buffer of its own, with its channels filled up to a multiple of 4. Above the device's limit
creating the CompiledModel fails (`RESOURCE_EXHAUSTED: Requested allocation size …`): measured on all releases in fp32,
on a device that allows 1 GiB. In fp16 a tensor takes half as much.

## What to do
Split the table, or quantize it: half the bytes at FLOAT16, a quarter at INT8. Run the model on smaller pieces (tiles of
the image, parts of the batch) where a runtime tensor is too large.

```python
# an embedding of [262144, 512] in float32 is 512 MiB: store it as int8 (128 MiB) or look it up in the application
```

## What it cannot see
Limits of a given device; buffers that kernels allocate while they run. External files are named and never opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ._evidence import from_source, reported
from ._failed import failed

RULE = Rule(
    id="buffer-limit",
    summary="a buffer or file above a limit of the runtime",
    kind=Kind.SIZE,
    severity=Severity.WARNING,
    since="0.1.0",
)


BINDING = 134_217_728
"""maxStorageBufferBindingSize that WebGPU guarantees, in bytes."""

FLATBUFFER = 1 << 31
"""Bytes that a flatbuffer's offsets reach."""


def check(case: Case) -> Iterator[Finding]:
    model = case.model
    yield from failed(
        case, RULE, Fault.ALLOCATION, advice="run the model on smaller pieces: tiles, or parts of the batch"
    )
    if model.size >= FLATBUFFER and not any(buffer.appended for buffer in model.buffers):
        yield RULE.finding(
            None,
            f"the file has {model.size} bytes; a flatbuffer reaches {FLATBUFFER}",
            advice="store the weights outside the flatbuffer (external buffers), or quantize them",
            severity=Severity.ERROR,
            confidence=Confidence.SOURCE,
            evidence=(from_source("offsets are 32 bits", "flatbuffers: 2 GB limit"),),
        )
    known = {buffer.id for buffer in model.external_buffers}
    seen: set[int] = set()
    for graph, op in case.operators():
        for index in op.inputs:
            if index < 0:
                continue
            tensor = graph.tensors[index]
            if tensor.external_buffer and tensor.external_buffer not in known:
                yield RULE.finding(
                    place(graph, op, (index,)),
                    f"{graph.label(index)} lies in external buffer {tensor.external_buffer}, "
                    "which the file does not describe",
                    advice="write the file and its external buffers again, together",
                    severity=Severity.ERROR,
                    confidence=Confidence.SOURCE,
                    evidence=(from_source("the id is looked up at load", "tflite/converter/schema/schema.fbs@v2.2.0"),),
                )
            if tensor.buffer in seen or model.constant_size(tensor) <= BINDING:
                continue
            seen.add(tensor.buffer)
            yield RULE.finding(
                place(graph, op, (index,)),
                f"constant {graph.label(index)} takes {model.constant_size(tensor)} bytes, "
                f"above the {BINDING} that WebGPU guarantees to bind",
                advice="split it, quantize it (FLOAT16 halves, INT8 quarters its size), "
                "or look it up in the application",
                confidence=Confidence.REPORTED,
                evidence=(reported("garbage results on an Adreno", "webgpu", "llamadart#553"),),
            )
