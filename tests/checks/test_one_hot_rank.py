from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def one_hot(shape: list[int]) -> Graph:
    g = Graph()
    operands = [g.const(6, type="INT32"), g.const(1.0), g.const(0.0)]
    x = g.input(shape, type="INT32", name="ids")
    g.output(g.op("ONE_HOT", x, *operands, out=[*shape, 6], type="FLOAT32", axis=-1))
    return g


@pytest.mark.parametrize("shape", [[1, 2, 3], [3, 4, 8], [2, 3, 1]])
def test_rank_three_is_wrong_from_2_2_0(shape: list[int]) -> None:
    assert releases(one_hot(shape), "one-hot-rank") == ("2.2.0", "2.3.0")


@pytest.mark.parametrize("shape", [[2, 1, 3], [5, 1, 1], [3, 4], [8], [4, 1]])
def test_right_shapes(shape: list[int]) -> None:
    assert releases(one_hot(shape), "one-hot-rank") == ()


@pytest.mark.parametrize("shape", [[1, 5], [1, 1, 5]])
def test_wrong_up_to_2_1_3(shape: list[int]) -> None:
    assert releases(one_hot(shape), "one-hot-rank") == ("2.1.2", "2.1.3")


def test_a_scalar() -> None:
    assert "2.3.0" in releases(one_hot([]), "one-hot-rank")


def test_message() -> None:
    assert spoken(found(one_hot([1, 2, 3]), "one-hot-rank")) == snapshot("""\
0/0:ONE_HOT: error: ONE_HOT of indices [1, 2, 3] puts its ones at other places [one-hot-rank]
  help: RESHAPE the indices to rank 1, ONE_HOT, RESHAPE: exact\
""")
