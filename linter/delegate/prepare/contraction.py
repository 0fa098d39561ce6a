"""CPU Prepare of convolutions, pooling, matrix products and lookups.

Source: tflite/kernels/{conv,depthwise_conv,transpose_conv,pooling,fully_connected,batch_matmul,…}.cc, v2.1.2 to v2.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from ...options import (
    BatchMatMulOptions,
    Conv2DOptions,
    Conv3DOptions,
    DepthwiseConv2DOptions,
    FullyConnectedOptions,
    L2NormOptions,
    LSTMOptions,
    Pool2DOptions,
    TransposeConvOptions,
)
from .state import Preparer, Slot, Step, shape_text

_ACTIVATED = ("FLOAT32", "UINT8", "INT8", "INT16")


def _extent(s: Step, padding: str, extent: int, window: int, stride: int, dilation: int = 1) -> int:
    """The extent of a windowed result (ComputeOutSize, tflite/kernels/padding.h)."""
    covered = (window - 1) * dilation + 1
    room = extent + stride - (1 if padding == "SAME" else covered)
    s.require(room >= 0, f"a window of {covered} does not fit into {extent}")
    return room // stride


def _bias(s: Step, bias: Slot, kind: str, channels: int, wide: tuple[str, ...]) -> None:
    if kind in ("UINT8", "INT8"):
        s.typed(bias, "the bias", "INT32")
        s.symmetric(bias)
    elif kind == "INT16":
        s.typed(bias, "the bias", *wide)
        s.symmetric(bias)
    else:
        s.typed(bias, "the bias", kind)
    s.require(bias.elements == channels, f"the bias has {bias.elements} values for {channels} channels")


def _channel_scales(s: Step, source: Slot, weights: Slot, channels: int) -> None:
    """PopulateConvolutionQuantizationParams (tflite/kernels/kernel_util.cc)."""
    s.require(weights.affine, "its weights are not quantized")
    s.require(
        weights.scale_count in (1, channels), f"its weights have {weights.scale_count} scales for {channels} channels"
    )
    s.require(source.affine, f"its {source.type} input is not quantized")
    if weights.scale_count > 1:
        s.typed(source, "the input of weights with several scales", "INT8", "INT16")
        s.typed(weights, "weights with several scales", "INT8", "INT4")


def conv_2d(s: Step) -> None:
    s.counts(2, 3)
    target, source, weights = s.output(), s.input(0), s.input(1)
    s.ranked(source, "its input", 4)
    s.ranked(weights, "its weights", 4)
    batch, height, width, depth = source.shape
    channels, rows, columns, part = weights.shape
    s.require(part > 0, "its weights have no input channel")
    s.require_since("2.2.0", min(height, width, depth, rows, columns, channels) > 0, "an axis is empty")
    s.require(depth % part == 0, f"{depth} input channels are no multiple of the weights' {part}")
    groups = max(1, depth // part)
    s.require_since("2.2.0", channels % groups == 0, f"{channels} output channels do not divide into {groups} groups")
    kind = source.type
    s.typed(source, "its input", *_ACTIVATED)
    s.same_type(target, source)
    if kind in ("INT16", "INT8"):
        s.require(weights.affine, "its weights are not quantized")
        s.require(not any(weights.zero_points), "its weights have a zero point that is not 0")
    if kind == "FLOAT32" and groups > 1 and weights.type in ("INT8", "INT4", "UINT8"):
        one_each = weights.type != "UINT8" and weights.scale_count == channels
        if not one_each and s.since("2.3.0"):
            s.with_gpu(one_each, "its quantized weights come in groups, and have no scale for each channel")
    options = s.options(Conv2DOptions)
    steps = (options.stride_h, options.stride_w) if options is not None else (0, 0)
    apart = (options.dilation_h_factor, options.dilation_w_factor) if options is not None else (1, 1)
    s.require(min(steps) > 0, f"its strides are {steps[0]} and {steps[1]}")
    s.require(min(apart) > 0, f"its dilations are {apart[0]} and {apart[1]}")
    s.require(len(s.op.inputs) == 3, "it has no bias, which the kernel needs")
    _bias(s, s.input(2), kind, channels, ("INT32", "INT64"))
    if kind == "INT16":
        s.symmetric(source, target)
    if kind != "FLOAT32":
        _channel_scales(s, source, weights, channels)
    padding = str(options.padding) if options is not None else "SAME"
    s.resize(
        target,
        (
            batch,
            _extent(s, padding, height, rows, steps[0], apart[0]),
            _extent(s, padding, width, columns, steps[1], apart[1]),
            channels,
        ),
    )


def depthwise_conv_2d(s: Step) -> None:
    s.counts(2, 3)
    source, weights, target = s.input(0), s.input(1), s.output()
    s.ranked(source, "its input", 4)
    s.ranked(weights, "its weights", 4)
    options = s.options(DepthwiseConv2DOptions)
    steps = (options.stride_h, options.stride_w) if options is not None else (0, 0)
    apart = (options.dilation_h_factor, options.dilation_w_factor) if options is not None else (1, 1)
    s.require(min(apart) > 0, f"its dilations are {apart[0]} and {apart[1]}")
    s.require(min(steps) > 0, f"its strides are {steps[0]} and {steps[1]}")
    batch, height, width, depth = source.shape
    one, rows, columns, channels = weights.shape
    s.require_since("2.2.0", min(height, width, depth, rows, columns, channels) > 0, "an axis is empty")
    kind = source.type
    s.typed(source, "its input", *_ACTIVATED)
    s.same_type(target, source)
    if not (kind == "FLOAT32" and weights.type == "INT8") and kind != "INT16":
        s.typed(weights, "its weights", kind, "INT4")
    if kind == "INT16":
        s.symmetric(source, target)
    s.require(one == 1, f"the first axis of its weights is {one}, not 1")
    s.require_since("2.2.0", channels % max(1, depth) == 0, f"{channels} output channels are no multiple of {depth}")
    if len(s.op.inputs) == 3:
        bias = s.input(2)
        s.ranked(bias, "the bias", 1)
        _bias(s, bias, kind, channels, ("INT64",))
    if kind != "FLOAT32":
        _channel_scales(s, source, weights, channels)
    elif weights.type == "INT8":
        s.require(weights.affine, "its weights are not quantized")
        axis = weights.tensor.quantization.axis if weights.tensor.quantization is not None else 0
        fits = 0 <= axis < 4 and weights.scale_count == weights.shape[axis]
        s.require(fits, f"its weights have {weights.scale_count} scales, not one a channel")
    padding = str(options.padding) if options is not None else "SAME"
    s.resize(
        target,
        (
            batch,
            _extent(s, padding, height, rows, steps[0], apart[0]),
            _extent(s, padding, width, columns, steps[1], apart[1]),
            channels,
        ),
    )


def transpose_conv(s: Step) -> None:
    s.counts(3, 4)
    shape, weights, source, target = s.input(0), s.input(1), s.input(2), s.output()
    s.ranked(shape, "the output shape", 1)
    s.ranked(source, "its input", 4)
    s.ranked(weights, "its weights", 4)
    options = s.options(TransposeConvOptions)
    steps = (options.stride_h, options.stride_w) if options is not None else (0, 0)
    s.require_since("2.2.0", min(steps) > 0, f"its strides are {steps[0]} and {steps[1]}")
    s.require_since("2.2.0", min(*source.shape[1:], *weights.shape[:3]) > 0, "an axis is empty")
    kind = source.type
    s.typed(source, "its input", *_ACTIVATED)
    if kind == "FLOAT32":
        refused = f"its weights are {weights.type}; the kernel takes FLOAT32 and INT8"
        if weights.type == "FLOAT16" and s.since("2.2.0"):
            s.with_gpu(False, refused)
        s.require_since("2.2.0", weights.type in ("FLOAT32", "INT8", "FLOAT16"), refused)
    else:
        s.typed(weights, "its weights", "UINT8" if kind == "UINT8" else "INT8")
    bias = s.optional(3)
    if bias is not None:
        _bias(s, bias, kind, weights.shape[0], ("INT64", "INT32"))
    if kind == "INT16":
        s.symmetric(source, target)
    s.same_type(target, source)
    s.require(
        source.shape[3] == weights.shape[3], f"{source.shape[3]} input channels, and {weights.shape[3]} in the weights"
    )
    if not shape.tensor.constant:
        s.dynamic()
    else:
        s.typed(shape, "the output shape", "INT32")
        s.require(shape.elements == 4, f"the output shape has {shape.elements} values, not 4")
        values = shape.integers()
        if values is not None:
            s.resize(target, values)
            if options is not None and s.since("2.3.0"):
                _comes_from(s, options, source, weights, values)
    if kind != "FLOAT32":
        _channel_scales(s, source, weights, weights.shape[0])


def _comes_from(s: Step, options: TransposeConvOptions, source: Slot, weights: Slot, values: tuple[int, ...]) -> None:
    """A convolution of the result must have the extents of the input. 2.2.0 asks for it when the kernel runs."""
    for axis, stride in ((1, options.stride_h), (2, options.stride_w)):
        extent = _extent(s, options.padding, values[axis], weights.shape[axis], stride)
        s.require(
            extent == source.shape[axis],
            f"a result of {values[axis]} needs {extent} elements, not {source.shape[axis]}",
        )


def conv_3d(s: Step) -> None:
    s.counts(2, 3)
    source, weights, target = s.input(0), s.input(1), s.output()
    s.ranked(source, "its input", 5)
    s.ranked(weights, "its weights", 5)
    s.require(source.shape[4] == weights.shape[3], "its input and weights differ in channels")
    s.typed(source, "its input", "FLOAT32")
    s.typed(weights, "its weights", "FLOAT32")
    s.same_type(target, source)
    bias = s.optional(2)
    if bias is not None:
        _bias(s, bias, "FLOAT32", weights.shape[4], ())
    options = s.options(Conv3DOptions)
    if options is None:
        return
    steps = (options.stride_d, options.stride_h, options.stride_w)
    apart = (options.dilation_d_factor, options.dilation_h_factor, options.dilation_w_factor)
    if min(*steps, *apart) <= 0:
        s.require_since("2.2.0", False, "a stride or dilation is not positive")
        return
    windows = zip(source.shape[1:4], weights.shape[:3], steps, apart, strict=True)
    space = [_extent(s, str(options.padding), *window) for window in windows]
    s.resize(target, (source.shape[0], *space, weights.shape[4]))


def conv_3d_transpose(s: Step) -> None:
    s.counts(3, 4)
    shape, weights, source = s.input(0), s.input(1), s.input(2)
    s.require(shape.shape == (5,), "the output shape is not five numbers")
    s.ranked(source, "its input", 5)
    s.ranked(weights, "its weights", 5)
    s.require(source.shape[4] == weights.shape[4], "its input and weights differ in channels")
    for what, slot in (("its input", source), ("its weights", weights), ("its output", s.output())):
        s.typed(slot, what, "FLOAT32")
    s.typed(shape, "the output shape", "INT32")
    if not shape.known:
        s.dynamic()
        return
    values = shape.integers()
    if values is not None:
        s.resize(s.output(), values)


def pool_2d(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.ranked(source, "its input", 4)
    s.same_type(source, target)
    options = s.options(Pool2DOptions)
    steps = (options.stride_h, options.stride_w) if options is not None else (0, 0)
    s.require(min(steps) > 0, f"its strides are {steps[0]} and {steps[1]}")
    if s.op.name == "L2_POOL_2D" and source.type in ("UINT8", "INT8"):
        s.typed(source, "its input", "FLOAT32")
    if options is None:
        return
    batch, height, width, depth = source.shape
    padding = str(options.padding)
    rows, columns = options.filter_height, options.filter_width
    s.resize(
        target,
        (batch, _extent(s, padding, height, rows, steps[0]), _extent(s, padding, width, columns, steps[1]), depth),
    )


def fully_connected(s: Step) -> None:
    options = s.options(FullyConnectedOptions)
    plain = options is None or options.weights_format == "DEFAULT"
    weights, source = s.input(1), s.input(0)
    if weights.type in ("INT4", "INT2"):
        s.require(not any(weights.zero_points), "its weights have a zero point that is not 0")
    s.counts(2, 3, outputs=1 if plain else 2)
    bias, target = s.optional(2), s.output()
    _matrix_types(s, source, weights, bias, target, plain)
    s.ranked(weights, "its weights", 2)
    units, depth = weights.shape
    keep = options is not None and options.keep_num_dims
    if depth == 0:
        return
    if bias is not None:
        s.require(bias.elements == units, f"the bias has {bias.elements} values for {units} units")
    if source.type in ("UINT8", "INT8", "INT16"):
        s.require(source.affine and weights.affine, "its quantized tensors have no scales")
        if weights.scale_count > 1:
            s.typed(source, "the input of weights with several scales", "INT8", "INT16")
            s.typed(weights, "weights with several scales", "INT8", "INT4", "INT2", "INT16")
            axis = weights.tensor.quantization.axis if weights.tensor.quantization is not None else 0
            s.require(axis == 0, f"the scales of its weights run along axis {axis}, not 0")
            s.require(weights.scale_count == units, f"{weights.scale_count} scales for {units} units")
    if source.type == target.type == "INT16":
        s.symmetric(source, target)
    activation = str(options.fused_activation_function) if options is not None else "NONE"
    hybrid = source.type == "FLOAT32" and weights.type != "FLOAT32"
    s.require(
        hybrid or activation not in ("TANH", "SIGN_BIT"), f"its fused activation is {activation}; the kernel clips only"
    )
    if bias is not None and source.type in ("UINT8", "INT8", "INT16") and weights.scale_count == 1 and target.scale:
        off = abs(source.scale * weights.scale - bias.scale) / target.scale
        s.require(off <= 0.02, "the scale of its bias is not that of its products")
    if keep:
        s.require(source.shape[-1:] == (depth,), f"its input ends in {source.shape[-1:]}, and its weights take {depth}")
        s.resize(target, (*source.shape[:-1], units))
    else:
        s.resize(target, (source.elements // depth, units))


def _matrix_types(s: Step, source: Slot, weights: Slot, bias: Slot | None, target: Slot, plain: bool) -> None:
    whole = bias is None or bias.type in ("INT32", "INT64")
    real = bias is None or bias.type == "FLOAT32"
    quantized = weights.type in ("UINT8", "INT8", "INT4", "INT2") or (weights.type == "INT16" and s.since("2.1.4"))
    if not quantized:
        for what, slot in (("its input", source), ("its output", target), ("its weights", weights)):
            s.typed(slot, what, "FLOAT32")
        s.require(real, "its bias is not FLOAT32")
    elif not plain:
        s.typed(source, "its input", "UINT8")
        s.typed(weights, "its weights", "UINT8")
        s.typed(target, "its output", "INT16")
        s.require(whole, "its bias is not INT32 or INT64")
    elif source.type == "FLOAT32" and weights.type != "INT16":
        s.typed(target, "its output", "FLOAT32")
        s.require(real, "its bias is not FLOAT32")
    else:
        kinds = ("INT16",) if weights.type == "INT16" else ("UINT8", "INT8", "INT16")
        s.typed(source, "its input", *kinds)
        s.typed(target, "its output", *kinds)
        s.require(whole, "its bias is not INT32 or INT64")


def batch_matmul(s: Step) -> None:
    s.counts(2)
    left, right, target = s.input(0), s.input(1), s.output()
    if left.type == "INT16":
        s.symmetric(left, right, target)
    for what, slot in (("its left operand", left), ("its right operand", right)):
        s.typed(slot, what, "FLOAT32", "INT8", "INT16")
    wrong = f"its operands are {left.type} and {right.type}"
    s.require(left.type == right.type or (left.type in ("FLOAT32", "INT16") and right.type == "INT8"), wrong)
    s.require_before("2.1.4", left.type == right.type or left.type == "FLOAT32", wrong)
    for what, slot in (("its left operand", left), ("its right operand", right)):
        s.require(2 <= slot.rank <= 5, f"{what} has rank {slot.rank}, not 2 to 5")
    batches = []
    for mine, other in zip_longest(reversed(left.shape[:-2]), reversed(right.shape[:-2]), fillvalue=1):
        s.require(mine == other or 1 in (mine, other), "the batch axes of its operands do not broadcast")
        batches.append(other if mine == 1 else mine)
    options = s.options(BatchMatMulOptions)
    adj_x, adj_y = (options.adj_x, options.adj_y) if options is not None else (False, False)
    rows, inner = left.shape[-2:][:: -1 if adj_x else 1]
    depth, columns = right.shape[-2:][:: -1 if adj_y else 1]
    s.require(inner == depth, f"the inner sizes of its operands are {inner} and {depth}")
    s.resize(target, (*reversed(batches), rows, columns))


def embedding_lookup(s: Step) -> None:
    s.counts(2)
    lookup, table, target = s.input(0), s.input(1), s.output()
    s.ranked(lookup, "its lookup", 1)
    s.typed(lookup, "its lookup", "INT32")
    s.require(table.rank >= 2, f"its table has rank {table.rank}; the kernel takes 2 or more")
    if table.affine:
        if table.type in ("UINT8", "INT8", "INT4", "INT2") and target.type == "FLOAT32":
            s.require(not any(table.zero_points[:1]), "its table has a zero point that is not 0")
        if table.scale_count > 1:
            s.typed(table, "a table with several scales", "UINT8", "INT8", "INT4", "INT2")
            s.typed(target, "its output", "FLOAT32", "FLOAT16")
            axis = table.tensor.quantization.axis if table.tensor.quantization is not None else 0
            s.require(axis == 0, f"the scales of its table run along axis {axis}, not 0")
    s.resize(target, (lookup.shape[0], *table.shape[1:]))


def embedding_lookup_sparse(s: Step) -> None:
    s.counts(5)
    ids, indices, shape, weights, table = s.inputs()
    for what, slot, rank, kind in (
        ("the ids", ids, 1, "INT32"),
        ("the indices", indices, 2, "INT32"),
        ("the shape", shape, 1, "INT32"),
        ("the weights", weights, 1, "FLOAT32"),
    ):
        s.ranked(slot, what, rank)
        s.typed(slot, what, kind)
    s.require(ids.shape[0] == indices.shape[0] == weights.shape[0], "ids, indices and weights differ in length")
    s.require(table.rank >= 2, f"its table has rank {table.rank}; the kernel takes 2 or more")
    s.dynamic()


def dynamic_update_slice(s: Step) -> None:
    operand, update, start, target = s.input(0), s.input(1), s.input(2), s.output()
    s.ranked(start, "the start", 1)
    s.require(start.shape[0] == operand.rank, f"{start.shape[0]} start indices for rank {operand.rank}")
    s.require(update.rank == operand.rank, f"its update has rank {update.rank}, not {operand.rank}")
    fits = all(mine <= extent for mine, extent in zip(update.shape, operand.shape, strict=True))
    s.require(fits, "its update is larger than its operand")
    s.counts(3)
    s.same_type(operand, update)
    s.typed(start, "the start", "INT32", "INT64")
    target.type = operand.type
    s.like(operand)


def lstm(s: Step) -> None:
    """The full kernel keeps its state in variable tensors, which do not load; the basic one in its inputs."""
    options = s.options(LSTMOptions)
    s.require(options is not None and options.kernel_type == "BASIC", "its state is no variable tensor")
    s.counts(5, outputs=4)
    source, activation, weights, bias, state = s.inputs()
    s.ranked(source, "its input", 2)
    batch, depth = source.shape
    s.ranked(activation, "its previous activation", 2)
    s.require(activation.shape[0] == batch, f"its previous activation has {activation.shape[0]} rows, not {batch}")
    cells = activation.shape[1]
    s.require(weights.shape == (4 * cells, depth + cells), f"its weights have shape {shape_text(weights.shape)}")
    s.require(bias.shape == (4 * cells,), f"its bias has shape {shape_text(bias.shape)}, not [{4 * cells}]")
    s.require(state.shape == activation.shape, "its previous state has not the shape of its previous activation")
    for position, shape in enumerate((activation.shape, state.shape, (batch, depth + cells), (batch, 4 * cells))):
        s.resize(s.output(position), shape)
    s.keep(activation)
    s.keep(state)


def l2_normalization(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.require_since("2.1.6", source.rank >= 1, "its input is a scalar")
    s.require_before("2.1.6", source.rank <= 4, f"its input has rank {source.rank}; the kernel takes at most 4")
    s.typed(target, "its output", "FLOAT32", "UINT8", "INT8")
    s.same_type(source, target)
    if target.type != "FLOAT32":
        s.require(target.scale == 1 / 128, f"the output's scale is {target.scale:g}, not 1/128")
        wanted = 128 if target.type == "UINT8" else 0
        s.require(target.zero_point == wanted, f"the output's zero point is not {wanted}")
    options = s.options(L2NormOptions)
    s.require(options is None or options.fused_activation_function == "NONE", "it has a fused activation")
    s.like(source)


def local_response_normalization(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.ranked(source, "its input", 4)
    s.typed(target, "its output", "FLOAT32")
    s.same_type(source, target)
    s.like(source)


def densify(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.require(
        source.type != "STRING" and source.tensor.constant and source.tensor.sparse, "its input is no sparse constant"
    )
    target.type = source.type
    s.keep(target)
    s.like(source)


PREPARERS: Mapping[str, Preparer] = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "TRANSPOSE_CONV": transpose_conv,
    "CONV_3D": conv_3d,
    "CONV_3D_TRANSPOSE": conv_3d_transpose,
    "AVERAGE_POOL_2D": pool_2d,
    "MAX_POOL_2D": pool_2d,
    "L2_POOL_2D": pool_2d,
    "FULLY_CONNECTED": fully_connected,
    "BATCH_MATMUL": batch_matmul,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "EMBEDDING_LOOKUP_SPARSE": embedding_lookup_sparse,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice,
    "L2_NORMALIZATION": l2_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": local_response_normalization,
    "DENSIFY": densify,
    "LSTM": lstm,
}
