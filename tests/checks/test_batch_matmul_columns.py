from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

UP_TO_2_1_4 = ALL[:3]


def matmul(columns: int, adj_y: bool = True) -> Graph:
    g = Graph()
    x, y = g.input([1, 5, 8], name="x"), g.input([1, columns, 8] if adj_y else [1, 8, columns], name="y")
    g.output(g.op("BATCH_MATMUL", x, y, out=[1, 5, columns], adj_y=adj_y))
    return g


@pytest.mark.parametrize("columns", [5, 6, 7])
def test_not_created_up_to_2_1_4(columns: int) -> None:
    assert releases(matmul(columns), "batch-matmul-columns") == UP_TO_2_1_4


def test_multiples_of_four_and_no_flag_are_fine() -> None:
    assert releases(matmul(8), "batch-matmul-columns") == ()
    assert releases(matmul(6, adj_y=False), "batch-matmul-columns") == ()


def test_message() -> None:
    assert spoken(found(matmul(6), "batch-matmul-columns", "2.1.4")) == snapshot("""\
0/0:BATCH_MATMUL: error: INVALID_ARGUMENT: Unsupported weights shape. [batch-matmul-columns]
  help: TRANSPOSE the right operand explicitly and turn adj_y off, or run it on 2.1.5 or later: exact\
""")
