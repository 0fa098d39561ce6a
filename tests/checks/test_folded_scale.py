from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def test_silent_on_a_plain_chain() -> None:
    g = Graph()
    g.output(g.op("ABS", g.op("TANH", g.input(SHAPE))))
    assert releases(g, "folded-scale") == ()
