from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def pad(op: str, shape: list[int], amounts: list[list[int]]) -> Graph:
    g = Graph()
    out = [extent + before + after for extent, (before, after) in zip(shape, amounts, strict=True)]
    operands = [g.input(shape, name="x"), g.const(amounts, type="INT32")]
    if op == "PADV2":
        operands.append(g.const(1.5))
    g.output(g.op(op, *operands, out=out))
    return g


@pytest.mark.parametrize("op", ["PAD", "PADV2", "MIRROR_PAD"])
@pytest.mark.parametrize("amounts", [[[0, 0], [1, 1], [0, 0]], [[0, 0], [0, 0], [2, 0]], [[1, 1], [0, 0], [0, 0]]])
def test_wrong_whichever_axis_is_padded(op: str, amounts: list[list[int]]) -> None:
    assert releases(pad(op, [3, 4, 8], amounts), "rank-three-pad") == ALL


def test_wrong_without_any_padding() -> None:
    assert releases(pad("PAD", [3, 4, 8], [[0, 0]] * 3), "rank-three-pad") == ALL


def test_a_first_axis_of_one_is_right() -> None:
    assert releases(pad("PAD", [1, 4, 8], [[0, 0], [1, 1], [0, 0]]), "rank-three-pad") == ()


def test_rank_four_is_right() -> None:
    assert releases(pad("PAD", [1, 3, 4, 8], [[0, 0], [0, 0], [1, 1], [0, 0]]), "rank-three-pad") == ()


def test_message() -> None:
    assert spoken(found(pad("PAD", [3, 4, 8], [[0, 0], [1, 1], [0, 0]]), "rank-three-pad")) == snapshot("""\
0/0:PAD: error: PAD of x [3, 4, 8] moves its data one step along the first axis [rank-three-pad]
  help: RESHAPE to [1, 3, 4, 8], pad there, RESHAPE back: exact\
""")
