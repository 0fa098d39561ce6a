from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def tanh_form(factor: float = 0.7978845608, plus: float = 1.0) -> Graph:
    g = Graph()
    x = g.input([1, 16], name="x")
    cube = g.op("MUL", g.op("MUL", x, x), x)
    inner = g.op("MUL", g.op("ADD", x, g.op("MUL", cube, g.const(0.044715))), g.const(factor))
    g.output(g.op("MUL", g.op("MUL", x, g.const(0.5)), g.op("ADD", g.op("TANH", inner), g.const(plus))))
    return g


def sigmoid_form(factor: float | None) -> Graph:
    g = Graph()
    x = g.input([1, 16], name="x")
    inner = x if factor is None else g.op("MUL", x, g.const(factor))
    g.output(g.op("MUL", x, g.op("LOGISTIC", inner)))
    return g


def test_both_forms_are_told_apart() -> None:
    assert spoken(found(tanh_form(), "written-out-activation")) == snapshot("""\
0/6:TANH: info: a GELU is written out in its tanh form [written-out-activation]
  help: `F.gelu(x, approximate="tanh")` converts to one GELU operator\
""")
    assert spoken(found(sigmoid_form(1.702), "written-out-activation")) == snapshot("""\
0/1:LOGISTIC: info: a GELU is written out in its sigmoid form (off by up to 2e-2) [written-out-activation]
  help: `F.gelu(x)` converts to one GELU operator\
""")


@pytest.mark.parametrize("twin", [tanh_form(0.5), tanh_form(plus=2.0), sigmoid_form(None), sigmoid_form(1.5)])
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, "written-out-activation") == ()
