from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def norm(root: bool) -> Graph:
    g = Graph()
    x = g.input([1, 4, 8])
    axis = g.const([2], type="INT32")
    mean = g.op("MEAN", x, axis, out=[1, 4, 1], keep_dims=True)
    square = g.op("MEAN", g.op("MUL", x, x), axis, out=[1, 4, 1], keep_dims=True)
    variance = g.op("ADD", g.op("SUB", square, g.op("MUL", mean, mean)), g.const(1e-5))
    centred = g.op("SUB", x, mean, out=[1, 4, 8])
    if root:
        g.output(g.op("MUL", centred, g.op("RSQRT", variance), out=[1, 4, 8]))
    else:
        g.output(g.op("DIV", centred, g.op("SQRT", variance), out=[1, 4, 8]))
    return g


def test_both_sides() -> None:
    assert "2.3.0" in releases(norm(root=True), "variance-by-squares")
    assert releases(norm(root=False), "variance-by-squares") == ()
