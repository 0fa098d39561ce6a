"""Arithmetic on INT16 tensors with quantization parameters.

## What it reports
ADD, SUB, MUL, DIV, SUM and REDUCE_PROD on the GPU of INT16 tensors with scales, and ABS where the scale of its
result is another one.

## Why it matters
The delegate dequantizes INT8 and UINT8, and takes INT16 for plain integers: the scales are ignored, and sums wrap
around where the CPU saturates. The result is wrong, silently and with full residency. Models quantized with 16-bit
activations are such (`static_wi8_ai16` of ai-edge-quantizer, `16x8` of the TFLite converter). Measured on WebGPU on
2.1.6 to 2.3.0; up to 2.1.5 the same kernels run, where no INT16 tensor enters or leaves the GPU (see
quantized-graph-edge).

## What to do
Quantize with 8-bit activations, or leave the activations float (dynamic-range or weight-only quantization): both are
computed with their scales.

```python
quantizer.load_quantization_recipe(recipe.static_wi8_ai8())      # not static_wi8_ai16()
```

## What it cannot see
Nothing else decides: types and scales are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import scales
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Model, Operator, Subgraph, Tensor
from ._evidence import measured, releases
from ._operands import operand, result

RULE = Rule(
    id="int16-scale",
    summary="INT16 quantized arithmetic, computed without the scales",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)

SCALED = frozenset({"ADD", "SUB", "MUL", "DIV", "SUM", "REDUCE_PROD"})


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators():
        data = operand(graph, op, 0)
        if data is None or not _scaled(data) or not (op.name in SCALED or _rescales(case.model, graph, op, data)):
            continue
        yield case.hazard(
            RULE,
            place(graph, op, op.inputs),
            f"{op.name} takes the INT16 values of {graph.label(data.index)} for plain integers, without their scale",
            advice="quantize with 8-bit activations, or leave the activations float",
            evidence=(measured("wrong values", releases("2.1.6")),),
        )


def _scaled(tensor: Tensor) -> bool:
    return tensor.type == "INT16" and tensor.quantized


def _rescales(model: Model, graph: Subgraph, op: Operator, data: Tensor) -> bool:
    """Whether ABS is asked for another scale."""
    made = result(graph, op) if op.name == "ABS" else None
    return made is not None and scales(model, made) != scales(model, data)
