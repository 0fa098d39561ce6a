from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "fp16-cancellation"


def stated(low: float, high: float) -> Settings:
    return Settings(input_ranges=(("x", low, high),))


def shifted(first: float, second: float) -> Graph:
    g = Graph()
    x = g.input([1, 1, 1, 8], name="x")
    y = g.op("ADD", x, g.const(first, type="FLOAT32"), name="y")
    g.output(g.op("SUB", y, g.const(second, type="FLOAT32")))
    return g


def variance(by_squares: bool) -> Graph:
    g = Graph()
    x = g.input([1, 1, 8, 64], name="x")
    axis = g.const([3], type="INT32")
    mean = g.op("MEAN", x, axis, out=[1, 1, 8, 1], keep_dims=True)
    if by_squares:
        squares = g.op("MEAN", g.op("MUL", x, x), axis, out=[1, 1, 8, 1], keep_dims=True)
        g.output(g.op("SUB", squares, g.op("MUL", mean, mean), name="variance"))
    else:
        difference = g.op("SQUARED_DIFFERENCE", x, mean, out=[1, 1, 8, 64])
        g.output(g.op("MEAN", difference, axis, out=[1, 1, 8, 1], keep_dims=True))
    return g


def test_a_constant_that_goes_there_and_back() -> None:
    assert spoken(found(shifted(60000, 60000), RULE)) == snapshot("""\
0/0:ADD: warning: 6e+04 is added and taken away again: in between the values are rounded to steps of 32 [fp16-cancellation]
  help: drop the operators, or add what remains of the constants; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_values_around_a_large_mean() -> None:
    assert spoken(found(shifted(-1000, 0), RULE, settings=stated(996, 1004))) == snapshot("""\
0/0:ADD: warning: ADD of 996 to 1e+03 and -1e+03 to -1e+03 gives -4 to 4: the operands are rounded to steps of 0.5, 6.2 % of the result [fp16-cancellation]
  help: subtract the common part before the values enter the model; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_variance_by_squares() -> None:
    assert spoken(found(variance(True), RULE, settings=stated(96, 104))) == snapshot("""\
0/4:SUB: warning: the variance is the mean of squares minus the square of the mean: off by 1 % where the mean is 4 standard deviations, by 6 % at 10; x is 96 to 104 [fp16-cancellation]
  help: take the mean of (x - mean)²: 0.2 % off where this is 50 %; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize(
    ("first", "second", "count"), [(60000, 60000, 1), (2048, 2048, 1), (100, 100, 0), (60000, 1, 0)]
)
def test_there_and_back(first: float, second: float, count: int) -> None:
    assert len(found(shifted(first, second), RULE)) == count


@pytest.mark.parametrize(("low", "high", "count"), [(-4, 4, 0), (996, 1004, 1), (1996, 2004, 0), (900, 1100, 0)])
def test_a_difference_with_known_operands(low: float, high: float, count: int) -> None:
    g = Graph()
    g.output(g.op("SUB", g.input([1, 4, 4, 8], name="x"), g.const(1000.0, type="FLOAT32")))
    assert len(found(g, RULE, settings=stated(low, high))) == count
    assert found(g, RULE) == ()


@pytest.mark.parametrize(
    ("low", "high", "severity"),
    [(-1, 7, None), (6, 14, Severity.WARNING), (-4, 4, None), (-0.0004, 0.0004, Severity.WARNING)],
)
def test_the_ratio_of_mean_and_spread(low: float, high: float, severity: Severity | None) -> None:
    findings = found(variance(True), RULE, settings=stated(low, high))
    assert [finding.severity for finding in findings] == [severity] * (severity is not None)


def test_unknown_values_are_an_information_and_the_rewrite_is_silent() -> None:
    assert [finding.severity for finding in found(variance(True), RULE)] == [Severity.INFO]
    assert found(variance(False), RULE) == ()


def test_a_bias_that_brings_a_sum_back() -> None:
    for value, count in ((-937.0, 1), (-1.0, 0)):
        g = Graph()
        x = g.input([4, 64], name="x")
        g.output(
            g.op("FULLY_CONNECTED", x, g.const(shape=[8, 64], fill=1.0), g.const(shape=[8], fill=60000.0), out=[4, 8])
        )
        assert len(found(g, RULE, settings=stated(value, value))) == count


def test_an_activation_is_no_cancellation() -> None:
    g = Graph()
    x = g.input([4, 64], name="x")
    y = g.op("ADD", x, g.op("NEG", x), fused_activation_function="RELU6")
    g.output(y)
    assert found(g, RULE, settings=stated(-300, 300)) == ()


def test_fp32_is_fine() -> None:
    assert found(shifted(60000, 60000), RULE, precision="fp32") == ()
