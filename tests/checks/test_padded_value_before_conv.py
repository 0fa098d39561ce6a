from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def conv(value: float) -> Graph:
    g = Graph()
    out = [1, 6, 6, 8]
    pad = g.const([[0, 0], [1, 1], [1, 1], [0, 0]], type="INT32")
    y = g.op("PADV2", g.op("TANH", g.input(SHAPE)), pad, g.const(value), out=out)
    w, b = g.const(shape=[4, 3, 3, 8], fill=0.5), g.const(shape=[4], fill=0.0)
    g.output(g.op("CONV_2D", y, w, b, out=[1, 4, 4, 4], padding="VALID", stride_w=1, stride_h=1))
    return g


def test_both_sides() -> None:
    assert releases(conv(1.5), "padded-value-before-conv") == ALL
    assert releases(conv(0.0), "padded-value-before-conv") == ()
