"""StableHLO operators that the delegate has parsers for, though no release registers them.

A model with one does not load, unless the application registers the operator itself. Source:
RemainderOperationParser, CbrtOperationParser, ClampOperationsParser and BroadcastInDimOperationParser in
ml_drift_delegate/tflite/model_builder.cc and their cases in tflite/tools/versioning/gpu_compatibility.cc, both
v2.2.0; not measured.
"""

from __future__ import annotations

from ...model import Tensor
from ..conditions import int32_values, is_vector, outputs_readable, readable, real_constants_outputs
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Refusals, parameter, rank
from ..types import ANY_IN, ANY_OUT, BASE_IN, BASE_OUT, BFLOAT16, SIGNED
from .elementwise import one_or_two_operands


def remainder(n: Node) -> Refusals:
    yield from one_or_two_operands(n)
    yield from readable(n, 0)
    yield from readable(n, 1)
    yield from outputs_readable(n)


def cbrt(n: Node) -> Refusals:
    if n.since("2.1.6"):
        yield from real_constants_outputs(n, 1, 0, 1)
    source, target = n.input(0), n.output(0)
    if source is not None and target is not None:
        if source.type not in ("FLOAT16", "FLOAT32", "BFLOAT16"):
            yield parameter("Only support float inputs", source.index)
        if source.type != target.type:
            yield parameter("Input and output types must match", source.index, target.index)
    yield from real_constants_outputs(n, 1, 0, 1)
    yield from outputs_readable(n)
    yield from readable(n, 0)


def clamp(n: Node) -> Refusals:
    """The least value, the operand, the greatest value."""
    if n.since("2.1.6"):
        yield from real_constants_outputs(n, 3, 0, 1)
    least, value, most = n.input(0), n.input(1), n.input(2)
    if least is not None and value is not None and most is not None:
        if not least.type == value.type == most.type:
            yield parameter("Clamp tensors must all be the same type", value.index)
        if least.shape != value.shape and least.elements != 1:
            yield parameter("Min tensor must be the same shape as the input, or a scalar", least.index)
        # Up to 2.1.5 it is the least value that must be a scalar here too.
        scalar = most if n.since("2.1.6") else least
        if most.shape != value.shape and scalar.elements != 1:
            yield parameter("Max tensor must be the same shape as the input, or a scalar", most.index)
    yield from real_constants_outputs(n, 3, 0, 1)
    yield from outputs_readable(n)
    for position in range(3):
        yield from readable(n, position)


def broadcast_in_dim(n: Node) -> Refusals:
    source, indices, target = n.input(0), n.input(1), n.output(0)
    counts = (n.runtime_count, n.constant_count, len(n.outputs))
    if counts != (1, 1, 1) or source is None or indices is None or target is None:
        yield parameter("requires one runtime input, one const input, and one output")
        return
    if indices.rank != 1:
        yield parameter("Only support 1D indices", indices.index)
    if indices.type != "INT32":
        yield parameter("Only support int32 indices", indices.index)
    if source.rank != indices.shape[0]:
        yield parameter("Require size(indices) = rank(operand)", indices.index)
    yield from outputs_readable(n)
    for tensor, title in ((source, "input"), (target, "output")):
        if not 1 <= tensor.rank <= 4:
            said = rank if tensor.rank > 4 else parameter
            yield said(f"Only supports 1D-4D {title} tensor.", tensor.index)
    values = yield from int32_values(n, 1, is_vector)
    if values is not None:
        yield from _placed(source, target, values)
    yield from readable(n, 0)


def _placed(source: Tensor, target: Tensor, indices: tuple[int, ...]) -> Refusals:
    for extent, index in zip(source.shape, indices, strict=False):
        if not 0 <= index < target.rank:
            yield parameter("Require 0 <= index val < rank(result)")
        if extent != 1 and extent != target.shape[index]:
            yield parameter("Requires dim(input, d) = 1 || dim(input, d) = dim(output, index[d])")
    if len(set(indices)) != len(indices):
        yield parameter("Index values must be unique")


KERNELS: Kernels = {
    "STABLEHLO_BROADCAST_IN_DIM": Kernel(broadcast_in_dim, ANY_IN, ANY_OUT),
    "STABLEHLO_CBRT": Kernel(cbrt, BASE_IN | BFLOAT16, BASE_OUT | BFLOAT16),
    "STABLEHLO_CLAMP": Kernel(clamp, BASE_IN | BFLOAT16 | SIGNED, BASE_OUT | BFLOAT16 | SIGNED),
    "STABLEHLO_REMAINDER": Kernel(remainder, BASE_IN | SIGNED, BASE_OUT | SIGNED),
}
