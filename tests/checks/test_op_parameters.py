from __future__ import annotations

from typing import Any

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def pad(shape: list[int], type: str = "INT32", mode: str | None = None) -> Graph:
    g = Graph()
    x = g.input(shape, name="x")
    amounts = g.const([[0, 0]] * (len(shape) - 1) + [[1, 1]], type=type)
    out = [*shape[:-1], shape[-1] + 2]
    g.output(g.op("PAD", x, amounts, out=out) if mode is None else g.op("MIRROR_PAD", x, amounts, out=out, mode=mode))
    return g


def test_padding_at_rank_two_is_refused() -> None:
    assert releases(pad([4, 8]), "op-parameters") == ALL
    assert spoken(found(pad([4, 8]), "op-parameters")) == snapshot("""\
0/0:PAD: error: the GPU refuses PAD: Invalid paddings tensor shape: expected 4x2 or 3x2, got 2x2 [op-parameters]
  help: RESHAPE to rank 4 (`[1, …]`), pad there, RESHAPE back: exact\
""")


def test_padding_at_rank_three_and_four_is_accepted() -> None:
    assert releases(pad([1, 4, 8]), "op-parameters") == ()
    assert releases(pad([1, 4, 4, 8]), "op-parameters") == ()


def test_int64_paddings_are_refused() -> None:
    assert releases(pad([1, 4, 4, 8], "INT64"), "op-parameters") == ALL


def test_only_reflection() -> None:
    assert releases(pad([1, 4, 4, 8], mode="SYMMETRIC"), "op-parameters") == ALL
    assert releases(pad([1, 4, 4, 8], mode="REFLECT"), "op-parameters") == ()


def sliced(**masks: Any) -> Graph:
    g = Graph()
    x = g.input([4, 8], name="x")
    begin, end, strides = (g.const(values, type="INT32") for values in ([0, 0], [1, 8], [1, 1]))
    shape = [8] if masks else [1, 8]
    g.output(g.op("STRIDED_SLICE", x, begin, end, strides, out=shape, **masks))
    return g


def test_a_dropped_axis_is_refused_with_its_rewrite() -> None:
    assert releases(sliced(shrink_axis_mask=1), "op-parameters") == ALL
    assert spoken(found(sliced(shrink_axis_mask=1), "op-parameters")) == snapshot("""\
0/0:STRIDED_SLICE: error: the GPU refuses STRIDED_SLICE: Slice does not support shrink_axis_mask parameter.  [op-parameters]
  help: keep the axis (`x[0:1]`) and RESHAPE after it: exact\
""")


def test_a_kept_axis_is_accepted() -> None:
    assert releases(sliced(), "op-parameters") == ()


@pytest.mark.parametrize(("beta", "expected"), [(1.0, ()), (2.0, ALL)])
def test_beta_of_softmax(beta: float, expected: tuple[str, ...]) -> None:
    g = Graph()
    g.output(g.op("SOFTMAX", g.input([1, 8]), beta=beta))
    assert releases(g, "op-parameters") == expected
