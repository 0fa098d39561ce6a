from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def chain(last: str) -> Graph:
    g = Graph()
    g.output(g.op(last, g.op("TANH", g.input(SHAPE))))
    return g


def test_both_sides() -> None:
    assert releases(chain("L2_NORMALIZATION"), "partial-delegation-fails") == ("2.1.2", "2.1.3")
    assert releases(chain("ABS"), "partial-delegation-fails") == ()
