"""Convolutions, pools and resizing: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from answers import ACCEPTED, BUILT, answers, fates

from tflint.fixtures.builder import Graph, Quant
from tflint.fixtures.probes.single import Operand, constant, runtime, single

ALL = "2.1.2-2.3.0"
SCALES = "Unsupported quantization scale size"
IMAGE = (1, 8, 8, 4)
ONE = Quant(0.05, 3)
MANY = Quant([0.1] * 8, [0] * 8)


def conv(
    data: Operand | None = None, weights: Operand | None = None, bias: Operand | None = None, **keywords: object
) -> Callable[[], bytes]:
    operands = (data or runtime(IMAGE), weights or constant((8, 3, 3, 4)), bias or constant((8,)))
    return single("CONV_2D", *operands, out=[1, 8, 8, 8], **keywords)


def depthwise(
    weights: Operand | None = None, bias: Operand | None = None, out: tuple[int, ...] = IMAGE, **keywords: object
) -> Callable[[], bytes]:
    operands = (runtime(IMAGE), weights or constant((1, 3, 3, 4)), bias or constant((4,)))
    return single("DEPTHWISE_CONV_2D", *operands, out=out, **keywords)


def transpose_conv(
    weights: Operand | None = None, bias: Operand | None = None, **keywords: object
) -> Callable[[], bytes]:
    shape = Operand(lambda graph: graph.const([1, 16, 16, 8]))
    operands = (shape, weights or constant((8, 3, 3, 4)), runtime(IMAGE), *([bias] if bias else []))
    return single("TRANSPOSE_CONV", *operands, out=[1, 16, 16, 8], stride_h=2, stride_w=2, **keywords)


def pool(operator: str, data: Operand | None = None, **keywords: object) -> Callable[[], bytes]:
    fields = {"filter_height": 2, "filter_width": 2, **keywords}
    return single(operator, data or runtime(IMAGE), out=list(IMAGE), **fields)


@pytest.mark.parametrize(
    ("build", "highest"), [(conv, 6), (depthwise, 6), (transpose_conv, 3)], ids=["conv", "depthwise", "transpose"]
)
def test_versions(build: Callable[..., Callable[[], bytes]], highest: int) -> None:
    assert answers(build(version=highest)) == ACCEPTED
    words = f"Max version supported: {highest}. Requested version {highest + 1}."
    assert answers(build(version=highest + 1)) == f"{ALL} {words}"


@pytest.mark.parametrize("build", [conv, depthwise], ids=["conv", "depthwise"])
def test_activations(build: Callable[..., Callable[[], bytes]]) -> None:
    for activation in ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", 9):
        assert answers(build(fused_activation_function=activation)) == ACCEPTED
    said = answers(build(fused_activation_function="SIGN_BIT"))
    assert said == f"{ALL} TfLiteFusedActivation.kTfLiteActSignBit"


def test_strides_and_dilations_are_positive() -> None:
    assert answers(conv(stride_h=1, dilation_w_factor=1)) == ACCEPTED
    assert answers(conv(stride_h=0)) == f"{ALL} Incorrect stride values: stride_height = 0, stride_width = 1"
    said = answers(conv(dilation_w_factor=0))
    assert said == f"{ALL} Incorrect dilation values: dilation_height = 1, dilation_width = 0"
    assert answers(transpose_conv(padding="VALID")) == ACCEPTED


def test_which_operands_come_at_run_time() -> None:
    weights, bias = runtime((8, 3, 3, 4)), runtime((8,))
    assert answers(conv(weights=weights)) == ACCEPTED
    said = answers(conv(weights=weights, bias=bias))
    assert said == f"{ALL} Expected 1 or 2 input tensor(s), but node has 3 runtime inputs."
    assert answers(conv(data=constant(IMAGE), weights=weights)) == f"{ALL} input must be a runtime tensor"
    assert answers(conv(data=constant(IMAGE))) == (
        "2.1.2-2.1.5 input must be a runtime tensor\n"
        "2.1.6-2.3.0 Expected 1 or 2 input tensor(s), but node has 0 runtime inputs."
    )


def test_runtime_weights_have_one_scale_from_2_2_0_on() -> None:
    assert answers(conv(weights=runtime((8, 3, 3, 4), "INT8", quant=ONE))) == ACCEPTED
    many = conv(weights=runtime((8, 3, 3, 4), "INT8", quant=MANY))
    assert answers(many) == f"2.1.2-2.1.6 accepted\n2.2.0-2.3.0 {SCALES}"
    assert fates(many) == "2.1.2-2.1.6 RUNTIME_SCALES\n2.2.0-2.3.0 built"
    assert answers(conv(weights=constant((8, 3, 3, 4), "INT8", quant=MANY))) == ACCEPTED


@pytest.mark.parametrize("kind", ["INT4", "INT2"])
def test_packed_runtime_weights(kind: str) -> None:
    build = conv(weights=runtime((8, 3, 3, 4), kind, quant=ONE))
    assert answers(build) == f"2.1.2-2.1.5 Tensor type({kind}) is not supported. input_1\n2.1.6-2.3.0 accepted"
    assert fates(build) == "2.1.2-2.1.5 built\n2.1.6-2.3.0 PACKED_WEIGHTS"


def test_output_scales() -> None:
    data = runtime(IMAGE, "INT8", quant=ONE)
    weights = constant((8, 3, 3, 4), "INT8", quant=MANY)
    bias = constant((8,), "INT32", quant=MANY)
    assert answers(conv(data, weights, bias, quant=ONE)) == ACCEPTED
    assert answers(conv(data, weights, bias, quant=Quant([0.1] * 8, [0] * 8, 3))) == f"{ALL} {SCALES}"


def test_depthwise_shapes() -> None:
    assert answers(depthwise()) == ACCEPTED
    assert answers(depthwise(depth_multiplier=2)) == f"{ALL} output.c != input.c * depth_multiplier"
    doubled = depthwise(constant((1, 3, 3, 8)), constant((8,)), (1, 8, 8, 8), depth_multiplier=2)
    assert answers(doubled) == ACCEPTED
    assert answers(depthwise(weights=constant((1, 3, 3, 8)))) == f"{ALL} filter.i != output.c"
    assert answers(depthwise(out=(2, 8, 8, 4))) == f"{ALL} input.b != output.b"
    assert answers(depthwise(bias=constant((3,)))) == f"{ALL} bias.size != output.c"
    assert answers(depthwise(bias=constant((1, 4)))) == ACCEPTED
    assert answers(depthwise(weights=constant((3, 3, 4)))) == f"{ALL} filter.dims.size != 4"


def test_filters_that_can_be_read() -> None:
    for kind in ("FLOAT32", "FLOAT16", "INT4", "INT32"):
        assert answers(depthwise(weights=constant((1, 3, 3, 4), kind))) == ACCEPTED
        assert answers(transpose_conv(weights=constant((8, 3, 3, 4), kind))) == ACCEPTED
    for kind in ("INT16", "BOOL", "INT2"):
        said = answers(transpose_conv(weights=constant((8, 3, 3, 4), kind)))
        assert said == f"{ALL} Unsupported data type for float32 tensor"
    flat = transpose_conv(weights=constant((8, 3, 12)))
    assert answers(flat) == f"{ALL} Expected a 4D tensor of shape OxHxWxI but got [8,3,12]"


@pytest.mark.parametrize("operator", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_pools(operator: str) -> None:
    assert answers(pool(operator, version=2)) == ACCEPTED
    assert answers(pool(operator, version=3)) == f"{ALL} Max version supported: 2. Requested version 3."
    said = answers(pool(operator, filter_width=0, stride_h=0))
    assert said == f"{ALL} Incorrect kernel values: kernel_height = 2, kernel_width = 0"
    said = answers(pool(operator, data=constant(IMAGE)))
    assert said == f"{ALL} Expected 1 runtime input tensor(s), but node has 0 runtime input(s)."
    said = answers(pool(operator, data=runtime(IMAGE, "INT16", quant=ONE), quant=ONE))
    assert said == f"{ALL} Tensor type(INT16) is not supported. input_0"


@pytest.mark.parametrize("operator", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
def test_resizing(operator: str) -> None:
    size = Operand(lambda graph: graph.const([16, 16]))

    def resize(wanted: Operand = size, **keywords: object) -> str:
        return answers(single(operator, runtime(IMAGE), wanted, out=[1, 16, 16, 4], **keywords))

    assert resize(version=3) == ACCEPTED
    assert resize(version=4) == f"{ALL} Max version supported: 3. Requested version 4."
    said = resize(runtime((2,), "INT32"))
    assert said == f"{ALL} Expected 1 runtime input tensor(s), but node has 2 runtime input(s)."
    both = "If half_pixel_centers is True, align_corners must be False."
    expected = f"{ALL} {both}" if operator == "RESIZE_BILINEAR" else ACCEPTED
    assert resize(align_corners=True, half_pixel_centers=True) == expected
    assert resize(align_corners=True) == ACCEPTED


def custom(name: str, options: bytes | None, *operands: Operand, outputs: int = 1) -> Callable[[], bytes]:
    def build() -> bytes:
        graph = Graph()
        tensors = [operand.make(graph) for operand in operands]
        graph.output(*graph.custom(name, *tensors, custom_options=options, out=[list(IMAGE)] * outputs))
        return graph.build()

    return build


def test_custom_options_are_read_as_a_structure() -> None:
    name = "Convolution2DTransposeBias"
    operands = (runtime(IMAGE), constant((8, 3, 3, 4)), constant((8,)))
    assert answers(custom(name, struct.pack("<3i", 1, 2, 2), *operands)) == ACCEPTED
    said = answers(custom(name, struct.pack("<3i", 1, 2, 0), *operands))
    assert said == f"{ALL} Incorrect stride values: stride_height = 0, stride_width = 2"
    assert answers(custom(name, None, *operands)) == f"{ALL} Unable to retrieve custom_initial_data."


def test_pooling_with_indices_has_two_outputs() -> None:
    options = struct.pack("<6i", 1, 1, 1, 2, 2, 0)
    build = custom("MaxPoolingWithArgmax2D", options, runtime(IMAGE), outputs=2)
    assert answers(build) == ACCEPTED
    said = answers(custom("MaxPoolingWithArgmax2D", options, runtime(IMAGE)))
    assert said == f"{ALL} Expected 2 output tensor(s), but node has 1 output(s)."
    said = answers(custom("MaxPoolingWithArgmax2D", None, runtime(IMAGE), outputs=2))
    assert said == f"{ALL} Unable to retrieve builtin_data."


def test_resampler_shapes_are_asked_from_2_1_6_on() -> None:
    def resampler(warp: tuple[int, ...]) -> str:
        return answers(custom("Resampler", None, runtime(IMAGE), runtime(warp)))

    assert resampler((1, 5, 5, 2)) == ACCEPTED
    assert resampler((1, 5, 5, 1)) == "2.1.2-2.1.5 accepted\n2.1.6-2.3.0 warp.c < 2"
    assert resampler((2, 5, 5, 2)) == "2.1.2-2.1.5 accepted\n2.1.6-2.3.0 src.b != warp.b"
    assert resampler((5, 5, 2)) == "2.1.2-2.1.5 accepted\n2.1.6-2.3.0 src or warp dims size != 4"


@pytest.mark.parametrize(
    "build",
    [
        lambda bias: conv(bias=bias((8,))),
        lambda bias: depthwise(bias=bias((4,))),
        lambda bias: transpose_conv(bias=bias((8,)), version=3),
    ],
    ids=["conv", "depthwise", "transpose"],
)
def test_a_runtime_bias_takes_the_place_of_the_weights(
    build: Callable[[Callable[..., Operand]], Callable[[], bytes]],
) -> None:
    assert fates(build(constant)) == BUILT
    assert answers(build(runtime)) == ACCEPTED
    assert fates(build(runtime)) == f"{ALL} RUNTIME_BIAS"


@pytest.mark.parametrize("size", [1, 3])
def test_weights_that_cannot_be_read(size: int) -> None:
    def weights(kind: str, quant: Quant | None = None) -> str:
        return fates(conv(weights=constant((8, size, size, 4), kind, quant=quant)))

    for kind in ("INT8", "INT4", "UINT8", "INT32"):
        assert weights(kind, MANY) == BUILT
        assert weights(kind) == f"{ALL} UNREADABLE_CONSTANT"
    assert weights("FLOAT16") == BUILT
    assert weights("INT2", MANY) == f"{ALL} UNREADABLE_CONSTANT"
    assert weights("BOOL") == "2.1.2-2.1.6 UNREADABLE_CONSTANT\n2.2.0-2.3.0 built"


def test_an_integer_bias_needs_scales() -> None:
    data, weights = runtime(IMAGE, "INT8", quant=ONE), constant((8, 3, 3, 4), "INT8", quant=MANY)
    assert fates(conv(data, weights, constant((8,), "INT32", quant=MANY), quant=ONE)) == BUILT
    assert fates(conv(data, weights, constant((8,), "INT32"), quant=ONE)) == f"{ALL} UNREADABLE_CONSTANT"


@pytest.mark.parametrize(
    ("inside", "outside", "fate"),
    [(4, 3, BUILT), (8, 8, BUILT), (1, 1, BUILT), (5, 4, "GROUPED_CONV"), (8, 2, "GROUPED_CONV")],
)
def test_groups_of_more_than_four_channels_off_four(inside: int, outside: int, fate: str) -> None:
    operands = (runtime((1, 8, 8, 2 * inside)), constant((2 * outside, 3, 3, inside)), constant((2 * outside,)))
    said = fates(single("CONV_2D", *operands, out=[1, 8, 8, 2 * outside]))
    assert said == (fate if fate == BUILT else f"{ALL} {fate}")
