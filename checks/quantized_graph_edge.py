"""A graph input or output of an element type for which the release cannot hand a buffer to the GPU.

## What it reports
An input of the graph that the GPU reads, or an output that it makes, of these types:

| type | releases on which the first run fails |
|---|---|
| INT8 or UINT8 with quantization parameters | 2.1.2, 2.1.3 |
| INT8 without them, FLOAT16 | 2.1.2 |
| UINT8 without them, INT16, UINT16, UINT32 | 2.1.2 to 2.1.5 |

## Why it matters
The model compiles, with full residency, and running it raises: `NOT_FOUND … delegate_kernel_litert.cc` for quantized
tensors, `Unsupported element type` where the buffer is made for the others. Measured on WebGPU; INT32, BOOL and
FLOAT32 are fine on every release. Up to 2.1.4 the Python API knows neither UINT8 nor BOOL arrays, which is another
matter: their bytes pass.

## What to do
Use 2.1.6 or later (2.1.4 for quantized edges), or keep the edges in float: QUANTIZE behind a FLOAT32 input and
DEQUANTIZE before a FLOAT32 output run on the GPU. In ai-edge-quantizer and the TFLite converter that is
`inference_input_type` and `inference_output_type` left at float.

## What it cannot see
Buffers that the application makes itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph, Tensor
from ._evidence import measured, releases

RULE = Rule(
    id="quantized-graph-edge",
    summary="a graph input or output of a type that the release cannot hand to the GPU",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)

QUANTIZED_UNTIL, ONLY_FLOATS_UNTIL, NARROW_UNTIL = "2.1.3", "2.1.2", "2.1.5"


def check(case: Case) -> Iterator[Finding]:
    for graph in case.model.subgraphs[:1]:
        for tensor, op, side in _edges(case, graph):
            until = _fails_until(graph.tensors[tensor])
            if until is None or not case.within("2.1.2", until):
                continue
            yield from _finding(case, graph, op, graph.tensors[tensor], side, until)


def _edges(case: Case, graph: Subgraph) -> Iterator[tuple[int, Operator, str]]:
    """The graph's inputs and outputs at operators on the GPU."""
    for tensor in dict.fromkeys(graph.inputs):
        op = next((op for op in graph.readers(tensor) if case.on_gpu(graph, op)), None)
        if op is not None:
            yield tensor, op, "input"
    for tensor in dict.fromkeys(graph.outputs):
        op = graph.producer(tensor)
        if op is not None and case.on_gpu(graph, op):
            yield tensor, op, "output"


def _fails_until(tensor: Tensor) -> str | None:
    """The last release on which the type fails at an edge."""
    if tensor.type in ("INT8", "UINT8") and tensor.quantized:
        return QUANTIZED_UNTIL
    if tensor.type in ("INT8", "FLOAT16"):
        return ONLY_FLOATS_UNTIL
    return NARROW_UNTIL if tensor.type in ("UINT8", "INT16", "UINT16", "UINT32") else None


def _finding(case: Case, graph: Subgraph, op: Operator, tensor: Tensor, side: str, until: str) -> Iterator[Finding]:
    quantized = until == QUANTIZED_UNTIL
    if case.backend != "webgpu" and not quantized:
        return  # the buffer is refused by WebGPU's own code
    reason = "NOT_FOUND … delegate_kernel_litert.cc" if quantized else "Unsupported element type"
    kind = "quantized " if quantized else ""
    yield RULE.finding(
        place(graph, op, (tensor.index,)),
        f"the {kind}{tensor.type} graph {side} {graph.label(tensor.index)} compiles and fails at the first run "
        f"({reason})",
        advice=f"use {'2.1.4' if quantized else '2.1.6'} or later, or give the graph FLOAT32 inputs and outputs",
        severity=Severity.ERROR if case.backend == "webgpu" else Severity.WARNING,
        confidence=Confidence.MEASURED if case.backend == "webgpu" else Confidence.HEURISTIC,
        evidence=(measured(f"the first run raises: {reason}", releases("2.1.2", until)),),
    )
