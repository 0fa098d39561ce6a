"""Operators that work element by element: unary, binary, comparisons, logic, the RELU family, CAST and BITCAST.

Source: the parsers of these names in ml_drift_delegate/tflite/model_builder.cc (most are
ElementwiseOperationParser) and their cases in tflite/tools/versioning/gpu_compatibility.cc, both v2.2.0; every
condition measured on 2.1.2 to 2.3.0.
"""

from __future__ import annotations

from ...model import Tensor
from ...options import AddOptions, DivOptions, MulOptions, Options, SubOptions
from ..conditions import (
    bad_rank,
    broadcastable,
    float_constant,
    inputs_constants_outputs,
    inputs_outputs,
    known_activation,
    linear,
    max_version,
    outputs_readable,
    rank_readable,
    readable,
    shape_text,
    tensor_readable,
)
from ..kernel import Check, Kernel, Kernels
from ..node import Node
from ..refusal import Cause, Refusal, Refusals, parameter, rank
from ..types import (
    ANY_IN,
    ANY_OUT,
    BASE_IN,
    BASE_OUT,
    BFLOAT16,
    BOOL,
    LOGICAL,
    SIGNED,
    UNSIGNED,
)


def unary(n: Node) -> Refusals:
    """One runtime operand. Highest versions: ABS 5, GELU 3, all others 2."""
    yield from max_version(n, {"ABS": 5, "GELU": 3}.get(n.op.name, 2))
    yield from inputs_constants_outputs(n, 1, 0, 1)
    yield from _operand_and_outputs(n)


def _operand_and_outputs(n: Node) -> Refusals:
    """From 2.1.5 on the outputs come first."""
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def hard_swish(n: Node) -> Refusals:
    yield from inputs_outputs(n, 1, 1)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def relu(n: Node) -> Refusals:
    yield from max_version(n, 2)
    yield from _one_runtime_operand(n)
    yield from _operand_and_outputs(n)


def _one_runtime_operand(n: Node) -> Refusals:
    """2.1.5 does not count the inputs, and dies of a constant."""
    if n.since("2.1.6"):
        yield from inputs_outputs(n, 1, 1)
    elif n.before("2.1.5"):
        yield from inputs_constants_outputs(n, 1, 0, 1)


def relu_0_to_1(n: Node) -> Refusals:
    """Accepted up to 2.1.4. From 2.1.5 the compatibility table is asked, and it has no entry for it."""
    yield from max_version(n, 2)
    if n.since("2.1.5"):
        yield Refusal(Cause.KERNEL, "Not supported op RELU_0_TO_1")
    yield from _one_runtime_operand(n)
    yield from _operand_and_outputs(n)


def prelu(n: Node) -> Refusals:
    """Alpha is one value a channel, or one an element of a picture; a rank of 1 is a batch of one channel."""
    yield from max_version(n, 1)
    yield from readable(n, 0)
    data = n.input(0)
    alpha = yield from float_constant(n, 1)
    if data is None or alpha is None:
        return
    height, width, channels = _picture(data)
    if linear(alpha):
        if alpha.shape[-1] != channels:
            yield parameter("Linear alpha shape does not match the number of input channels.", alpha.index)
    elif alpha.rank not in (3, 4):
        yield parameter(
            "Expected a 3D tensor of shape HxWxC or a 4D tensor of shape 1xHxWxC but got " + shape_text(alpha),
            alpha.index,
        )
    elif alpha.rank == 4 and alpha.shape[0] != 1:
        yield parameter("Batch size is not equal to 1.", alpha.index)
    elif alpha.shape[-3:] != (height, width, channels):
        yield parameter("Alpha shape does not match input shape.", alpha.index)
    yield from outputs_readable(n)


def _picture(tensor: Tensor) -> tuple[int, int, int]:
    """Height, width and channels as the delegate lays out a tensor (MBH ExtractTensorShape)."""
    shape = tensor.shape
    if len(shape) < 2:
        return 1, 1, 1
    if len(shape) < 4:
        return 1, shape[1] if len(shape) == 3 else 1, shape[-1]
    return shape[1], shape[2], shape[3]


def cast(n: Node) -> Refusals:
    """No version test, and any types that the delegate knows."""
    yield from _one_runtime_operand(n)
    yield from _operand_and_outputs(n)


def binary(n: Node) -> Refusals:
    name = n.op.name
    yield from max_version(n, _highest(n))
    first, second = n.input(0), n.input(1)
    if n.all_constant and len(n.inputs) == 2 and first and second and n.since("2.3.0"):
        yield from outputs_readable(n)
        yield from _two_constants(n, first, second)
        yield from _fused(n)
        return
    yield from _COMPATIBLE.get(name, one_or_two_operands)(n)
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    if n.runtime_count == len(n.inputs) == 2 and len(n.outputs) == 1 and first and second:
        yield from _two_runtime_operands(n, first, second)
    else:
        yield from inputs_constants_outputs(n, 1, 1, 1)
        for tensor in n.inputs:
            if tensor is not None and tensor.constant:
                yield from _usable_constant(tensor)
    yield from _fused(n)
    yield from outputs_readable(n)


def _fused(n: Node) -> Refusals:
    if _activation(n) == "SIGN_BIT":
        yield parameter("Unsupported fused activation: 5")


def _highest(n: Node) -> int:
    name = n.op.name
    if name in ("ADD", "ADD_N"):
        return 6 if n.since("2.1.6") else 2
    if name == "MUL":
        return 8 if n.since("2.1.6") else 4
    return {"FLOOR_DIV": 3, "MAXIMUM": 4, "MINIMUM": 4}.get(name, 2)


def _activation(n: Node) -> str:
    options: Options | None = n.op.options
    return options.fused_activation_function if isinstance(options, _ACTIVATED) else "NONE"


_ACTIVATED = (AddOptions, DivOptions, MulOptions, SubOptions)


def one_or_two_operands(n: Node) -> Refusals:
    """GC: two runtime operands, or a runtime one and a constant."""
    if len(n.outputs) != 1 or (n.runtime_count, n.constant_count) not in ((2, 0), (1, 1)):
        yield Refusal(Cause.CONSTANT if n.all_constant else Cause.PARAMETER, "Op can only handle 1 or 2 operand(s).")
    if n.op.name in ("DIV", "SUB"):
        yield from known_activation(_activation(n))


def _add(n: Node) -> Refusals:
    if len(n.inputs) != 2:
        yield parameter("ADD requires two input tensors.")
    yield from _broadcast_of_matrices(n)


def _mul(n: Node) -> Refusals:
    if len(n.inputs) != 2:
        yield parameter("MUL requires two input tensors.")
    yield from _broadcast_of_matrices(n)
    yield from known_activation(_activation(n))


def _broadcast_of_matrices(n: Node) -> Refusals:
    """GC CheckAddMulBroadcastCompatibility: operands of different ranks above 1, runtime or constant."""
    first, second = n.input(0), n.input(1)
    if first is None or second is None or first.rank == second.rank or min(first.rank, second.rank) < 2:
        return
    if not broadcastable(first, second):
        yield parameter(f"Doesn't support broadcasting - input0: {shape_text(first)}, input1: {shape_text(second)}")


def _add_n(n: Node) -> Refusals:
    if len(n.inputs) != 2:
        yield parameter("ADD_N only supports 2 inputs.")


def _bitwise_xor(n: Node) -> Refusals:
    """There is a parser for it, but no entry in the compatibility table."""
    yield Refusal(Cause.KERNEL, "Not supported op BITWISE_XOR")


_COMPATIBLE: dict[str, Check] = {"ADD": _add, "ADD_N": _add_n, "BITWISE_XOR": _bitwise_xor, "MUL": _mul}


def _two_runtime_operands(n: Node, first: Tensor, second: Tensor) -> Refusals:
    symmetric = n.op.name in ("ADD", "ADD_N", "MUL")
    if first.index == second.index:
        if not symmetric:
            yield Refusal(Cause.IDENTICAL, "No support of few identical inputs in the same operation.", (first.index,))
        yield from tensor_readable(n, first)
        return
    if symmetric:  # the larger operand becomes the first, so both shapes are read before anything else
        for tensor in (first, second):
            yield from rank_readable(n, tensor)
    yield from tensor_readable(n, first)
    yield from tensor_readable(n, second)
    if first.rank == second.rank:
        return  # whether equal ranks can be broadcast is not asked
    if not broadcastable(first, second):
        yield parameter("Inputs dimensions sizes don't match, broadcasting isn't applicable.")
    for concerned in (first, second, *n.outputs):
        if concerned is not None and not 1 <= concerned.rank <= 4:
            yield bad_rank(n, concerned)


def _two_constants(n: Node, first: Tensor, second: Tensor) -> Refusals:
    """Taken from 2.3.0 on, without the compatibility table, hence BITWISE_XOR's as well (measured; no source is
    public)."""
    name = _OPERATIONS.get(n.op.name, n.op.name.lower())
    for tensor in (first, second):
        described = f"{{\n  type: {tensor.type}\n  data: {{...}}\n  dims: {shape_text(tensor)}\n}}"
        if tensor.rank > 4:
            yield rank(f"{name}: constant tensor with rank > 4: {described}", tensor.index)
        if tensor.sparse:
            yield parameter(f"{name}: sparse constant tensor {described}", tensor.index)
        if not _read_as_float(tensor) and tensor.type not in ("INT32", "BOOL"):
            message = f"{name}: unsupported constant tensor type: {tensor.type} {described}"
            yield Refusal(Cause.TYPE, message, (tensor.index,))
    both = (first.index, second.index)
    if first.type != second.type:
        message = f"{name}: constant inputs have different types: {first.type} vs {second.type}"
        yield Refusal(Cause.TYPE, message, both)
    output = n.output(0)
    if output is not None and not first.rank == second.rank == output.rank:
        ranks = f"{first.rank}, {second.rank} and {output.rank}"
        message = f"{name}: constant inputs and output must have the same rank, but got {ranks}"
        yield Refusal(Cause.CONSTANT, message, both)


_OPERATIONS = {
    "ADD_N": "add",
    "BITWISE_XOR": "logical_xor",
    "RIGHT_SHIFT": "shift_right",
    "SQUARED_DIFFERENCE": "squared_diff",
    "STABLEHLO_SHIFT_LEFT": "shift_left",
    "SUB": "subtract",
}
"""The delegate's own names of operations, where they are not the operator's in lower case."""


def _usable_constant(tensor: Tensor) -> Refusals:
    """CanParseInputsWithConstTensor: a scalar of a type that the kernel can hold, or values of rank 4 at most.

    Values of a type that is not read as float (INT32, BOOL, …) are taken unseen, however many they are.
    """
    refusal = parameter("Can't parse inputs with const tensors.", tensor.index)
    if tensor.sparse:
        yield refusal
    float_like = _read_as_float(tensor)
    if tensor.elements == 1:
        if not float_like and tensor.type != "INT32":
            yield refusal
    elif float_like and tensor.rank > 4 and not linear(tensor):
        yield refusal


def _read_as_float(tensor: Tensor) -> bool:
    if tensor.type in ("FLOAT32", "FLOAT16"):
        return True
    quantization = tensor.quantization
    affine = quantization is not None and quantization.kind == "affine" and quantization.present
    return affine and tensor.type in ("INT8", "UINT8", "INT4")


def bitcast(n: Node) -> Refusals:
    """No version test. The compatibility table compares the shapes, which the CPU kernel's Prepare has already made
    to agree."""
    yield from inputs_outputs(n, 1, 1)
    yield from _operand_and_outputs(n)


_FLOAT_IN, _FLOAT_OUT = BASE_IN | BFLOAT16, BASE_OUT | BFLOAT16
_WHOLE_IN, _WHOLE_OUT = BASE_IN | SIGNED, BASE_OUT | SIGNED
_NUMBER_IN, _NUMBER_OUT = _FLOAT_IN | SIGNED, _FLOAT_OUT | SIGNED

KERNELS: Kernels = {
    **dict.fromkeys(("ABS", "COS", "NEG", "SIGN", "SIN"), Kernel(unary, _NUMBER_IN, _NUMBER_OUT)),
    **dict.fromkeys(
        ("CEIL", "EXP", "FLOOR", "LOG", "LOGISTIC", "ROUND", "RSQRT", "SQRT", "TANH"),
        Kernel(unary, _FLOAT_IN, _FLOAT_OUT),
    ),
    **dict.fromkeys(("ELU", "GELU", "SQUARE"), Kernel(unary, BASE_IN, BASE_OUT)),
    "LOGICAL_NOT": Kernel(unary, LOGICAL, LOGICAL),
    "HARD_SWISH": Kernel(hard_swish, BASE_IN, BASE_OUT),
    **dict.fromkeys(("LEAKY_RELU", "RELU", "RELU6", "RELU_N1_TO_1"), Kernel(relu, BASE_IN, BASE_OUT)),
    "RELU_0_TO_1": Kernel(relu_0_to_1, BASE_IN, BASE_OUT),
    "PRELU": Kernel(prelu, BASE_IN, BASE_OUT),
    "BITCAST": Kernel(bitcast, ANY_IN, ANY_OUT),
    "CAST": Kernel(cast, ANY_IN, ANY_OUT),
    **dict.fromkeys(
        ("ADD", "ATAN2", "DIV", "MAXIMUM", "MINIMUM", "MUL", "SUB"), Kernel(binary, _NUMBER_IN, _NUMBER_OUT)
    ),
    **dict.fromkeys(("ADD_N", "SQUARED_DIFFERENCE"), Kernel(binary, BASE_IN, BASE_OUT)),
    "POW": Kernel(binary, _FLOAT_IN, _FLOAT_OUT),
    **dict.fromkeys(
        ("FLOOR_DIV", "FLOOR_MOD", "RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"), Kernel(binary, _WHOLE_IN, _WHOLE_OUT)
    ),
    **dict.fromkeys(
        ("EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL"),
        Kernel(binary, _WHOLE_IN | UNSIGNED, BASE_OUT | BOOL),
    ),
    **dict.fromkeys(("BITWISE_XOR", "LOGICAL_AND", "LOGICAL_OR"), Kernel(binary, LOGICAL, LOGICAL)),
}
