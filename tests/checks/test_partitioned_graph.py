from __future__ import annotations

from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def chain(*ops: str) -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8])
    for op in ops:
        x = g.op(op, x)
    g.output(x)
    return g


def test_the_fix_that_wins_most_comes_first() -> None:
    g = chain("ABS", "LOG_SOFTMAX", "ABS", "ABS", "ABS", "L2_NORMALIZATION", "ABS", "ABS", "ABS", "ABS")
    assert spoken(found(g, "partitioned-graph")) == snapshot("""\
info: 4 of 10 operators stay on the GPU, the largest of 3 partitions; refused: 1 L2_NORMALIZATION, 1 LOG_SOFTMAX [partitioned-graph]
  help: fix first: L2_NORMALIZATION (5): 8 of 10 on the GPU; then LOG_SOFTMAX (1): 10 of 10 on the GPU\
""")


def test_silent_on_full_residency() -> None:
    assert releases(chain("ABS", "NEG"), "partitioned-graph") == ()


def test_silent_where_nothing_accepted_is_left_out() -> None:
    assert releases(chain("ABS", "NEG", "LOG_SOFTMAX"), "partitioned-graph") == ()


def test_speaks_where_an_island_is_left_out() -> None:
    assert releases(chain("ABS", "LOG_SOFTMAX", "NEG"), "partitioned-graph") != ()
