from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Tensor

RULE = "written-out-activation"
Formula = Callable[[Graph, Tensor], Tensor]


def graph(formula: Formula, copies: int = 1) -> Graph:
    g = Graph()
    x = g.input([1, 16], name="x")
    for _ in range(copies):
        x = formula(g, x)
    g.output(x)
    return g


def tanh_form(factor: float = 0.7978845608, plus: float = 1.0) -> Formula:
    def make(g: Graph, x: Tensor) -> Tensor:
        cube = g.op("MUL", g.op("MUL", x, x), x)
        inner = g.op("MUL", g.op("ADD", x, g.op("MUL", cube, g.const(0.044715))), g.const(factor))
        return g.op("MUL", g.op("MUL", x, g.const(0.5)), g.op("ADD", g.op("TANH", inner), g.const(plus)))

    return make


def sigmoid_form(factor: float | None, gate: bool = True) -> Formula:
    def make(g: Graph, x: Tensor) -> Tensor:
        inner = x if factor is None else g.op("MUL", x, g.const(factor))
        return g.op("MUL", x if gate else g.op("ABS", x), g.op("LOGISTIC", inner))

    return make


def erf_form(factor: float = 0.7071067812, plus: float = 1.0, late_half: bool = False) -> Formula:
    """An odd polynomial stands for erf: the form counts, not the coefficients."""

    def make(g: Graph, x: Tensor) -> Tensor:
        z = g.op("MUL", x, g.const(factor))
        square = g.op("MUL", z, z)
        odd = g.op("MUL", z, g.op("ADD", g.op("MUL", square, g.const(-0.37)), g.const(1.13)))
        total = g.op("ADD", odd, g.const(plus))
        if late_half:
            return g.op("MUL", g.op("MUL", total, g.const(0.5)), x)
        return g.op("MUL", g.op("MUL", x, g.const(0.5)), total)

    return make


def hard_swish(shift: float = 3.0, sixth: float = 1 / 6, clip: str = "RELU6", gate: bool = True) -> Formula:
    def make(g: Graph, x: Tensor) -> Tensor:
        if clip == "fused":
            clipped = g.op("ADD", x, g.const(shift), fused_activation_function="RELU6")
        else:
            clipped = g.op("ADD", x, g.const(shift))
            clipped = g.op("MINIMUM", g.op("RELU", clipped), g.const(6.0)) if clip == "MINIMUM" else g.op(clip, clipped)
        return g.op("MUL", x if gate else g.op("ABS", x), g.op("MUL", clipped, g.const(sixth)))

    return make


def late_sixth(g: Graph, x: Tensor) -> Tensor:
    return g.op("MUL", g.op("MUL", x, g.const(1 / 6)), g.op("RELU6", g.op("ADD", x, g.const(3.0))))


def test_the_forms_are_told_apart() -> None:
    forms = [tanh_form(), sigmoid_form(1.702), erf_form(), hard_swish()]
    assert "\n".join(spoken(found(graph(form), RULE)) for form in forms) == snapshot("""\
0/6:TANH: info: a GELU is written out in its tanh form [written-out-activation]
  help: `F.gelu(x, approximate="tanh")` converts to one GELU operator
0/1:LOGISTIC: info: a GELU is written out in its sigmoid form (off by up to 2e-2) [written-out-activation]
  help: `F.gelu(x)` converts to one GELU operator; keep a QuickGELU that the model was trained with
0/5:ADD: info: a GELU is written out in its erf form, the exact one [written-out-activation]
  help: `F.gelu(x)` converts to one GELU operator
0/1:RELU6: info: a hard-swish is written out in its piecewise form [written-out-activation]
  help: `F.hardswish(x)` converts to one HARD_SWISH operator\
""")


@pytest.mark.parametrize(
    "form",
    [erf_form(late_half=True), hard_swish(clip="MINIMUM"), hard_swish(clip="fused"), late_sixth],
    ids=["half behind", "minimum", "fused clip", "sixth of x"],
)
def test_other_orders_of_a_form(form: Formula) -> None:
    assert len(found(graph(form), RULE)) == 1


def test_many_are_one_finding() -> None:
    (finding,) = found(graph(tanh_form(), copies=6), RULE)
    assert finding.message == "6 GELUs (at 6, 15, 24, 33, …) are written out in their tanh form"


def test_float16_constants() -> None:
    def make(g: Graph, x: Tensor) -> Tensor:
        factor = g.op("DEQUANTIZE", g.const(np.float16(1.702)), type="FLOAT32", out=[])
        return g.op("MUL", x, g.op("LOGISTIC", g.op("MUL", x, factor)))

    assert len(found(graph(make), RULE)) == 1


def test_two_forms_of_operators_in_one_graph() -> None:
    def make(g: Graph, x: Tensor) -> Tensor:
        return g.op("GELU", g.op("GELU", x, approximate=True), approximate=False)

    assert spoken(found(graph(make), RULE)) == snapshot("""\
0/0:GELU: info: 1 GELU operators hold the tanh form and 1 the exact one [written-out-activation]
  help: keep the form that the model was trained with in every one of them\
""")


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(tanh_form(0.5), id="another factor"),
        pytest.param(tanh_form(plus=2.0), id="plus 2"),
        pytest.param(sigmoid_form(None), id="SiLU"),
        pytest.param(sigmoid_form(1.5), id="Swish of 1.5"),
        pytest.param(sigmoid_form(1.702, gate=False), id="sigmoid gate of another tensor"),
        pytest.param(erf_form(0.5), id="erf of another factor"),
        pytest.param(erf_form(plus=2.0), id="erf plus 2"),
        pytest.param(hard_swish(shift=2.0), id="shift 2"),
        pytest.param(hard_swish(gate=False), id="hard sigmoid of another tensor"),
        pytest.param(hard_swish(clip="RELU"), id="without a clip"),
        pytest.param(hard_swish(sixth=0.2), id="a fifth"),
        pytest.param(lambda g, x: g.op("GELU", x, approximate=True), id="an operator"),
        pytest.param(lambda g, x: g.op("HARD_SWISH", x), id="HARD_SWISH"),
    ],
)
def test_near_misses(twin: Formula) -> None:
    assert releases(graph(twin), RULE) == ()


def test_the_distances_that_the_page_names() -> None:
    x = np.linspace(-8, 8, 200_001)
    exact = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    tanh = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    sigmoid = x / (1 + np.exp(-1.702 * x))
    silu, hard = x / (1 + np.exp(-x)), x * np.clip(x + 3, 0, 6) / 6
    assert 4e-4 < np.abs(tanh - exact).max() < 5e-4
    assert 2.0e-2 < np.abs(sigmoid - exact).max() < 2.1e-2
    assert 0.14 < np.abs(hard - silu).max() < 0.15
