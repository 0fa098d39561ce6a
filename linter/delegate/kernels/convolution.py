"""Windows over an image: convolutions, pooling, resizing, and the custom operators of the same kind.

Source: Conv2DOperationParser, DepthwiseConvolutionOperationParser, TransposeConvBuiltinOperationParser,
Pooling2DOperationParser, Resize2DOperationParser and their neighbours in ml_drift_delegate/tflite/model_builder.cc,
v2.2.0. Measured on 2.1.2 to 2.3.0, as far as a CPU kernel lets the model through.
"""

from __future__ import annotations

import struct

from ...options import (
    Conv2DOptions,
    DepthwiseConv2DOptions,
    Pool2DOptions,
    ResizeBilinearOptions,
    TransposeConvOptions,
)
from ..conditions import (
    filter_constant,
    inputs_outputs,
    known_activation,
    max_version,
    outputs_readable,
    positive,
    readable,
    strides,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Cause, Refusal, Refusals, parameter
from ..types import BASE_IN, BASE_OUT, BFLOAT16


def _one_or_two_runtime_inputs(n: Node) -> Refusals:
    """GC CheckConvolutionInputOutput: the data, and weights that are not constant. Up to 2.1.5 none passed as well."""
    found = n.runtime_count
    if found > 2 or (found < 1 and n.since("2.1.6")):
        cause = Cause.CONSTANT if n.all_constant else Cause.PARAMETER
        yield Refusal(cause, f"Expected 1 or 2 input tensor(s), but node has {found} runtime inputs.")
    if len(n.outputs) != 1:
        yield parameter(f"Expected 1 output tensor(s), but node has {len(n.outputs)} runtime outputs.")
    if found == 1 and len(n.inputs) < 2:
        yield parameter(f"Requested index goes beyond array size: 1 vs {len(n.inputs)}")


def conv_2d(n: Node) -> Refusals:
    """Groups, channels, the type of the weights and the bias are not tested."""
    yield from max_version(n, 6)
    yield from _one_or_two_runtime_inputs(n)
    options = n.options(Conv2DOptions)
    if options is None:
        yield from strides(0, 0)
        return
    yield from strides(options.stride_h, options.stride_w)
    yield from positive("dilation", "dilation", options.dilation_h_factor, options.dilation_w_factor)
    yield from known_activation(options.fused_activation_function)
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    yield from readable(n, 0)
    if n.constant(0):
        yield Refusal(Cause.CONSTANT, "input must be a runtime tensor")
    if n.runtime_count == 2 and n.since("2.2.0"):
        yield from readable(n, 1)
    yield from outputs_readable(n)


def depthwise_conv_2d(n: Node) -> Refusals:
    yield from max_version(n, 6)
    yield from _one_or_two_runtime_inputs(n)
    options = n.options(DepthwiseConv2DOptions)
    if options is None:
        yield from strides(0, 0)
        return
    yield from strides(options.stride_h, options.stride_w)
    yield from positive("dilation", "dilation", options.dilation_h_factor, options.dilation_w_factor)
    yield from known_activation(options.fused_activation_function)
    yield from _depthwise_shapes(n, options.depth_multiplier)
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    yield from readable(n, 0)
    if n.runtime_count == 2:
        yield from readable(n, 1)
    elif n.runtime_count == 1:
        yield from filter_constant(n, 1)
    else:
        yield Refusal(Cause.CONSTANT, "Unsupported Depthwise Convolution case.")
    yield from outputs_readable(n)


def _depthwise_shapes(n: Node, multiplier: int) -> Refusals:
    """GC CheckDepthwiseConvGpuDelegateCompatibility. Messages name the fault. An absent bias counts as one element."""
    data, weights, output = n.input(0), n.input(1), n.output(0)
    if data is None or data.rank != 4:
        yield parameter("input.dims.size != 4")
    if weights is None or weights.rank != 4:
        yield parameter("filter.dims.size != 4")
    if output is None or output.rank != 4:
        yield parameter("output.dims.size != 4")
    if data is None or weights is None or output is None:
        return
    channels = output.shape[3]
    if data.shape[0] != output.shape[0]:
        yield parameter("input.b != output.b")
    if weights.shape[3] != channels:
        yield parameter("filter.i != output.c", weights.index)
    if channels != data.shape[3] * multiplier:
        yield parameter("output.c != input.c * depth_multiplier")
    if len(n.inputs) > 2:
        bias = n.input(2)
        if (1 if bias is None else bias.elements) != channels:
            yield parameter("bias.size != output.c")


def transpose_conv(n: Node) -> Refusals:
    """Inputs are output shape, weights, data and, from version 3, bias. Padding and activation are not tested."""
    yield from max_version(n, 3)
    yield from _one_or_two_runtime_inputs(n)
    options = n.options(TransposeConvOptions)
    yield from strides(0, 0) if options is None else strides(options.stride_h, options.stride_w)
    yield from readable(n, 2)
    yield from outputs_readable(n)
    if n.runtime_count == 2:
        yield from readable(n, 1)
    else:
        yield from filter_constant(n, 1)


def pool_2d(n: Node) -> Refusals:
    yield from max_version(n, 2)
    yield from inputs_outputs(n, 1, 1)
    options = n.options(Pool2DOptions)
    if options is None:
        yield from positive("kernel", "kernel", 0, 0)
        return
    yield from positive("kernel", "kernel", options.filter_height, options.filter_width)
    yield from strides(options.stride_h, options.stride_w)
    yield from known_activation(options.fused_activation_function)
    if n.since("2.1.5"):
        yield from outputs_readable(n)
    yield from readable(n, 0)
    yield from outputs_readable(n)


def resize(n: Node) -> Refusals:
    """The size is not read: the output's shape says it."""
    yield from max_version(n, 3)
    yield from inputs_outputs(n, 1, 1)
    options = n.options(ResizeBilinearOptions)
    if options is not None and options.align_corners and options.half_pixel_centers:
        yield parameter("If half_pixel_centers is True, align_corners must be False.")
    yield from readable(n, 0)
    yield from outputs_readable(n)


def _initial_data(n: Node, count: int) -> tuple[int, ...] | None:
    """The first `count` 32-bit fields of a custom operator's options; None where the writer left the options out.

    The delegate reads a C structure where the options start and asks for no length: it reads what follows them too.
    """
    start = n.op.custom_options_at
    if not start:
        return None
    raw = n.model.fetch(start, min(4 * count, n.model.size - start))
    return struct.unpack(f"<{count}i", raw.ljust(4 * count, b"\0"))


_NO_INITIAL_DATA = "Unable to retrieve custom_initial_data."


def convolution_2d_transpose_bias(n: Node) -> Refusals:
    """Options: padding, stride width, stride height (TfLiteTransposeConvParams)."""
    if len(n.inputs) < 2:
        yield parameter(f"Requested index goes beyond array size: 1 vs {len(n.inputs)}")
    data = _initial_data(n, 3)
    if data is None:
        yield parameter(_NO_INITIAL_DATA)
        return
    yield from strides(data[2], data[1])
    yield from readable(n, 0)
    yield from outputs_readable(n)
    yield from filter_constant(n, 1)


def max_pooling_with_argmax_2d(n: Node) -> Refusals:
    """Options: padding, stride width and height, filter width and height, activation (TfLitePoolParams)."""
    yield from max_version(n, 2)
    data = _initial_data(n, 6)
    if data is None:
        yield parameter("Unable to retrieve builtin_data.")
        return
    yield from inputs_outputs(n, 1, 2)
    yield from positive("kernel", "kernel", data[4], data[3])
    yield from strides(data[2], data[1])
    yield from known_activation("SIGN_BIT" if data[5] == 5 else "NONE")
    yield from outputs_readable(n)
    yield from readable(n, 0)


def max_unpooling_2d(n: Node) -> Refusals:
    yield from inputs_outputs(n, 2, 1)
    data = _initial_data(n, 6)
    if data is None:
        yield parameter(_NO_INITIAL_DATA)
        return
    yield from positive("kernel", "kernel", data[4], data[3])
    yield from strides(data[2], data[1])
    yield from readable(n, 0)
    yield from readable(n, 1)
    yield from outputs_readable(n)


def resampler(n: Node) -> Refusals:
    """Shapes are tested from 2.1.6 on (gpu_compatibility.cc)."""
    yield from inputs_outputs(n, 2, 1)
    source, warp = n.input(0), n.input(1)
    if source is not None and warp is not None and n.since("2.1.6"):
        if source.rank != 4 or warp.rank != 4:
            yield parameter("src or warp dims size != 4")
        if source.shape[0] != warp.shape[0]:
            yield parameter("src.b != warp.b")
        if warp.shape[3] < 2:
            yield parameter("warp.c < 2")
    yield from readable(n, 0)
    yield from readable(n, 1)
    yield from outputs_readable(n)


KERNELS: Kernels = {
    "CONV_2D": Kernel(conv_2d, BASE_IN | BFLOAT16, BASE_OUT | BFLOAT16),
    "DEPTHWISE_CONV_2D": Kernel(depthwise_conv_2d, BASE_IN, BASE_OUT),
    "TRANSPOSE_CONV": Kernel(transpose_conv, BASE_IN, BASE_OUT),
    "AVERAGE_POOL_2D": Kernel(pool_2d, BASE_IN, BASE_OUT),
    "MAX_POOL_2D": Kernel(pool_2d, BASE_IN, BASE_OUT),
    "RESIZE_BILINEAR": Kernel(resize, BASE_IN, BASE_OUT),
    "RESIZE_NEAREST_NEIGHBOR": Kernel(resize, BASE_IN, BASE_OUT),
}

CUSTOM_KERNELS: Kernels = {
    "Convolution2DTransposeBias": Kernel(convolution_2d_transpose_bias, BASE_IN, BASE_OUT),
    "MaxPoolingWithArgmax2D": Kernel(max_pooling_with_argmax_2d, BASE_IN, BASE_OUT),
    "MaxUnpooling2D": Kernel(max_unpooling_2d, BASE_IN, BASE_OUT),
    "Resampler": Kernel(resampler, BASE_IN, BASE_OUT),
}
"""By custom name. With the GPU asked for, the runtime lets these be loaded (litert/runtime/compiled_model.cc)."""
