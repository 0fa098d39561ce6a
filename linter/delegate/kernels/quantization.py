"""Between real numbers and quantized ones: QUANTIZE and DEQUANTIZE.

Source: QuantizeOperationParser and DequantizeOperationParser in ml_drift_delegate/tflite/model_builder.cc, v2.2.0;
measured on 2.1.2 to 2.3.0. A DEQUANTIZE of a FLOAT16 constant never comes here (`node.is_half_weight`).
"""

from __future__ import annotations

from ..conditions import (
    float_constant,
    inputs_outputs,
    matrix_constant,
    max_version,
    outputs_readable,
    readable,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..quantized import scheme
from ..refusal import Refusals, parameter
from ..types import BASE_IN, BASE_OUT


def quantize(n: Node) -> Refusals:
    yield from max_version(n, 2)
    yield from inputs_outputs(n, 1, 1)
    yield from readable(n, 0)
    output = n.output(0)
    if output is None or scheme(output, n.era) is None:
        yield parameter("Encountered Quantize output with no quant params")
    yield from outputs_readable(n)


def dequantize(n: Node) -> Refusals:
    yield from max_version(n, 3)
    if len(n.inputs) != 1 or len(n.outputs) != 1:
        yield parameter(f"Expected 1 input & output each from Dequantize, got: {len(n.inputs)}, {len(n.outputs)}")
    data = n.input(0)
    if data is None:
        return
    if data.type == "INT16":
        yield parameter("Unsupported dequantization type.", data.index)
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    if data.constant:
        yield from _constant_input(n)
        return
    kind = scheme(data, n.era)
    if kind is None:
        # Up to 2.1.5 such an operator is accepted, and the process dies while kernels are built.
        if n.since("2.1.6"):
            yield parameter("Dequantize for Densify is not supported", data.index)
        return
    if kind == "affine" and data.quantization is not None and data.quantization.per_channel:
        yield parameter("Unsupported quantization scale size", data.index)
    yield from readable(n, 0)


def _constant_input(n: Node) -> Refusals:
    data = n.input(0)
    if data is None:
        return
    if not 2 <= data.rank <= 4:
        yield parameter(f"Unsupported dims for tensor: {data.name} Got dims:{data.rank}", data.index)
    if data.rank == 2:
        yield from matrix_constant(n, 0)
    else:
        yield from float_constant(n, 0)


KERNELS: Kernels = {
    "QUANTIZE": Kernel(quantize, BASE_IN, BASE_OUT),
    "DEQUANTIZE": Kernel(dequantize, BASE_IN, BASE_OUT),
}
