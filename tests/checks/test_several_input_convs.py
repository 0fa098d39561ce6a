from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def stems(count: int, runtime: bool = False) -> Graph:
    g = Graph()
    x = g.input([1, 8, 8, 3], name="image")
    scaled = g.op("MUL", x, g.input([1, 8, 8, 3]) if runtime else g.const([0.5, 0.5, 0.5]))
    for number in range(count):
        w, b = g.const(shape=[4, 3, 3, 3], fill=0.5, name=f"stem{number}"), g.const(shape=[4], fill=0.0)
        g.output(g.op("CONV_2D", scaled, w, b, out=[1, 8, 8, 4], padding="SAME", stride_w=1, stride_h=1))
    return g


def test_two_stems_are_listed() -> None:
    assert spoken(found(stems(2), "several-input-convs")) == snapshot("""\
0/1:CONV_2D: info: graph input image feeds 2 first convolutions: 1 CONV_2D (stem0, channel axis 3), 2 CONV_2D (stem1, channel axis 3) [several-input-convs]
  help: a colour or normalisation fold must touch the weights of every one of them\
""")


@pytest.mark.parametrize("twin", [stems(1), stems(2, runtime=True)])
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, "several-input-convs") == ()
