from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph, Quant

SCALES = Quant([0.01] * 8, axis=0)


def dense(shape: list[int], out: list[int], quant: Quant | None = SCALES, keep: bool = False) -> Graph:
    g = Graph()
    k = shape[-1]
    if quant is None:
        w = g.const(shape=[8, k], fill=0.5, name="w")
    else:
        w = g.const(shape=[8, k], fill=3, type="INT8", quant=quant, name="w")
    x = g.input(shape, name="x")
    g.output(g.op("FULLY_CONNECTED", x, w, g.const(shape=[8], fill=0.0), out=out, keep_num_dims=keep))
    return g


@pytest.mark.parametrize("quant", [SCALES, Quant(0.01)])
@pytest.mark.parametrize(
    ("shape", "out"), [([1, 6, 16], [6, 8]), ([3, 2, 16], [6, 8]), ([1, 6, 16], [1, 6, 8]), ([1, 6, 1, 16], [6, 8])]
)
def test_only_the_first_row(shape: list[int], out: list[int], quant: Quant) -> None:
    assert releases(dense(shape, out, quant), "quantized-matrix-rows") == ALL


@pytest.mark.parametrize(
    ("shape", "out"), [([6, 16], [6, 8]), ([1, 1, 16], [1, 8]), ([6, 1, 16], [6, 8]), ([6, 1, 1, 16], [6, 8])]
)
def test_rows_on_the_first_axis_are_right(shape: list[int], out: list[int]) -> None:
    assert releases(dense(shape, out), "quantized-matrix-rows") == ()


def test_kept_dimensions_are_right() -> None:
    assert releases(dense([1, 6, 16], [1, 6, 8], keep=True), "quantized-matrix-rows") == ()


def test_float_weights_are_right() -> None:
    assert releases(dense([1, 96, 16], [96, 8], None), "quantized-matrix-rows") == ()


def test_sixteen_rows_cannot_be_created() -> None:
    (finding,) = found(dense([1, 96, 48], [96, 8]), "quantized-matrix-rows")
    assert finding.kind.value == "load"


def test_message() -> None:
    assert spoken(found(dense([1, 6, 16], [6, 8]), "quantized-matrix-rows")) == snapshot("""\
0/0:FULLY_CONNECTED: error: of 6 rows only the first is computed (quantized weights, rows not on the first axis) [quantized-matrix-rows]
  help: RESHAPE the input so that the rows are its first axis, or set keep_num_dims and RESHAPE behind: exact\
""")
