from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def softmax(shape: list[int]) -> Graph:
    g = Graph()
    g.output(g.op("SOFTMAX", g.input(shape, name="x")))
    return g


def test_rank_one() -> None:
    assert releases(softmax([5]), "rank-one-operand") == ALL
    assert spoken(found(softmax([5]), "rank-one-operand")) == snapshot("""\
0/0:SOFTMAX: error: SOFTMAX of x [5] gives all ones [rank-one-operand]
  help: RESHAPE to [1, 5] in front and back behind: exact\
""")


@pytest.mark.parametrize("shape", [[1], [1, 5], [3, 5]])
def test_right_shapes(shape: list[int]) -> None:
    assert releases(softmax(shape), "rank-one-operand") == ()


def test_fully_connected() -> None:
    g = Graph()
    x, w, b = g.input([8], name="x"), g.const(shape=[5, 8], fill=0.5), g.const(shape=[5], fill=0.0)
    g.output(g.op("FULLY_CONNECTED", x, w, b, out=[1, 5]))
    assert releases(g, "rank-one-operand") == ALL
