"""Convolutions, and the custom operators beside them, that are accepted and then cannot be built.

All measured; the releases are in the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..model import Model, Subgraph, Tensor
from ..targets import VERSIONS, Era
from .building import BATCH_AXIS, Build, builds, per_channel
from .failure import Failure, Fault
from .layout import layout
from .quantized import MATRIX_TYPES, scheme


def failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    for build in builds(model, graph, chosen, era, _RULES):
        yield from _RULES[build.op.name](build)


def _conv_2d(build: Build) -> Iterator[Failure]:
    data, weights, bias = build.input(0), build.input(1), build.input(2)
    if data is None or weights is None:
        return
    if data.index == weights.index:
        return  # the process dies of that
    if not weights.constant:
        yield from _runtime_weights(build, weights, "NOT_FOUND: No GPU object with name - weights_scale")
    elif bias is not None and not bias.constant:
        yield build.runtime_bias(bias, weights)
    else:
        yield from _weights(build, weights)
        yield from build.read_as_float(bias)
        yield from _groups(build, data, weights)


def _weights(build: Build, weights: Tensor) -> Iterator[Failure]:
    """INT8 and INT4 are kept as they are, all others become float."""
    if weights.type not in ("INT8", "INT4"):
        yield from build.read_as_float(weights)
    elif scheme(weights, build.era) != "affine":
        message = "Check failed: tflite_tensor->quantization.type == kTfLiteAffineQuantization"
        outcome = "the process ends at INT8 or INT4 weights without scales"
        yield build.fail(Fault.UNREADABLE_CONSTANT, message, outcome, weights)


def _groups(build: Build, data: Tensor, weights: Tensor) -> Iterator[Failure]:
    """Groups off 4 become convolutions of their own, with weights copied into room for four floats: a fifth input
    channel ends the process (ResolveGroupedConvolution, ml_drift_delegate/tflite/model_builder.cc, v2.2.0)."""
    if weights.type in MATRIX_TYPES and weights.quantized and weights.shape[1:3] == (1, 1):
        return  # a matrix product, which does not know of groups (see strided-pointwise-conv)
    outputs, inside = weights.shape[0], weights.shape[-1]
    groups = data.shape[-1] // max(inside, 1)
    if groups <= 1 or inside <= 4:
        return
    outside = outputs // groups
    if inside % 4 or outside % 4:
        outcome = f"the process is killed by SIGILL at groups of {inside} input and {outside} output channels"
        yield build.fail(Fault.GROUPED_CONV, "", outcome, weights)


def _runtime_weights(build: Build, weights: Tensor, packed: str) -> Iterator[Failure]:
    """Weights from outside. From 2.2.0 on CONV_2D is refused when they have many scales."""
    if weights.type in ("INT4", "INT2"):
        yield build.fail(Fault.PACKED_WEIGHTS, packed, "runtime weights of 4 or 2 bits", weights, releases=VERSIONS[4:])
    elif weights.type in ("INT8", "UINT8") and per_channel(weights):
        yield build.many_scales(weights)


def _depthwise_conv_2d(build: Build) -> Iterator[Failure]:
    data, weights, bias = build.input(0), build.input(1), build.input(2)
    if data is None or weights is None:
        return
    if data.index == weights.index:
        return  # the process dies of that
    if data.constant:
        yield build.constant_operand(data)
    elif not weights.constant:
        message = (
            "UNIMPLEMENTED: No support of depthwise runtime weights with different data types. "
            "src: float32 weights: unknown"
        )
        yield from _runtime_weights(build, weights, message)
        if data.shape[-1:] != weights.shape[-1:]:
            outcome = "SIGSEGV: runtime weights that make several channels of one"
            message = "the process dies while DEPTHWISE_CONV_2D with a depth multiplier and runtime weights is built"
            yield build.fail(Fault.RUNTIME_MULTIPLIER, message, outcome, weights, data)
    elif bias is not None and not bias.constant:
        yield build.runtime_bias(bias, weights)
    else:
        yield from build.read_as_float(weights)
        yield from build.read_as_float(bias)


def _transpose_conv(build: Build) -> Iterator[Failure]:
    weights, data, bias = build.input(1), build.input(2), build.input(3)
    if data is None or weights is None:
        return
    if data.index == weights.index:
        return  # the process dies of that
    if not weights.constant:
        yield from _runtime_weights(build, weights, "INVALID_ARGUMENT: model input type is not supported.")
    elif bias is not None and not bias.constant:
        yield build.runtime_bias(bias, weights)
    else:
        yield from build.read_as_float(weights)
        yield from build.read_as_float(bias)


def _custom(build: Build) -> Iterator[Failure]:
    name = build.op.custom_code
    data = build.input(0)
    if data is None:
        return
    if name == "Convolution2DTransposeBias":
        if data.constant:
            yield build.constant_operand(data)
        else:
            yield from build.read_as_float(build.input(1))
            yield from build.read_as_float(build.input(2))
    elif name == "Resampler":
        warp = build.input(1)
        source, where = layout(data.shape), layout(() if warp is None else warp.shape)
        if warp is None or source is None or where is None:
            return
        if source.batch == 1 and where.batch != 1:  # refused from 2.1.6 on
            message = f"INVALID_ARGUMENT: {BATCH_AXIS}. Layout is bhwc, args are X, Y, 0."
            yield build.fail(Fault.KERNEL_CREATION, message, "a warp with a batch", warp, releases=VERSIONS[:4])


_RULES: Mapping[str, Callable[[Build], Iterator[Failure]]] = {
    "CONV_2D": _conv_2d,
    "DEPTHWISE_CONV_2D": _depthwise_conv_2d,
    "TRANSPOSE_CONV": _transpose_conv,
    "CUSTOM": _custom,
}
