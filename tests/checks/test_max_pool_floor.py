from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def pool(producer: str | None) -> Graph:
    g = Graph()
    x = g.input(SHAPE)
    y = x if producer is None else g.op(producer, x)
    options = {"filter_width": 2, "filter_height": 2, "stride_w": 2, "stride_h": 2, "padding": "VALID"}
    g.output(g.op("MAX_POOL_2D", y, out=[1, 2, 2, 8], **options))
    return g


def test_values_that_cannot_be_so_low_are_right() -> None:
    assert releases(pool("RELU"), "max-pool-floor") == ()
    assert releases(pool("TANH"), "max-pool-floor") == ()
