from __future__ import annotations

from judging import releases

from tflint.fixtures.builder import Graph

SHAPE = [1, 4, 4, 8]


def test_silent_on_a_slice_that_takes_a_part() -> None:
    g = Graph()
    x = g.op("TANH", g.input(SHAPE))
    begin, size = g.const([0, 0, 0, 0], type="INT32"), g.const([1, 2, 4, 8], type="INT32")
    g.output(g.op("SLICE", x, begin, size, out=[1, 2, 4, 8]))
    assert releases(g, "identity-slice") == ()
