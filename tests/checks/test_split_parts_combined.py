from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def joined(op: str, swap: bool = False) -> Graph:
    g = Graph()
    a, b = g.op("SPLIT", g.const([3], type="INT32"), g.op("TANH", g.input(SHAPE)), num_splits=2)
    g.output(g.op(op, *((b, a) if swap else (a, b))))
    return g


def test_both_sides() -> None:
    assert releases(joined("ADD"), "split-parts-combined") == ALL
    assert releases(joined("SUB"), "split-parts-combined") == ALL
    assert releases(joined("SUB", swap=True), "split-parts-combined") == ()
    assert releases(joined("MUL"), "split-parts-combined") == ()
