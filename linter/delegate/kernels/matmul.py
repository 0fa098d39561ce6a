"""Products of matrices, and table lookup: FULLY_CONNECTED, BATCH_MATMUL, EMBEDDING_LOOKUP.

Source: FullyConnectedOperationParser, BatchedMatMulOperationParser and EmbeddingLookupOperationParser in
ml_drift_delegate/tflite/model_builder.cc, v2.2.0; all conditions measured on 2.1.2 to 2.3.0.
"""

from __future__ import annotations

from ...model import Tensor
from ...options import FullyConnectedOptions
from ..conditions import (
    float_constant,
    known_activation,
    matrix_constant,
    max_version,
    outputs_readable,
    readable,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..quantized import MATRIX_TYPES, readable_matrix, scheme
from ..refusal import Cause, Refusal, Refusals, parameter
from ..types import BASE_IN, BASE_OUT, INT32


def fully_connected(n: Node) -> Refusals:
    """The bias, and whether input and weights fit, are not tested."""
    yield from max_version(n, 14)
    options = n.options(FullyConnectedOptions)
    if options is not None and options.weights_format.number != 0:
        yield parameter(f"Unsupported FullyConnected weights format: {options.weights_format.number}")
    if n.runtime_count > 2:
        yield parameter("FullyConnected doesn't support more than 2 runtime inputs.")
    if n.constant(0):
        yield Refusal(Cause.CONSTANT, "FullyConnected doesn't support constant input.")
    data, weights, output = n.input(0), n.input(1), n.output(0)
    keeps = options is not None and options.keep_num_dims
    if keeps and data is not None and output is not None and data.rank != output.rank:
        yield parameter("Input and output dimensions different and FullyConnected doesn't support keep_num_dims.")
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    yield from readable(n, 0)
    if weights is None:
        yield parameter("input #1 tensor is not available")
        return
    kind = scheme(weights, n.era)
    if kind == "affine":
        yield from readable_matrix(n, weights)
    elif kind != "blockwise":
        yield from readable(n, 1)
    yield from outputs_readable(n)
    if options is not None:
        yield from known_activation(options.fused_activation_function)


def batch_matmul(n: Node) -> Refusals:
    """Adjoint flags, broadcasting and the fit of the shapes are not tested. 2.1.2 has one message for three cases, and
    takes constant matrices of rank 2 only (measured)."""
    if len(n.inputs) != 2 or len(n.outputs) != 1:
        counts = f"{len(n.inputs)} inputs and {len(n.outputs)} outputs"
        yield parameter(f"Expected 2 inputs and 1 output, got: {counts}")
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    unsupported = "Not supported batched mat mul case"
    named = n.since("2.1.3")
    if n.runtime_count == 1:
        yield from readable(n, 0)
        right = n.input(1)
        if right is None or not right.constant:
            yield parameter(f"{unsupported}: non-constant tensor" if named else unsupported)
        elif right.rank == 2:
            yield from matrix_constant(n, 1)
        elif named and right.rank in (3, 4):
            yield from float_constant(n, 1)
        else:
            yield parameter(f"{unsupported}: second input has unsupported rank" if named else unsupported, right.index)
    elif n.runtime_count == 2:
        yield from readable(n, 0)
        yield from readable(n, 1)
    else:
        yield Refusal(Cause.CONSTANT, f"{unsupported}: too many inputs" if named else unsupported)
    yield from outputs_readable(n)


def embedding_lookup(n: Node) -> Refusals:
    """First the table, then what the compatibility file says of shapes; up to 2.1.4 the other way round (measured)."""
    table = n.input(1)
    if table is None:
        yield parameter("input #1 tensor is not available")
        return
    if scheme(table, n.era) is None and table.type != "FLOAT32":
        yield parameter("EMBEDDING_LOOKUP: Empty quantization params.", table.index)
    if n.before("2.1.5"):
        yield from _lookup_shapes(n, table)
    if table.type in MATRIX_TYPES:
        yield from readable_matrix(n, table)
    elif table.type != "FLOAT32":
        yield parameter("EMBEDDING_LOOKUP: Unsupported weights type.", table.index)
    yield from readable(n, 0)
    yield from _lookup_shapes(n, table)
    yield from outputs_readable(n)


def _lookup_shapes(n: Node, table: Tensor) -> Refusals:
    """GC. Ranks and types that the CPU kernel refuses as well are met by none that comes here."""
    if len(n.inputs) != 2:
        yield parameter(f"Expected 2, but got {len(n.inputs)} inputs.")
    if len(n.outputs) != 1:
        yield parameter(f"Expected 1, but got {len(n.outputs)} outputs.")
    ids, output = n.input(0), n.output(0)
    if ids is None or output is None:
        return
    if ids.rank != 1:
        yield parameter(f"Expected 1D, but got {ids.rank}D input #0.", ids.index)
    if table.rank < 2:
        yield parameter(f"Expected > 1D, but got {table.rank}D input #1.", table.index)
    if table.rank != output.rank:
        yield parameter(f"Expected {table.rank}, but got {output.rank} for output.")
    for axis, (expected, found) in enumerate(zip(table.shape, output.shape, strict=False)):
        if axis and expected != found:
            yield parameter(f"Expected {expected}, but got {found} for output.dim[{axis}].")
    if table.type == "FLOAT32" or table.type in MATRIX_TYPES - {"INT2"}:
        return
    two_bits = n.since("2.1.3")
    if table.type == "INT2" and two_bits:
        return
    types = "int8, int4, int2, or float32" if two_bits else "int8, int4, or float32"
    yield parameter(f"Expected {types}, but got {table.type} for input #1.", table.index)


KERNELS: Kernels = {
    "FULLY_CONNECTED": Kernel(fully_connected, BASE_IN, BASE_OUT),
    "BATCH_MATMUL": Kernel(batch_matmul, BASE_IN, BASE_OUT),
    "EMBEDDING_LOOKUP": Kernel(embedding_lookup, BASE_IN | INT32, BASE_OUT),
}
