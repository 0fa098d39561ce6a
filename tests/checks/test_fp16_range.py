from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "fp16-range"


def stated(low: float, high: float) -> Settings:
    return Settings(input_ranges=(("x", low, high),))


def one(g: Graph) -> Tensor:
    return g.const(1.0, type="FLOAT32")


def unary(op: str) -> Graph:
    g = Graph()
    g.output(g.op(op, g.input([1, 1, 4, 8], name="x"), name="y"))
    return g


def softmax(shifted: bool = False) -> Graph:
    g = Graph()
    x = g.input([1, 1, 8, 64], name="x")
    axis = g.const([3], type="INT32")
    if shifted:
        x = g.op("SUB", x, g.op("REDUCE_MAX", x, axis, out=[1, 1, 8, 1], keep_dims=True))
    e = g.op("EXP", x, name="e")
    g.output(g.op("DIV", e, g.op("SUM", e, axis, out=[1, 1, 8, 1], keep_dims=True)))
    return g


def softplus() -> Graph:
    g = Graph()
    g.output(g.op("LOG", g.op("ADD", g.op("EXP", g.input([1, 1, 1, 8], name="x")), one(g))))
    return g


def stable_softplus() -> Graph:
    g = Graph()
    x = g.input([1, 1, 1, 8], name="x")
    e = g.op("EXP", g.op("NEG", g.op("ABS", x)))
    g.output(g.op("ADD", g.op("RELU", x), g.op("LOG", g.op("ADD", e, one(g)))))
    return g


def sigmoid() -> Graph:
    g = Graph()
    e = g.op("EXP", g.op("NEG", g.input([1, 1, 1, 8], name="x")))
    g.output(g.op("DIV", one(g), g.op("ADD", e, one(g)), out=[1, 1, 1, 8]))
    return g


def tanh() -> Graph:
    g = Graph()
    e = g.op("EXP", g.op("MUL", g.input([1, 1, 1, 8], name="x"), g.const(2.0, type="FLOAT32")))
    g.output(g.op("DIV", g.op("SUB", e, one(g)), g.op("ADD", e, one(g))))
    return g


def scores(before: bool) -> Graph:
    g = Graph()
    q, k = g.input([1, 2, 16, 64], name="x"), g.input([1, 2, 64, 16], name="k")
    factor = g.const(0.125, type="FLOAT32")
    if before:
        q = g.op("MUL", q, factor)
    product = g.op("BATCH_MATMUL", q, k, out=[1, 2, 16, 16], name="scores")
    g.output(g.op("SOFTMAX", product if before else g.op("MUL", product, factor)))
    return g


def test_a_softmax_written_out() -> None:
    assert spoken(found(softmax(), RULE)) == snapshot("""\
0/0:EXP: warning: the EXP of this softmax written out overflows above x = 11.1 [fp16-range]
  help: use the SOFTMAX operator, or subtract REDUCE_MAX first: right at any magnitude; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_an_operator_with_a_stated_range() -> None:
    assert spoken(found(unary("SQUARE"), RULE, settings=stated(-300, 100))) == snapshot("""\
0/0:SQUARE: warning: SQUARE of -300 to 100 gives 0 to 9e+04: infinite in half precision from 65520 on [fp16-range]
  help: scale the operand down before it is squared; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_scores_that_are_scaled_afterwards() -> None:
    assert spoken(found(scores(False), RULE)) == snapshot("""\
0/0:BATCH_MATMUL: info: the product of 64 terms is scaled by 0.125 only afterwards: it overflows when both operands have a standard deviation of about 45.2 [fp16-range]
  help: scale one operand before the BATCH_MATMUL (q * d^-0.5): exact for powers of two; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")
    assert found(scores(True), RULE) == ()


def test_a_range_for_no_input() -> None:
    settings = Settings(input_ranges=(("y", 0, 1),))
    assert spoken(found(unary("ABS"), RULE, settings=settings)) == snapshot("""\
info: a range is stated for y, which is no input of this model [fp16-range]
  help: inputs: x\
""")


@pytest.mark.parametrize(
    ("op", "low", "high", "count"),
    [
        ("EXP", -20, 11.09, 0),
        ("EXP", -20, 11.0904, 1),
        ("SQUARE", -255.9, 255.9, 0),
        ("SQUARE", -256, 0, 1),
        ("ABS", -65519, 0, 0),
        ("ABS", -65520, 0, 1),
        ("TANH", -60000, 60000, 0),
        ("HARD_SWISH", -60000, 60000, 0),
        ("GELU", -60000, 60000, 0),
        ("RSQRT", 2e-8, 1, 1),
        ("RSQRT", 1e-3, 1, 0),
        ("ABS", 1e-6, 1e-6, 1),
        ("ABS", 1e-5, 1e-5, 0),
    ],
)
def test_unary_edges(op: str, low: float, high: float, count: int) -> None:
    assert len(found(unary(op), RULE, settings=stated(low, high))) == count
    assert found(unary(op), RULE) == ()


@pytest.mark.parametrize("build", [softmax, softplus, tanh])
def test_functions_written_out_with_an_exp(build: object) -> None:
    assert callable(build)
    assert [finding.severity for finding in found(build(), RULE)] == [Severity.WARNING]
    assert found(build(), RULE, settings=stated(-4, 4)) == ()
    assert len(found(build(), RULE, settings=stated(-12, 12))) == 1


@pytest.mark.parametrize("build", [lambda: softmax(True), stable_softplus, sigmoid])
def test_forms_that_are_right_at_any_magnitude(build: object) -> None:
    assert callable(build)
    assert found(build(), RULE) == ()
    assert found(build(), RULE, settings=stated(-1000, 1000)) == ()


def test_the_sum_of_a_softmax_counts_too() -> None:
    assert len(found(softmax(), RULE, settings=stated(7, 7))) == 1
    assert found(softmax(), RULE, settings=stated(6.9, 6.9)) == ()


@pytest.mark.parametrize(("low", "high", "count"), [(296, 304, 1), (-4, 4, 0), (-1e9, 4, 0)])
def test_logits_without_digits(low: float, high: float, count: int) -> None:
    assert len(found(unary("SOFTMAX"), RULE, settings=stated(low, high))) == count


def test_a_sum_that_cancels_passes_65504_on_the_way() -> None:
    for value, count in ((1000, 0), (2100, 1)):
        g = Graph()
        x = g.input([1, 1, 8, 64], name="x")
        w = g.const([[[[1.0] * 8] * 33 + [[-1.0] * 8] * 31]], type="FLOAT32")
        g.output(g.op("BATCH_MATMUL", x, w, out=[1, 1, 8, 8]))
        assert len(found(g, RULE, settings=stated(value, value))) == count


def test_a_folded_factor_takes_part_in_the_product() -> None:
    g = Graph()
    x = g.input([1, 4, 4, 256], name="x")
    y = g.op("CONV_2D", x, g.const(shape=[8, 1, 1, 256], fill=1.0), g.const(shape=[8], fill=0.0), out=[1, 4, 4, 8])
    g.output(g.op("MUL", y, g.const(0.01, type="FLOAT32")))
    assert found(g, RULE, settings=stated(3906, 3906)) == ()


def test_fp32_is_fine() -> None:
    assert found(softmax(), RULE, precision="fp32") == ()
