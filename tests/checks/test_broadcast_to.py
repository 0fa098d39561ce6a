from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

SHAPE = [1, 4, 4, 8]


def broadcast(constant: bool = False) -> Graph:
    g = Graph()
    x = g.const(shape=[1, 1, 1, 8], fill=1.0) if constant else g.input([1, 1, 1, 8], name="x")
    y = g.op("BROADCAST_TO", x, g.const(SHAPE, type="INT32"), out=SHAPE, version=2)
    g.output(g.op("ADD", y, g.input(SHAPE)))
    return g


def test_refused_on_every_release() -> None:
    assert releases(broadcast(), "broadcast-to") == ALL
    assert spoken(found(broadcast(), "broadcast-to")) == snapshot("""\
0/0:BROADCAST_TO: error: the GPU refuses BROADCAST_TO: Operation is not supported. [broadcast-to]
  help: CONCATENATION of the copies, or TILE, gives [1, 4, 4, 8] bit for bit\
""")


def test_a_constant_is_baked() -> None:
    assert spoken(found(broadcast(constant=True), "broadcast-to")) == snapshot("""\
0/0:BROADCAST_TO: error: the GPU refuses BROADCAST_TO: Operation is not supported. [broadcast-to]
  help: store the constant at its target shape [1, 4, 4, 8]\
""")


def test_tile_is_accepted() -> None:
    g = Graph()
    g.output(g.op("TILE", g.input([1, 1, 1, 8]), g.const([1, 4, 4, 1], type="INT32"), out=SHAPE))
    assert releases(g, "broadcast-to") == ()
