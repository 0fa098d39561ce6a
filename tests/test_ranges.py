"""Intervals: what is known of a tensor's values, and how sure that is."""

from __future__ import annotations

import math

import pytest

from tflint.fixtures.builder import Graph, Quant, Tensor
from tflint.linter.half import loss, rounded, spacing
from tflint.linter.patterns import find_patterns
from tflint.linter.ranges import UNKNOWN, Propagation, Range
from tflint.linter.reader import read


def ranges(g: Graph, *stated: tuple[str, float, float]) -> tuple[Range, Range]:
    """Worst and likely range of the first output."""
    model = read(g.build())
    made = Propagation(stated, find_patterns(model))(model)
    graph = model.subgraphs[0]
    return made.worst(graph, graph.outputs[0]), made.likely(graph, graph.outputs[0])


def start() -> tuple[Graph, Tensor]:
    g = Graph()
    return g, g.input([1, 1, 8, 64], name="x")


@pytest.mark.parametrize(
    ("op", "low", "high", "expected"),
    [
        ("RELU", -2, 3, (0, 3)),
        ("RELU6", -2, 9, (0, 6)),
        ("ABS", -5, 3, (0, 5)),
        ("ABS", 2, 3, (2, 3)),
        ("NEG", -5, 3, (-3, 5)),
        ("SQUARE", -5, 3, (0, 25)),
        ("SQRT", 4, 9, (2, 3)),
        ("RSQRT", 4, 16, (0.25, 0.5)),
        ("FLOOR", -1.5, 2.5, (-2, 2)),
        ("HARD_SWISH", -9, 9, (-0.375, 9)),
        ("MAX_POOL_2D", -5, 3, (-5, 3)),
    ],
)
def test_one_operand(op: str, low: float, high: float, expected: tuple[float, float]) -> None:
    g, x = start()
    g.output(g.op(op, x))
    assert ranges(g, ("x", low, high))[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("op", "expected"),
    [("LOGISTIC", (0, 1)), ("TANH", (-1, 1)), ("SOFTMAX", (0, 1)), ("RELU6", (0, 6)), ("SIN", (-1, 1))],
)
def test_bounded_functions_need_no_operand(op: str, expected: tuple[float, float]) -> None:
    g, x = start()
    g.output(g.op(op, x))
    assert ranges(g)[0] == expected


def test_nothing_is_known_of_an_input() -> None:
    g, x = start()
    g.output(g.op("NEG", x))
    assert ranges(g) == (UNKNOWN, UNKNOWN)


def test_one_known_end_is_kept() -> None:
    g, x = start()
    g.output(g.op("ADD", g.op("RELU", x), g.const(2.0, type="FLOAT32")))
    assert ranges(g)[0] == (2, math.inf)


@pytest.mark.parametrize(
    ("op", "constant", "expected"),
    [
        ("ADD", 2.0, (1, 5)),
        ("SUB", 2.0, (-3, 1)),
        ("MUL", -2.0, (-6, 2)),
        ("DIV", 2.0, (-0.5, 1.5)),
        ("MAXIMUM", 0.0, (0, 3)),
        ("MINIMUM", 0.0, (-1, 0)),
        ("POW", 2.0, (0, 9)),
        ("POW", 3.0, (-27, 27)),
    ],
)
def test_two_operands(op: str, constant: float, expected: tuple[float, float]) -> None:
    g, x = start()
    g.output(g.op(op, x, g.const(constant, type="FLOAT32")))
    assert ranges(g, ("x", -1, 3))[0] == pytest.approx(expected)


def test_a_tensor_times_itself_is_a_square() -> None:
    g, x = start()
    g.output(g.op("MUL", x, x))
    assert ranges(g, ("x", -2, 1))[0] == (0, 4)


def test_a_fused_activation_bounds() -> None:
    g, x = start()
    g.output(g.op("ADD", x, x, fused_activation_function="RELU6"))
    assert ranges(g, ("x", -20, 20))[0] == (0, 6)


def test_a_sum_of_many_is_likely_smaller_than_it_can_be() -> None:
    g, x = start()
    g.output(g.op("SUM", x, g.const([3], type="INT32"), out=[1, 1, 8]))
    found = [tuple(span) if span else None for span in ranges(g, ("x", -1, 1))]
    assert found == [pytest.approx((-64, 64)), pytest.approx((-8, 8))]


def test_a_sum_of_one_sign_is_not() -> None:
    g, x = start()
    g.output(g.op("SUM", x, g.const([3], type="INT32"), out=[1, 1, 8]))
    assert ranges(g, ("x", 2, 2)) == (Range(128, 128), Range(128, 128))


def test_quantization_says_what_a_tensor_can_hold() -> None:
    g = Graph()
    x = g.input([1, 8], type="INT8", name="x", quant=Quant(0.5, -128))
    g.output(g.op("DEQUANTIZE", x, type="FLOAT32", out=[1, 8]))
    assert ranges(g)[0] == (0, 127.5)


def test_small_weights_are_read_and_stripped_ones_are_not_believed() -> None:
    for fill, expected in ((0.5, Range(-32, 32)), (0.0, UNKNOWN)):
        g = Graph()
        x = g.input([4, 64], name="x")
        g.output(g.op("FULLY_CONNECTED", x, g.const(shape=[8, 64], fill=fill), None, out=[4, 8]))
        assert ranges(g, ("x", -1, 1))[0] == expected


def test_large_weights_are_not_read() -> None:
    g = Graph()
    x = g.input([4, 64], name="x")
    g.output(g.op("FULLY_CONNECTED", x, g.const(shape=[512, 64], fill=0.5), None, out=[4, 512]))
    assert ranges(g, ("x", -1, 1))[0] == UNKNOWN


def test_matrix_product_weights_are_taken_by_column() -> None:
    g = Graph()
    x = g.input([1, 1, 4, 2], name="x")
    g.output(g.op("BATCH_MATMUL", x, g.const([[[[1.0, 10.0], [2.0, 20.0]]]], type="FLOAT32"), out=[1, 1, 4, 2]))
    assert ranges(g, ("x", 1, 1))[0] == (3, 30)


def test_what_is_relative_to_a_maximum() -> None:
    g, x = start()
    axis = g.const([3], type="INT32")
    shifted = g.op("SUB", x, g.op("REDUCE_MAX", x, axis, out=[1, 1, 8, 1], keep_dims=True))
    g.output(g.op("EXP", shifted))
    assert ranges(g)[0] == (0, 1)


def test_a_norm_is_bounded_by_its_length() -> None:
    g, x = start()
    mean = g.op("MEAN", g.op("MUL", x, x), g.const([3], type="INT32"), out=[1, 1, 8, 1], keep_dims=True)
    g.output(g.op("MUL", x, g.op("RSQRT", g.op("ADD", mean, g.const(1e-6, type="FLOAT32")))))
    assert ranges(g)[0] == (-8, 8)


def test_a_mean_that_is_divided_by_the_root_is_not_bounded() -> None:
    g, x = start()
    axis = g.const([3], type="INT32")
    mean = g.op("MEAN", x, axis, out=[1, 1, 8, 1], keep_dims=True)
    variance = g.op("MEAN", g.op("SQUARED_DIFFERENCE", x, mean), axis, out=[1, 1, 8, 1], keep_dims=True)
    inverse = g.op("RSQRT", g.op("ADD", variance, g.const(1e-6, type="FLOAT32")))
    g.output(g.op("MUL", mean, inverse))
    assert ranges(g)[0] == UNKNOWN


def test_a_stated_range_is_for_inputs_alone() -> None:
    g, x = start()
    g.output(g.op("NEG", x, name="y"))
    assert ranges(g, ("y", 0, 1))[0] == UNKNOWN


def test_ranges_follow_signature_names() -> None:
    g, x = start()
    y = g.op("NEG", x)
    g.output(y)
    g.signature(inputs={"image": x}, outputs={"y": y})
    assert ranges(g, ("image", 0, 1))[0] == (-1, 0)


@pytest.mark.parametrize(
    ("value", "half"),
    [(65519.0, 65504.0), (65520.0, math.inf), (-1e9, -math.inf), (2049.0, 2048.0), (2.9e-8, 0.0), (3e-8, 2.0**-24)],
)
def test_rounding(value: float, half: float) -> None:
    assert rounded(value) == half


def test_spacing_and_loss() -> None:
    assert [spacing(value) for value in (1, 1000, 2048, 60000, 1e-7)] == [2.0**-10, 0.5, 2, 32, 2.0**-24]
    assert loss(1e-6) == pytest.approx(0.0133, abs=1e-4)
    assert loss(1e-9) == 1


def test_a_softmax_of_a_scalar_is_at_most_one() -> None:
    g = Graph()
    g.output(g.op("SOFTMAX", g.input([], name="x")))
    worst, _ = ranges(g, ("x", -1, 1))
    assert 0 < worst.lo < worst.hi == 1
