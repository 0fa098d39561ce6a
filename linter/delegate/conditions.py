"""Conditions that many kernels share, each with the runtime's words.

Sources, all at LiteRT v2.2.0: OP = ml_drift_delegate/tflite/operation_parser.{h,cc}, MBH =
ml_drift_delegate/tflite/model_builder_helper.cc, GC = tflite/tools/versioning/gpu_compatibility.cc. What differs in
earlier wheels was measured on them and is said where it is tested."""

from __future__ import annotations

from collections.abc import Callable

from ..model import Tensor
from .node import Node
from .refusal import Cause, Condition, Refusal, Refusals, parameter, rank

ACTIVATIONS = frozenset({"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH"})
"""Fused activations that kernels apply; the schema's remaining one is SIGN_BIT (OP PreCheckMaybeFuseActivation)."""

Fit = Callable[[Tensor], Refusals]

FLOAT_LIKE = frozenset({"FLOAT32", "FLOAT16", "INT4", "INT8", "UINT8", "INT32"})
"""Types that a constant may have to be read as float (OP PreCheckCopyData)."""


def max_version(n: Node, limit: int) -> Refusals:
    """OP CheckMaxSupportedOpVersion."""
    if n.op.version > limit:
        yield Refusal(Cause.VERSION, f"Max version supported: {limit}. Requested version {n.op.version}.")


def raised_version(n: Node, until_2_1_5: int, since_2_1_6: int) -> Refusals:
    """A highest version that 2.1.6 raised (measured)."""
    if n.op.version > until_2_1_5:
        yield from max_version(n, since_2_1_6 if n.since("2.1.6") else until_2_1_5)


def _miscounted(n: Node, message: str) -> Refusal:
    """A wrong number of runtime or constant inputs; the fault is another one when nothing but constants comes in."""
    return Refusal(Cause.CONSTANT if n.all_constant else Cause.PARAMETER, message)


def runtime_inputs(n: Node, expected: int) -> Refusals:
    found = n.runtime_count
    if found != expected:
        yield _miscounted(
            n,
            f"Expected {expected} runtime input tensor(s), but node has {found} runtime input(s).",
        )


def constant_inputs(n: Node, expected: int) -> Refusals:
    """OP and MBH count as constant whatever is not a runtime input, absent inputs included."""
    found = len(n.inputs) - n.runtime_count
    if found != expected:
        yield _miscounted(n, f"Expected {expected} const input tensor(s), but node has {found} const input(s).")


def output_count(n: Node, expected: int) -> Refusals:
    found = len(n.outputs)
    if found != expected:
        yield parameter(f"Expected {expected} output tensor(s), but node has {found} output(s).")


def inputs_outputs(n: Node, runtime: int, outputs: int) -> Refusals:
    """GC and MBH CheckInputsOutputs: the runtime inputs first, then the outputs."""
    yield from runtime_inputs(n, runtime)
    yield from output_count(n, outputs)


def inputs_constants_outputs(n: Node, runtime: int, constant: int, outputs: int) -> Refusals:
    """MBH CheckInputsConstsOutputs: the constant inputs first. (GC's twin counts real constants only:
    `real_constants_outputs`.)"""
    yield from constant_inputs(n, constant)
    yield from inputs_outputs(n, runtime, outputs)


def real_constants_outputs(n: Node, runtime: int, constant: int, outputs: int) -> Refusals:
    """GC CheckInputsConstsOutputs: as above, but an absent input is not a constant."""
    found = n.constant_count
    if found != constant:
        yield _miscounted(n, f"Expected {constant} const input tensor(s), but node has {found} const input(s).")
    yield from inputs_outputs(n, runtime, outputs)


def bad_rank(n: Node, tensor: Tensor) -> Refusal:
    """The delegate's words for a rank above 5, and for a rank of 0 where 1 to 4 is needed."""
    said = rank if tensor.rank > 4 else parameter
    return said(f'Tensor "{n.label(tensor)}" has bad input dims size: {tensor.rank}.', tensor.index)


def rank_readable(n: Node, tensor: Tensor) -> Refusals:
    """OP CheckTensorShape: rank at most 5.

    Up to 2.1.5 the rank ends at 4 here (measured); from 2.1.6 rank 5 passes and falls to the test of all tensors that
    follows.
    """
    if tensor.rank > 4 and (tensor.rank > 5 or n.before("2.1.6")):
        yield bad_rank(n, tensor)


def tensor_readable(n: Node, tensor: Tensor) -> Refusals:
    """OP PreCheckReadValueByTensorIdx: rank at most 5, and one scale where INT8 or UINT8 is quantized."""
    yield from rank_readable(n, tensor)
    quantization = tensor.quantization
    if quantization is None or tensor.type not in ("INT8", "UINT8"):
        return
    if quantization.kind == "affine" and quantization.scale_count > 1:
        yield parameter("Unsupported quantization scale size", tensor.index)


def readable(n: Node, position: int) -> Refusals:
    """OP PreCheckReadValue: input `position` can be read as a value."""
    if position >= len(n.inputs):
        yield parameter(f"Invalid input tensor index: {position}")
    tensor = n.input(position)
    if tensor is None:
        yield parameter("Invalid Tensor index: -1")
        return
    yield from tensor_readable(n, tensor)


def runtime_or_constant(n: Node, position: int) -> Refusals:
    """OP PreCheckRuntimeOrConstantInput: what cannot be read as a value may still be a constant of three types, of
    no higher rank."""
    tensor = n.input(position)
    if tensor is None:
        yield parameter(f"input #{position} tensor is not available")
        return
    unreadable = next(tensor_readable(n, tensor), None)
    if unreadable is None:
        return
    message = f"Unsupported tensor type in NewConstNode: {tensor.type}"
    if tensor.type in ("FLOAT32", "BOOL", "INT32"):
        if tensor.sparse:
            message = "ML Drift doesn't support sparsity."
        elif not n.has_data(tensor):
            message = "src has no data."
        else:
            message = f'Tensor "nullptr" has bad input dims size: {tensor.rank}.'
    yield unreadable._replace(message=message)


def outputs_readable(n: Node) -> Refusals:
    """OP PreCheckOutputs."""
    for tensor in n.outputs:
        if tensor is not None:
            yield from tensor_readable(n, tensor)


def operands_and_outputs(n: Node, count: int = 1, outputs_first: str = "2.1.5") -> Refusals:
    """The first `count` operands and the outputs can be read as values.

    Up to some release the outputs come last, and then first, with the other tests that ValidateSupport (OP) makes
    (measured, operator by operator).
    """
    said = [next(readable(n, position), None) for position in range(count)]
    outputs = next(outputs_readable(n), None)
    first = next((refusal for refusal in said if refusal is not None), None)
    if outputs is not None and (first is None or n.since(outputs_first)):
        yield outputs
    if first is not None:
        yield first


def axis_in_range(tensor: Tensor, axis: int) -> Refusals:
    """OP PreCheckAxisFromIndex: a valid axis of a tensor of rank 1 to 4."""
    position = axis + tensor.rank if axis < 0 else axis
    if not 0 <= position < tensor.rank:
        yield parameter("Index for axis out of range", tensor.index)
    if tensor.rank > 4:
        yield rank("Unknown layout.", tensor.index)


def int32_values(n: Node, position: int, fits: Fit | None = None) -> Condition[tuple[int, ...] | None]:
    """OP PreReadTensor as INT32: the values of a parameter. An INT64 one has twice the bytes and fails by size.

    `fits` is what its shape must be, tested last. None: a CPU kernel has computed the values, and the file does not
    tell which they are.
    """
    if position >= len(n.inputs):
        yield parameter(f"Invalid input tensor index: {position}")
    tensor = n.input(position)
    if tensor is None:
        yield parameter("Invalid Tensor index: -1")
        return None
    if tensor.sparse:
        yield parameter("ML Drift doesn't support sparsity.", tensor.index)
    if not n.has_data(tensor):
        yield parameter("src has no data.", tensor.index)
    if tensor.constant:
        size = n.model.constant_size(tensor)
        if size % 4:
            yield parameter(f"Input data size {size} is not aligned to expected type: 4", tensor.index)
        if size != 4 * tensor.elements:
            yield parameter("src has wrong size.", tensor.index)
    elif tensor.type == "INT64" and tensor.elements:
        yield parameter("src has wrong size.", tensor.index)
    if fits is not None:
        yield from fits(tensor)
    return n.integers(tensor) if tensor.constant else _shape_read_by(n, tensor)


def _shape_read_by(n: Node, tensor: Tensor) -> tuple[int, ...] | None:
    """The value of a SHAPE, which is there once the CPU's kernels are prepared."""
    producer = n.graph.producer(tensor.index)
    if producer is None or producer.name != "SHAPE" or not producer.inputs or producer.inputs[0] < 0:
        return None
    return n.graph.tensors[producer.inputs[0]].shape


def is_vector(tensor: Tensor) -> Refusals:
    if not linear(tensor):
        yield parameter("Isn't linear convertible.", tensor.index)


def is_scalar(tensor: Tensor) -> Refusals:
    """A rank of 0, or 1 in all extents."""
    if any(extent != 1 for extent in tensor.shape):
        yield parameter(f"{shape_text(tensor)}  cannot be reduced to scalar.", tensor.index)


def constant_axes(n: Node) -> Condition[tuple[int, ...]]:
    """GC CheckAxesAreInt32Const: the axes, input 1, of an operator that has one constant and one runtime input."""
    axes = n.input(1)
    if axes is None:
        return ()
    if not axes.constant:
        yield parameter(f"{n.op.name} is only supported with constant axes.", axes.index)
    if axes.type != "INT32":
        yield parameter(f"{n.op.name} supports int32 tensor for axes. But node has {axes.type}", axes.index)
    return n.integers(axes) or ()


def broadcastable(first: Tensor, second: Tensor) -> bool:
    """MBH IsBroadcastable: trailing extents are equal or 1."""
    return all(a == b or a == 1 or b == 1 for a, b in zip(reversed(first.shape), reversed(second.shape), strict=False))


def linear(tensor: Tensor) -> bool:
    """MBH IsLinearConvertible: all extents but the last are 1; a scalar is not linear."""
    return tensor.rank > 0 and all(extent == 1 for extent in tensor.shape[:-1])


def float_constant(n: Node, position: int) -> Condition[Tensor | None]:
    """OP PreCheckReadTensor as float: a dense constant of a type that is read as float. What shape it must have is
    tested after it."""
    if position >= len(n.inputs):
        yield parameter(f"Invalid input tensor index: {position}")
    tensor = n.input(position)
    if tensor is None:
        yield parameter("Invalid Tensor index: -1")
        return None
    if tensor.sparse:
        yield parameter("ML Drift doesn't support sparsity.", tensor.index)
    if not n.has_data(tensor):
        yield parameter("src has no data.", tensor.index)
    if tensor.type not in FLOAT_LIKE:
        yield parameter("Unsupported data type for float32 tensor", tensor.index)
    return tensor


def shape_text(tensor: Tensor) -> str:
    """A shape as the runtime prints it (GetShapeDebugString, tflite/kernels/kernel_util.cc)."""
    return "[" + ",".join(map(str, tensor.shape)) + "]"


def matrix_constant(n: Node, position: int) -> Refusals:
    """A float constant of rank 2."""
    tensor = yield from float_constant(n, position)
    if tensor is not None and tensor.rank != 2:
        yield parameter(f"Expected a 2D tensor of shape HxW but got {shape_text(tensor)}", tensor.index)


def filter_constant(n: Node, position: int) -> Refusals:
    """A float constant of rank 4, as filters are."""
    tensor = yield from float_constant(n, position)
    if tensor is not None and tensor.rank != 4:
        yield parameter(f"Expected a 4D tensor of shape OxHxWxI but got {shape_text(tensor)}", tensor.index)


def vector_constant(n: Node, position: int) -> Refusals:
    """A float constant of which all extents but the last are 1."""
    tensor = yield from float_constant(n, position)
    if tensor is not None and not linear(tensor):
        yield parameter("Isn't linear convertible.", tensor.index)


def positive(title: str, names: str, height: int, width: int) -> Refusals:
    """GC CheckStrides, CheckDilation, CheckKernels."""
    if height <= 0 or width <= 0:
        yield parameter(f"Incorrect {title} values: {names}_height = {height}, {names}_width = {width}")


def strides(height: int, width: int) -> Refusals:
    yield from positive("stride", "stride", height, width)


def known_activation(activation: str) -> Refusals:
    """GC IsActivationSupported. A number that the schema does not know is read as NONE (flatbuffer_conversions.cc)."""
    if activation == "SIGN_BIT":
        yield parameter("TfLiteFusedActivation.kTfLiteActSignBit")
