from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def transpose_conv(n: int, k: int, s: int, padding: str = "SAME", out: int | None = None) -> Graph:
    g = Graph()
    size = out if out is not None else n * s if padding == "SAME" else (n - 1) * s + k
    y = g.op(
        "TRANSPOSE_CONV",
        g.const([1, size, size, 4], type="INT32"),
        g.const(shape=[4, k, k, 8], fill=0.5),
        g.input([1, n, n, 8], name="x"),
        out=[1, size, size, 4],
        stride_w=s,
        stride_h=s,
        padding=padding,
    )
    g.output(y)
    return g


@pytest.mark.parametrize(("n", "k", "s"), [(7, 3, 2), (5, 3, 2), (7, 5, 2), (7, 3, 3), (50, 4, 4), (5, 8, 4)])
def test_shifted_on_every_release(n: int, k: int, s: int) -> None:
    assert releases(transpose_conv(n, k, s), "transpose-conv-same") == ALL


@pytest.mark.parametrize(("n", "k", "s"), [(7, 2, 2), (7, 4, 2), (8, 4, 2), (8, 3, 2), (7, 3, 1), (50, 1, 2)])
def test_right_sizes(n: int, k: int, s: int) -> None:
    assert releases(transpose_conv(n, k, s), "transpose-conv-same") == ()


def test_valid_is_right() -> None:
    assert releases(transpose_conv(7, 3, 2, "VALID"), "transpose-conv-same") == ()


def test_another_output_size_is_right() -> None:
    assert releases(transpose_conv(7, 3, 2, out=13), "transpose-conv-same") == ()


def test_message() -> None:
    assert spoken(found(transpose_conv(7, 3, 2), "transpose-conv-same")) == snapshot("""\
0/0:TRANSPOSE_CONV: error: the result is shifted by 1 along height and 1 along width (SAME padding, input [7, 7], kernel [3, 3], stride [2, 2]) [transpose-conv-same]
  help: TRANSPOSE_CONV with VALID padding and the full output, then SLICE: exact\
""")
