from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def matmul(left: list[int], right: list[int], constant: bool = False, **flags: Any) -> Graph:
    g = Graph()
    x = g.input(left, name="x")
    y = g.const(shape=right, fill=0.5, name="y") if constant else g.input(right, name="y")
    rows, columns = (left[-1] if flags.get("adj_x") else left[-2]), (right[-2] if flags.get("adj_y") else right[-1])
    batch = list(np.broadcast_shapes(tuple(left[:-2]), tuple(right[:-2])))
    g.output(g.op("BATCH_MATMUL", x, y, out=[*batch, rows, columns], **flags))
    return g


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1, 2, 5, 8], [1, 1, 8, 8]),
        ([1, 5, 8], [2, 8, 8]),
        ([2, 3, 5, 8], [2, 1, 8, 8]),
        ([1, 1, 5, 8], [2, 3, 8, 8]),
        ([3, 5, 8], [2, 3, 8, 8]),
        ([3, 5, 8], [8, 8]),
    ],
)
def test_only_the_first_batch(left: list[int], right: list[int]) -> None:
    assert releases(matmul(left, right), "batch-matmul-broadcast") == ALL


def test_a_constant_of_rank_three_or_four() -> None:
    assert releases(matmul([2, 3, 5, 8], [1, 1, 8, 8], constant=True), "batch-matmul-broadcast") == ALL[1:]


@pytest.mark.parametrize(("left", "right"), [([2, 1, 5, 8], [2, 1, 8, 8]), ([5, 8], [8, 8]), ([1, 5, 8], [8, 8])])
def test_equal_batches_are_right(left: list[int], right: list[int]) -> None:
    assert releases(matmul(left, right), "batch-matmul-broadcast") == ()


def test_one_constant_matrix_is_right() -> None:
    assert releases(matmul([2, 3, 5, 8], [8, 8], constant=True), "batch-matmul-broadcast") == ()


def test_message() -> None:
    assert spoken(found(matmul([1, 2, 5, 8], [1, 1, 8, 8]), "batch-matmul-broadcast")) == snapshot("""\
0/0:BATCH_MATMUL: error: of the batches [1, 2] and [1, 1] only the first is computed, the rest is 0 [batch-matmul-broadcast]
  help: give both operands the same leading axes (store the constant expanded, TILE a runtime operand), or fold the batches into the rows of the left operand: exact\
""")
