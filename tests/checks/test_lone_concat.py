from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def lone(direct: bool, shape: list[int]) -> Graph:
    g = Graph()
    x = g.input(shape)
    g.output(g.op("CONCATENATION", x if direct else g.op("TANH", x), axis=len(shape) - 1, out=shape))
    return g


def test_both_sides() -> None:
    assert releases(lone(True, SHAPE), "lone-concat") == ALL
    assert releases(lone(False, SHAPE), "lone-concat") == ()
    assert releases(lone(True, [4, 8]), "lone-concat") == ()
