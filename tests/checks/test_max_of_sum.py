from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def reduced(first: str, last: str) -> Graph:
    g = Graph()
    y = g.op(first, g.op("TANH", g.input(SHAPE)), g.op("TANH", g.input(SHAPE)))
    g.output(g.op(last, y, g.const([1, 2], type="INT32"), out=[1, 8]))
    return g


def test_both_sides() -> None:
    assert releases(reduced("ADD", "REDUCE_MAX"), "max-of-sum") == ALL
    assert releases(reduced("ADD", "REDUCE_MIN"), "max-of-sum") == ALL
    assert releases(reduced("ADD", "SUM"), "max-of-sum") == ()
    assert releases(reduced("SUB", "REDUCE_MAX"), "max-of-sum") == ()
