from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.findings import Severity

RULE = "fp16-epsilon"


def scalar(g: Graph, value: float) -> Tensor:
    return g.const(value, type="FLOAT32", name="eps")


def rms(epsilon: float, op: str = "ADD", root: str = "RSQRT") -> Graph:
    g = Graph()
    x = g.input([1, 1, 8, 64], name="x")
    mean = g.op("MEAN", g.op("MUL", x, x), g.const([3], type="INT32"), out=[1, 1, 8, 1], keep_dims=True)
    shifted = g.op(op, mean, scalar(g, epsilon), name="shifted")
    if root == "RSQRT":
        g.output(g.op("MUL", x, g.op("RSQRT", shifted)))
    else:
        g.output(g.op("DIV", x, g.op("SQRT", shifted)))
    return g


def layer_norm(epsilon: float, square: str = "MUL") -> Graph:
    g = Graph()
    x = g.input([1, 1, 8, 64], name="x")
    axis = g.const([3], type="INT32")
    mean = g.op("MEAN", x, axis, out=[1, 1, 8, 1], keep_dims=True)
    d = g.op("SUB", x, mean)
    squared = g.op("SQUARED_DIFFERENCE", x, mean) if square == "SQUARED_DIFFERENCE" else g.op("MUL", d, d)
    variance = g.op("MEAN", squared, axis, out=[1, 1, 8, 1], keep_dims=True)
    g.output(g.op("MUL", d, g.op("RSQRT", g.op("ADD", variance, scalar(g, epsilon)))))
    return g


def after(op: str, epsilon: float, last: str) -> Graph:
    """`last` of x plus (or at least) an epsilon."""
    g = Graph()
    x = g.input([1, 1, 1, 6], name="x")
    shifted = g.op(op, x, scalar(g, epsilon))
    g.output(g.op("DIV", x, shifted) if last == "DIV" else g.op(last, shifted))
    return g


def test_an_epsilon_that_is_zero() -> None:
    assert spoken(found(rms(1e-12), RULE)) == snapshot("""\
0/2:ADD: warning: the epsilon 1e-12 is 0 in half precision: where mean_3 is 0 the result is NaN or infinity [fp16-epsilon]
  help: raise the epsilon to 1e-6 (from 1e-7 on there is no NaN, from 1e-6 on it keeps its value); or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_an_epsilon_that_is_rounded() -> None:
    assert spoken(found(rms(1e-7), RULE)) == snapshot("""\
0/2:ADD: warning: the epsilon 1e-07 is 1.19e-07 in half precision, which moves small results by up to 19 % [fp16-epsilon]
  help: raise the epsilon to 1e-6 or more; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("root", ["RSQRT", "SQRT"])
@pytest.mark.parametrize("op", ["ADD", "MAXIMUM"])
def test_a_root_in_every_form(op: str, root: str) -> None:
    assert [finding.severity for finding in found(rms(2.9e-8, op, root), RULE)] == [Severity.WARNING]
    assert found(rms(1e-6, op, root), RULE) == ()
    assert found(rms(1e-5, op, root), RULE) == ()


def test_the_fused_layer_norm_is_right_with_any_epsilon() -> None:
    assert found(layer_norm(1e-12), RULE) == ()
    assert len(found(layer_norm(1e-12, "SQUARED_DIFFERENCE"), RULE)) == 1


@pytest.mark.parametrize(
    ("op", "last", "wrong", "right"),
    [("ADD", "LOG", 1e-8, 1e-6), ("ADD", "DIV", 1e-10, 1e-5), ("MAXIMUM", "DIV", 1e-7, 1e-5)],
)
def test_divisors_and_logarithms(op: str, last: str, wrong: float, right: float) -> None:
    assert len(found(after(op, wrong, last), RULE)) == 1
    assert found(after(op, right, last), RULE) == ()


def test_a_small_addend_that_protects_nothing_is_fine() -> None:
    assert found(after("ADD", 1e-12, "ABS"), RULE) == ()
    assert found(after("ADD", 1e-12, "SQRT"), RULE) == ()


def test_no_epsilon_at_all_is_not_a_matter_of_precision() -> None:
    assert found(rms(0.0), RULE) == ()


def test_fp32_is_fine() -> None:
    assert found(rms(1e-12), RULE, precision="fp32") == ()
