from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph, Quant


def conv(kernel: int = 1, stride: int = 2, type: str = "INT8", size: int = 8) -> Graph:
    g = Graph()
    quant = Quant([0.01] * 4, axis=0) if type == "INT8" else None
    w = g.const(shape=[4, kernel, kernel, 8], fill=1, type=type, quant=quant, name="w")
    out = -(-size // stride)
    y = g.op(
        "CONV_2D",
        g.input([1, size, size, 8], name="x"),
        w,
        g.const(shape=[4], fill=0.0),
        out=[1, out, out, 4],
        padding="SAME",
        stride_w=stride,
        stride_h=stride,
    )
    g.output(y)
    return g


def test_the_stride_is_ignored() -> None:
    assert releases(conv(), "strided-pointwise-conv") == ALL
    assert spoken(found(conv(), "strided-pointwise-conv")) == snapshot("""\
0/0:CONV_2D: error: the stride [2, 2] of a 1x1 convolution with INT8 weights is ignored [strided-pointwise-conv]
  help: STRIDED_SLICE the input, then a convolution of stride 1: exact\
""")


@pytest.mark.parametrize("twin", [conv(stride=1), conv(kernel=3), conv(type="FLOAT32"), conv(size=1)])
def test_near_misses_are_right(twin: Graph) -> None:
    assert releases(twin, "strided-pointwise-conv") == ()
