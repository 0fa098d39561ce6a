from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def base(value: float) -> Graph:
    g = Graph()
    g.output(g.op("POW", g.const(value), g.input([1, 4, 4, 8], name="x"), out=[1, 4, 4, 8]))
    return g


def exponent(value: float | None, producer: str | None = None) -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    if producer is not None:
        x = g.op(producer, x)
    y = g.input([1, 4, 4, 8], name="y") if value is None else g.const(value)
    g.output(g.op("POW", x, y))
    return g


def test_bases_that_swap() -> None:
    assert releases(base(3.0), "pow-base") == ALL
    assert releases(base(2.0), "pow-base") == ("2.3.0",)


@pytest.mark.parametrize("value", [0.5, 2.5, 4.0])
def test_bases_that_do_not(value: float) -> None:
    assert releases(base(value), "pow-base") == ()


@pytest.mark.parametrize("value", [None, 1.0, -1.0])
def test_a_negative_base_may_lose_its_sign(value: float | None) -> None:
    assert releases(exponent(value), "pow-base") == ALL
    assert found(exponent(value), "pow-base")[0].severity.value == "warning"


@pytest.mark.parametrize("value", [2.0, 3.0, 0.5])
def test_constant_exponents_that_are_right(value: float) -> None:
    assert releases(exponent(value), "pow-base") == ()


def test_a_base_that_cannot_be_negative() -> None:
    assert releases(exponent(None, "RELU"), "pow-base") == ()


def test_message() -> None:
    assert spoken(found(base(3.0), "pow-base")) == snapshot("""\
0/0:POW: error: POW computes x to the 3 instead of 3 to the x [pow-base]
  help: EXP(x * ln 3): to rounding\
""")
    assert spoken(found(exponent(None), "pow-base")) == snapshot("""\
0/0:POW: warning: POW of a negative base loses its sign for odd exponents [pow-base]
  help: multiply instead (x * x * x), or take the power of ABS(x) and multiply by SIGN(x): exact\
""")
