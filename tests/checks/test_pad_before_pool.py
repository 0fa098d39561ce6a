from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def pool(pad: list[list[int]], op: str = "AVERAGE_POOL_2D") -> Graph:
    g = Graph()
    out = [s + a + b for s, (a, b) in zip(SHAPE, pad, strict=True)]
    y = g.op("PAD", g.input(SHAPE), g.const(pad, type="INT32"), out=out)
    pooled = [out[0], out[1] // 2, out[2] // 2, out[3]]
    options = {"filter_width": 2, "filter_height": 2, "stride_w": 2, "stride_h": 2, "padding": "VALID"}
    g.output(g.op(op, y, out=pooled, **options))
    return g


def test_both_sides() -> None:
    assert releases(pool([[0, 0], [1, 1], [1, 1], [0, 0]]), "pad-before-pool") == ALL
    assert releases(pool([[0, 0], [1, 1], [1, 1], [0, 4]]), "pad-before-pool") == ()
