from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Quant
from tflint.linter.findings import Severity

RULE = "fp16-weight-range"


def dense(weight: float, bias: float | None = None, factor: float | None = None, type: str = "FLOAT32") -> Graph:
    g = Graph()
    x = g.input([4, 64], name="x")
    w = g.const(shape=[8, 64], fill=weight, type=type, name="w")
    if type == "FLOAT16":
        w = g.op("DEQUANTIZE", w, out=[8, 64], type="FLOAT32")
    b = None if bias is None else g.const(shape=[8], fill=bias, name="b")
    y = g.op("FULLY_CONNECTED", x, w, b, out=[4, 8])
    g.output(y if factor is None else g.op("MUL", y, g.const(factor, type="FLOAT32", name="factor")))
    return g


def quantized(scale: float) -> Graph:
    g = Graph()
    x = g.input([4, 64], name="x")
    w = g.const(shape=[8, 64], fill=127, type="INT8", name="w", quant=Quant(scale))
    g.output(g.op("FULLY_CONNECTED", x, w, None, out=[4, 8], type="FLOAT32"))
    return g


def convolution(scale: float) -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 64], name="x")
    stored = g.const(shape=[8, 1, 1, 64], fill=127, type="INT8", name="w", quant=Quant(scale))
    w = g.op("DEQUANTIZE", stored, out=[8, 1, 1, 64], type="FLOAT32")
    g.output(g.op("CONV_2D", x, w, g.const(shape=[8], fill=0.5), out=[1, 4, 4, 8]))
    return g


def test_weights_beyond_the_largest_half() -> None:
    assert spoken(found(dense(70000), RULE)) == snapshot("""\
0/0:FULLY_CONNECTED: error: weights of 7e+04: half precision rounds them to infinity from 65520 on [fp16-weight-range]
  help: scale the weights down, and the input up by as much with a DIV (a MUL beside the layer folds back); or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_scale_that_overflows() -> None:
    assert spoken(found(quantized(260), RULE)) == snapshot("""\
0/0:FULLY_CONNECTED: error: the INT8 weights have a scale of 260: 255 times that is beyond half precision [fp16-weight-range]
  help: scale the weights so that the scale is below 257, and the input by the inverse; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize(
    ("weight", "severity"),
    [
        (65519, None),
        (65520, Severity.ERROR),
        (1e-5, None),
        (1e-6, Severity.WARNING),
        (1e-7, Severity.ERROR),
        (2e-8, Severity.ERROR),
        (0.0, None),
    ],
)
def test_float_weights(weight: float, severity: Severity | None) -> None:
    assert [finding.severity for finding in found(dense(weight), RULE)] == [severity] * (severity is not None)


def test_half_weights_were_rounded_in_the_file() -> None:
    assert found(dense(6e-8, type="FLOAT16"), RULE) == ()


@pytest.mark.parametrize(("bias", "count"), [(70000, 1), (65520, 1), (65504, 0), (1.0, 0)])
def test_bias(bias: float, count: int) -> None:
    assert len(found(dense(1.0, bias), RULE)) == count


@pytest.mark.parametrize(("scale", "count"), [(257, 1), (256, 0), (0.001, 0), (1e-5, 0), (1e-6, 1), (1e-8, 1)])
def test_int8_scale_of_a_fully_connected(scale: float, count: int) -> None:
    assert len(found(quantized(scale), RULE)) == count


def test_a_tiny_scale_was_a_little_worse_up_to_2_1_6() -> None:
    assert releases(quantized(6e-8), RULE) == ("2.1.2", "2.1.3", "2.1.4", "2.1.5", "2.1.6")


@pytest.mark.parametrize(("scale", "count"), [(3e-8, 0), (1e-8, 1)])
def test_dequantized_convolution_weights_are_folded(scale: float, count: int) -> None:
    assert len(found(convolution(scale), RULE)) == count


def test_a_factor_behind_the_layer_is_folded_back() -> None:
    assert found(dense(1562.5), RULE) == ()
    assert [finding.severity for finding in found(dense(1562.5, factor=64), RULE)] == [Severity.ERROR]
    assert found(dense(0.01, factor=1e6), RULE) == ()
    assert found(dense(0.01, factor=1e6), "fp16-overflow-constant") == ()


def test_fp32_is_fine() -> None:
    assert found(dense(70000), RULE, precision="fp32") == ()
