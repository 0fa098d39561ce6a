from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def conv(groups: int, inside: int, out: int) -> Graph:
    g = Graph()
    w, b = g.const(shape=[groups * out, 3, 3, inside], fill=0.5, name="w"), g.const(shape=[groups * out], fill=0.0)
    x = g.input([1, 4, 4, groups * inside], name="x")
    g.output(g.op("CONV_2D", x, w, b, out=[1, 4, 4, groups * out], padding="SAME", stride_w=1, stride_h=1))
    return g


@pytest.mark.parametrize(("inside", "out"), [(2, 2), (3, 3), (2, 4), (4, 2), (4, 3), (1, 2), (5, 5), (6, 6)])
def test_unwritten_or_dying(inside: int, out: int) -> None:
    assert releases(conv(2, inside, out), "grouped-conv-channels") == ALL


@pytest.mark.parametrize(("groups", "inside", "out"), [(2, 4, 4), (2, 8, 4), (4, 1, 1), (1, 3, 3)])
def test_right_channels(groups: int, inside: int, out: int) -> None:
    assert releases(conv(groups, inside, out), "grouped-conv-channels") == ()


@pytest.mark.parametrize(("groups", "told"), [(2, ALL), (1, ())])
def test_weights_at_run_time(groups: int, told: tuple[str, ...]) -> None:
    g = Graph()
    x, w = g.input([1, 4, 4, 8], name="x"), g.input([8, 3, 3, 8 // groups], name="w")
    g.output(g.op("CONV_2D", x, w, g.const(shape=[8], fill=0.0), padding="SAME", stride_w=1, stride_h=1))
    assert releases(g, "grouped-conv-channels") == told


def test_half_weights_are_constants() -> None:
    g = Graph()
    w = g.op("DEQUANTIZE", g.const(shape=[8, 3, 3, 4], fill=0.5, type="FLOAT16"), type="FLOAT32")
    x, b = g.input([1, 4, 4, 8], name="x"), g.const(shape=[8], fill=0.0)
    g.output(g.op("CONV_2D", x, w, b, padding="SAME", stride_w=1, stride_h=1))
    assert releases(g, "grouped-conv-channels") == ()


def test_message() -> None:
    assert spoken(found(conv(2, 2, 2), "grouped-conv-channels")) == snapshot("""\
0/0:CONV_2D: error: a convolution of 2 groups with 2 channels in and 2 out a group leaves its result unwritten [grouped-conv-channels]
  help: use dense weights with zero blocks, or SLICE, one CONV_2D a group, and CONCATENATION: both exact\
""")
