"""A buffer or a file above a limit of the runtime, or a buffer that is not there.

## What it reports
- A constant above 128 MiB on WebGPU, above 1 GiB on the other backends.
- A runtime tensor on the GPU above 1 GiB.
- A flatbuffer of 2 GB or more; a file of 2 GB or more whose weights lie behind the flatbuffer, which a browser does
  not load.
- A tensor in an external buffer that the file does not describe, whose file it does not name, or whose region is
  smaller than the tensor.

## Why it matters
WebGPU binds at most 134217728 bytes of a storage buffer unless a device grants more. On an Adreno 750 a table of
155582464 bytes was bound all the same: loading succeeds, the log says `Binding size (155582464) … larger than the
maximum storage buffer binding size (134217728)`, and the model generates garbage (reported, leehack/llamadart#553). On
Android a single allocation above 1 GiB is refused (reported, LiteRT-LM#2461). A flatbuffer ends at 2 GB, because its
offsets are 32 bits; weights behind it, or in external buffers, do not count. The weight loader skips a tensor whose
external buffer the file does not describe, and creation then fails: `Failed to get external weight for buffer id`
(weight_loader/external_weight_loader_litert.cc, v2.2.0). None of that was run here.

A runtime tensor has a buffer of its own, with its channels filled up to a multiple of 4. Above the device's limit
creating the CompiledModel fails (`RESOURCE_EXHAUSTED: Requested allocation size …`): measured on all releases in fp32,
on a device that allows 1 GiB. In fp16 a tensor takes half as much.

## What to do
Split the table, or quantize it: FLOAT16 halves and INT8 quarters its size.

```python
class Embedding(torch.nn.Module):               # [151936, 1024] in int8 is 148 MiB: two tables of 74 MiB
    def forward(self, ids):
        low = ids.clamp(max=self.half - 1)
        high = (ids - self.half).clamp(min=0)
        first = (ids < self.half).unsqueeze(-1)
        return torch.where(first, self.first(low), self.second(high))
```

Or look the rows up in the application and feed them. Run the model on smaller pieces (tiles of the image, parts of
the batch) where a runtime tensor is too large. For external buffers: write the file and its weights again,
together.

## What it cannot see
The limits of a given device, and buffers that kernels allocate while they run. External files are named and never
opened: whether they are there, and as long as the region says, shows when the model is loaded. In half precision a
FLOAT32 constant takes half its bytes on the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import stored_size
from ..linter.delegate.failure import Fault
from ..linter.findings import Confidence, Evidence, Finding, Kind, Rule, Severity, place
from ..linter.model import ExternalBuffer, Model, Operator, Subgraph, Tensor
from ._evidence import from_source, reported
from ._failed import failed

RULE = Rule(
    id="buffer-limit",
    summary="a buffer or file above a limit of the runtime",
    kind=Kind.SIZE,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("leehack/llamadart#553", "LiteRT-LM#2461"),
)

BINDING = 128 << 20
"""maxStorageBufferBindingSize that WebGPU guarantees, in bytes."""

ALLOCATION = 1 << 30
"""Bytes above which a phone was reported to refuse one allocation."""

FLATBUFFER = 1 << 31
"""Bytes that a flatbuffer's offsets reach."""

LOADER = "weight_loader/external_weight_loader_litert.cc@v2.2.0"


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case, RULE, Fault.ALLOCATION, advice="run the model on smaller pieces: tiles, or parts of the batch"
    )
    yield from _file(case.model)
    external = {buffer.id: buffer for buffer in reversed(case.model.external_buffers)}
    seen: set[tuple[int, int]] = set()
    for graph, op in case.operators():
        for index in op.inputs:
            if index < 0:
                continue
            tensor = graph.tensors[index]
            stored = (tensor.buffer, tensor.external_buffer)
            if stored in seen:
                continue
            seen.add(stored)
            size = case.model.constant_size(tensor)
            if tensor.external_buffer:
                buffer = external.get(tensor.external_buffer)
                yield from _external(graph, op, tensor, buffer)
                size = buffer.length if buffer is not None else 0
            if size > BINDING:
                yield from _large(case, graph, op, tensor, size)


def _file(model: Model) -> Iterator[Finding]:
    if model.size < FLATBUFFER:
        return
    behind = [buffer.start for buffer in model.buffers if buffer.appended and buffer.start is not None]
    structure = min(behind, default=model.size)
    if structure >= FLATBUFFER:
        yield RULE.finding(
            None,
            f"the flatbuffer has {structure} bytes; its offsets reach {FLATBUFFER}",
            advice="store the weights behind the flatbuffer or in external buffers, or quantize them",
            severity=Severity.ERROR,
            confidence=Confidence.SOURCE,
            evidence=(from_source("offsets are 32 bits", "litert/compiler/mlir/flatbuffer_export.cc@v2.2.0"),),
        )
        return
    yield RULE.finding(
        None,
        f"the file has {model.size} bytes; a browser loads {FLATBUFFER} at most",
        advice="quantize the weights, or load them in sections, where the model is to run in a browser or on iOS",
        severity=Severity.INFO,
        confidence=Confidence.SOURCE,
        evidence=(from_source("LiteRT.js loads up to 2 GB", "litert/js/README.md@v2.2.0"),),
    )


def _external(graph: Subgraph, op: Operator, tensor: Tensor, buffer: ExternalBuffer | None) -> Iterator[Finding]:
    label, number = graph.label(tensor.index), tensor.external_buffer
    needed = stored_size(tensor)
    if buffer is None:
        wrong = f"{label} lies in external buffer {number}, which the file does not describe"
    elif not buffer.group:
        wrong = f"{label} lies in external buffer {number}, whose file has no name"
    elif needed is not None and not buffer.packing and buffer.length < needed:
        wrong = f"{label} takes {needed} bytes, and external buffer {number} holds {buffer.length}"
    else:
        return
    yield RULE.finding(
        place(graph, op, (tensor.index,)),
        wrong,
        advice="write the file and its external buffers again, together",
        severity=Severity.ERROR,
        confidence=Confidence.SOURCE,
        evidence=(from_source("the loader finds no bytes for the tensor", LOADER),),
    )


def _large(case: Case, graph: Subgraph, op: Operator, tensor: Tensor, size: int) -> Iterator[Finding]:
    evidence: tuple[Evidence, ...]
    if case.backend == "webgpu":
        said = f"above the {BINDING} that WebGPU guarantees to bind"
        evidence = (reported("loads and generates garbage on an Adreno 750", "webgpu", "leehack/llamadart#553"),)
    elif size > ALLOCATION:
        said = f"above the {ALLOCATION} that a phone allocates at once"
        evidence = (reported("RESOURCE_EXHAUSTED on Android", "opencl", "LiteRT-LM#2461"),)
    else:
        return
    yield RULE.finding(
        place(graph, op, (tensor.index,)),
        f"constant {graph.label(tensor.index)} takes {size} bytes, {said}",
        advice="split it, quantize it (FLOAT16 halves, INT8 quarters its size), or look it up in the application",
        confidence=Confidence.REPORTED,
        evidence=evidence,
    )
