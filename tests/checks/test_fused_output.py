from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def conv(consumer: str) -> Graph:
    g = Graph()
    w, b = g.const(shape=[8, 1, 1, 8], fill=0.5), g.const(shape=[8], fill=0.0)
    y = g.op("CONV_2D", g.input(SHAPE), w, b, out=SHAPE, padding="SAME", stride_w=1, stride_h=1)
    last = g.op("MUL", y, g.const(0.5)) if consumer == "MUL" else g.op(consumer, y)
    g.output(y, last)
    return g


def test_a_constant_factor_is_wrong_on_every_release() -> None:
    assert releases(conv("MUL"), "fused-output") == ALL


def test_another_consumer_up_to_2_1_5() -> None:
    assert releases(conv("TANH"), "fused-output") == UP_TO_2_1_5


def test_a_single_output_is_right() -> None:
    g = Graph()
    g.output(g.op("MUL", g.op("TANH", g.input(SHAPE)), g.const(0.5)))
    assert releases(g, "fused-output") == ()
