"""Moving and reshaping: RESHAPE, CONCATENATION, PACK, UNPACK, SLICE, STRIDED_SLICE, TRANSPOSE, the PAD family, GATHER,
TILE, REVERSE_V2, DEPTH_TO_SPACE, SPACE_TO_DEPTH, DYNAMIC_UPDATE_SLICE.

Source: the parsers of these names in ml_drift_delegate/tflite/model_builder.cc and their cases in
tflite/tools/versioning/gpu_compatibility.cc, both v2.2.0; every condition measured on 2.1.2 to 2.3.0.
"""

from __future__ import annotations

from ...model import Tensor
from ...options import (
    DepthToSpaceOptions,
    MirrorPadOptions,
    PackOptions,
    SpaceToDepthOptions,
    StridedSliceOptions,
    UnpackOptions,
)
from ..conditions import (
    axis_in_range,
    constant_axes,
    constant_inputs,
    float_constant,
    inputs_outputs,
    int32_values,
    is_scalar,
    is_vector,
    max_version,
    operands_and_outputs,
    outputs_readable,
    raised_version,
    rank_readable,
    readable,
    real_constants_outputs,
    tensor_readable,
)
from ..kernel import Kernel, Kernels
from ..layout import Layout
from ..node import Node
from ..refusal import Cause, Refusal, Refusals, parameter, rank
from ..types import ANY_IN, ANY_OUT, BASE_IN, BASE_OUT, SIGNED

TYPE_NUMBERS = {
    "FLOAT32": 1, "INT32": 2, "UINT8": 3, "INT64": 4, "STRING": 5, "BOOL": 6, "INT16": 7, "COMPLEX64": 8, "INT8": 9,
    "FLOAT16": 10, "FLOAT64": 11, "COMPLEX128": 12, "UINT64": 13, "RESOURCE": 14, "VARIANT": 15, "UINT32": 16,
    "UINT16": 17, "INT4": 18, "BFLOAT16": 19, "INT2": 20, "UINT4": 21,
}  # fmt: skip
"""The runtime's own numbers of element types (tflite/core/c/c_api_types.h), which are not the schema's."""


_PLACES = {1: (0,), 2: (0, 3), 3: (0, 2, 3), 4: (0, 1, 2, 3)}
"""Where the axes of a tensor of each rank lie on the delegate's four: the first is the batch, the last of several the
channels."""


def on_bhwc(values: tuple[int, ...], rest: Layout, places: tuple[int, ...] | None = None) -> Layout:
    """One value an axis, laid on `rest` (MBH ExtractTensorShape)."""
    found = list(rest)
    for place, value in zip(_PLACES.get(len(values), ()) if places is None else places, values, strict=False):
        found[place] = value
    return Layout(*found)


def bhwc(tensor: Tensor) -> Layout:
    """A shape as the delegate sees it. Of rank 5 and more only the first four extents count."""
    return on_bhwc(tensor.shape[:4], Layout(1, 1, 1, 1))


def reshape(n: Node) -> Refusals:
    """The shape operand and the options are not looked at: the output tensor's shape is what counts."""
    yield from max_version(n, 1)
    yield from inputs_outputs(n, 1, 1)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def concatenation(n: Node) -> Refusals:
    """Axis and activation are not asked: the CPU's Prepare has seen to it that the shapes agree and none is fused."""
    yield from raised_version(n, 2, 6)
    yield from operands_and_outputs(n, len(n.inputs))
    if len(n.outputs) != 1:
        yield parameter("Number of outputs != 1")


def _constant_node(n: Node, tensor: Tensor) -> Refusals:
    """OP PreCheckRuntimeOrConstantInput: what cannot be read as a value must be a constant that can."""
    if tensor.type not in ("FLOAT32", "BOOL", "INT32"):
        yield parameter(f"Unsupported tensor type in NewConstNode: {tensor.type}", tensor.index)
    if not n.has_data(tensor):
        yield parameter("src has no data.", tensor.index)
    if tensor.rank > 4:
        yield rank(f'Tensor "nullptr" has bad input dims size: {tensor.rank}.', tensor.index)


def pack(n: Node) -> Refusals:
    if len(n.inputs) == 1:
        yield from readable(n, 0)
        yield from outputs_readable(n)
        return
    outputs = next(outputs_readable(n), None)
    if outputs is not None and n.since("2.1.5"):
        yield outputs
    for tensor in n.inputs:
        if tensor is not None and next(tensor_readable(n, tensor), None) is not None:
            yield from _constant_node(n, tensor)
    options, output = n.options(PackOptions), n.output(0)
    if output is not None:
        yield from axis_in_range(output, options.axis if options else 0)
    if outputs is not None:
        yield outputs


def unpack(n: Node) -> Refusals:
    """No version test. Each output becomes a slice; of one output only a reshape is left."""
    options = n.options(UnpackOptions)
    data = n.input(0)
    if data is not None and (options is None or options.num != 1):
        yield from rank_readable(n, data)
        yield from axis_in_range(data, options.axis if options else 0)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def slice_(n: Node) -> Refusals:
    yield from raised_version(n, 2, 8)
    yield from outputs_readable(n)
    yield from readable(n, 0)
    data, output = n.input(0), n.output(0)
    if data is None or output is None:
        return
    if data.constant:
        yield Refusal(
            Cause.CONSTANT if n.all_constant else Cause.PARAMETER, "Constant input is not supported.", (data.index,)
        )
    begin = yield from int32_values(n, 1, is_vector)
    size = yield from int32_values(n, 2, is_vector)
    if begin is None or size is None:
        return  # the CPU's Prepare has shaped the output by these very values
    if len(begin) != len(size):
        yield parameter(f"The dimensionality of `starts` ({len(begin)}D) must match `sizes` ({len(size)}D).")
    if data.rank > 4:
        yield rank("Slicing is unsupported for input with rank > 4", data.index)
    if data.rank == 0:
        yield parameter("Slicing is unsupported for input with rank > 4", data.index)
    if data.rank == 4 and len(begin) not in (3, 4):
        yield parameter("Slicing starts count must be 3 or 4 for 4d input", data.index)
    if data.rank < 4 and len(begin) != data.rank:
        yield parameter(f"Slicing starts count must be {data.rank} for {data.rank}d input", data.index)
    places = (1, 2, 3) if data.rank == 4 and len(begin) == 3 else None
    whole = bhwc(data)
    starts = on_bhwc(begin, Layout(0, 0, 0, 0), places)
    sizes = on_bhwc(size, whole, places)
    for start, wanted, extent, found, words in zip(
        starts,
        sizes,
        whole,
        bhwc(output),
        ("batch don't", "height doesn't", "width doesn't", "channels don't"),
        strict=True,
    ):
        end = extent if wanted == -1 else start + wanted
        if end < 0:
            end += extent
        if end - start != found:
            yield parameter(f"Output {words} match", output.index)


def _divided(distance: int, stride: int) -> int:
    """Rounded up as the delegate does: C++ division truncates, and a remainder of either sign adds one."""
    quotient = abs(distance) // stride * (1 if distance >= 0 else -1)
    return quotient if distance % stride == 0 else quotient + 1


def _mask_on_bhwc(mask: int, axes: int) -> tuple[bool, ...]:
    return tuple(
        bool(bit) for bit in on_bhwc(tuple(mask >> axis & 1 for axis in range(min(axes, 4))), Layout(0, 0, 0, 0))
    )


def strided_slice(n: Node) -> Refusals:
    """Begin and end are not clamped to the shape, as on the CPU: an end beyond it gives a shape that does not match."""
    yield from max_version(n, 2)
    options = n.options(StridedSliceOptions)
    if options is not None:
        if options.ellipsis_mask:
            yield parameter("Slice does not support ellipsis_mask.")
        if options.new_axis_mask:
            yield parameter("Slice does not support new_axis_mask.")
        if options.shrink_axis_mask:
            yield parameter("Slice does not support shrink_axis_mask parameter. ")
    if len(n.inputs) < 4:
        yield parameter("STRIDED_SLICE requires 4 inputs.")
    data, starts, output = n.input(0), n.input(1), n.output(0)
    if data is None or starts is None or output is None:
        return
    entries = starts.shape[0] if starts.shape else 0
    if data.rank not in (entries, entries + 1):
        yield parameter("STRIDED_SLICE input/params dimensions mismatch.", data.index)
    # With one entry fewer than axes, the batch is taken whole.
    places = {3: (1, 2, 3), 2: (2, 3), 1: (3,)}.get(entries, ()) if data.rank == entries + 1 else None
    whole = bhwc(data)
    first = yield from int32_values(n, 1, is_vector)
    last = yield from int32_values(n, 2, is_vector)
    step = yield from int32_values(n, 3, is_vector)
    if first is None or last is None or step is None:
        return  # the CPU's Prepare has shaped the output by these very values
    begin = on_bhwc(first, Layout(0, 0, 0, 0), places)
    end = on_bhwc(last, whole, places)
    strides = on_bhwc(step, Layout(1, 1, 1, 1), places)
    if 0 in strides:
        yield parameter("stride values must be non-zero")
    if min(strides) < 0:
        yield parameter("Reverse slices are not supported.")
    from_start = _mask_on_bhwc(options.begin_mask if options else 0, data.rank)
    to_end = _mask_on_bhwc(options.end_mask if options else 0, data.rank)
    shape = []
    for axis, extent in enumerate(whole):
        start = 0 if from_start[axis] else begin[axis] + (extent if begin[axis] < 0 else 0)
        stop = extent if to_end[axis] else end[axis] + (extent if end[axis] < 0 else 0)
        shape.append(_divided(stop - start, strides[axis]))
    if Layout(*shape) != bhwc(output):
        yield parameter("Output shape mismatch", output.index)
    yield from outputs_readable(n)


def transpose(n: Node) -> Refusals:
    yield from raised_version(n, 5, 9)
    yield from inputs_outputs(n, 1, 1)
    yield from readable(n, 0)
    yield from outputs_readable(n)
    yield from int32_values(n, 1, is_vector)
    permutation = n.input(1)
    if permutation is not None and permutation.elements > 4:
        yield rank("Permutation for transpose is invalid.", permutation.index)
    if permutation is not None and permutation.elements < 2:
        yield parameter("Permutation for transpose is invalid.", permutation.index)


def pad(n: Node) -> Refusals:
    """PAD, PADV2 and MIRROR_PAD. Paddings of three rows pad height, width and channels."""
    yield from max_version(n, 5)
    if n.op.name == "MIRROR_PAD":
        options = n.options(MirrorPadOptions)
        # The runtime's own numbers: 1 reflect, 2 symmetric, 0 for a number that the schema does not know.
        mode = {"REFLECT": 1, "SYMMETRIC": 2}.get(options.mode, 0) if options else 0
        if mode != 1:
            yield parameter(f"Only Reflective padding is supported for Mirror Pad operation. But node has {mode}")
    yield from inputs_outputs(n, 1, 1)
    paddings = n.input(1)
    if paddings is None:
        return
    if paddings.rank != 2:
        yield parameter(f"Invalid paddings tensor dimension: expected 2 dim, got {paddings.rank} dim", paddings.index)
    rows, columns = paddings.shape[:2]
    if rows not in (3, 4) or columns != 2:
        yield parameter(f"Invalid paddings tensor shape: expected 4x2 or 3x2, got {rows}x{columns}", paddings.index)
    yield from operands_and_outputs(n)
    yield from int32_values(n, 1)
    if n.op.name == "PADV2" and len(n.inputs) == 3:
        value = yield from float_constant(n, 2)
        if value is not None:
            yield from is_scalar(value)


def gather(n: Node) -> Refusals:
    """axis and batch_dims are not looked at."""
    if len(n.outputs) != 1 or (n.runtime_count, n.constant_count) not in ((2, 0), (1, 1)):
        yield Refusal(Cause.CONSTANT if n.all_constant else Cause.PARAMETER, "Op can only handle 1 or 2 operand(s).")
    data, indices, output = n.input(0), n.input(1), n.output(0)
    if data is None or indices is None or output is None:
        return
    # Up to 2.1.5 these two end in a newline, which prints as an empty line in the summary.
    if indices.rank != 1:
        yield parameter("Only support 1D indices", indices.index)
    if indices.type != "INT32":
        yield parameter("Only accept INT32 indices", indices.index)
    yield from readable(n, 0)
    if data.constant and n.before("2.1.3"):
        yield parameter("Gather does not support constant value tensor.", data.index)
    yield from readable(n, 1)
    yield from outputs_readable(n)
    if data.type != output.type and n.since("2.1.3"):
        yield parameter("Input / output dtype mismatch.", data.index, output.index)


def tile(n: Node) -> Refusals:
    """The multiples are not looked at: the output's shape is what counts."""
    yield from inputs_outputs(n, 1, 1)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def reverse(n: Node) -> Refusals:
    yield from real_constants_outputs(n, 1, 1, 1)
    axes = yield from constant_axes(n)
    yield from readable(n, 0)
    yield from outputs_readable(n)
    data = n.input(0)
    for axis in axes:
        if data is not None:
            yield from axis_in_range(data, axis)


def block(n: Node) -> Refusals:
    """DEPTH_TO_SPACE and SPACE_TO_DEPTH."""
    if n.op.name == "SPACE_TO_DEPTH":
        yield from max_version(n, 2)
    yield from inputs_outputs(n, 1, 1)
    options = n.options(DepthToSpaceOptions) or n.options(SpaceToDepthOptions)
    size = options.block_size if options else 0
    if size == 1:
        yield parameter(f"{n.op.name} block_size = 1 is a no-op.")
    if size < 1:
        yield parameter(f"{n.op.name} block_size must be > 1.")
    if n.op.name == "SPACE_TO_DEPTH":
        yield from constant_inputs(n, 0)
    yield from operands_and_outputs(n)


def dynamic_update_slice(n: Node) -> Refusals:
    if len(n.inputs) != 3:
        yield parameter("DynamicUpdateSlice requires 3 inputs.")
    operand, update, starts, output = n.input(0), n.input(1), n.input(2), n.output(0)
    if operand is None or update is None or starts is None or output is None:
        return
    if operand.type != update.type:
        # Only through FLOAT16 weights: the CPU, which sees them as FLOAT32, has tested this already.
        numbers = [TYPE_NUMBERS.get(tensor.type, 0) for tensor in (operand, update)]
        yield parameter(
            "Array to update and updated slice must have the same data type, but got: "
            f"array to update: {numbers[0]}, updated slice: {numbers[1]}",
            operand.index,
            update.index,
        )
    if starts.rank != 1:
        yield parameter(f"Start indices must be 1D, but got: {starts.rank}", starts.index)
    if starts.type != "INT32":
        yield parameter("start_indices must be of type int32.", starts.index)
    if update.rank != operand.rank:
        yield parameter(
            "Operand and update must have the same number of dimensions, but got: "
            f"operand: {operand.rank}, update: {update.rank}",
            operand.index,
            update.index,
        )
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    if starts.constant:
        yield parameter("start_indices must be a runtime tensor", starts.index)
    for tensor, name in ((operand, "operand"), (update, "update")):
        yield from tensor_readable(n, tensor)
        if tensor.rank > 4:
            yield rank(f"{name} dims must be 1D-4D.", tensor.index)
        if tensor.rank == 0:
            yield parameter(f"{name} dims must be 1D-4D.", tensor.index)
    # Here a shape is filled up with ones in front: axis by axis, the update must fit.
    shapes = [Layout(*((1,) * (4 - tensor.rank) + tensor.shape)) for tensor in (operand, update)]
    if any(new > old for old, new in zip(*shapes, strict=True)):
        yield parameter(
            "Updated_slice shape must be less or equal to the array to update, but they are "
            f"updated_slice: [{''.join(map(str, shapes[1]))}], array_to_update: [{''.join(map(str, shapes[0]))}]",
            update.index,
        )
    yield from tensor_readable(n, starts)
    yield from tensor_readable(n, output)


KERNELS: Kernels = {
    "CONCATENATION": Kernel(concatenation, ANY_IN, ANY_OUT),
    "DEPTH_TO_SPACE": Kernel(block, BASE_IN, BASE_OUT),
    "DYNAMIC_UPDATE_SLICE": Kernel(dynamic_update_slice, ANY_IN, ANY_OUT),
    "GATHER": Kernel(gather, ANY_IN, ANY_OUT),
    "MIRROR_PAD": Kernel(pad, BASE_IN, BASE_OUT),
    "PACK": Kernel(pack, ANY_IN, ANY_OUT),
    "PAD": Kernel(pad, ANY_IN, ANY_OUT),
    "PADV2": Kernel(pad, ANY_IN, ANY_OUT),
    "RESHAPE": Kernel(reshape, ANY_IN, ANY_OUT),
    "REVERSE_V2": Kernel(reverse, ANY_IN, ANY_OUT),
    "SLICE": Kernel(slice_, ANY_IN, ANY_OUT),
    "SPACE_TO_DEPTH": Kernel(block, BASE_IN, BASE_OUT),
    "STRIDED_SLICE": Kernel(strided_slice, ANY_IN, ANY_OUT),
    "TILE": Kernel(tile, BASE_IN | SIGNED, BASE_OUT | SIGNED),
    "TRANSPOSE": Kernel(transpose, ANY_IN, ANY_OUT),
    "UNPACK": Kernel(unpack, BASE_IN, BASE_OUT),
}
