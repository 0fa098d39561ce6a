from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

RULE = "multi-axis-reduction"


def reduction(axes: list[int], size: int = 256, op: str = "MEAN", shape: list[int] | None = None) -> Graph:
    g = Graph()
    x = g.input([1, size, size, 8] if shape is None else shape, name="x")
    g.output(g.op(op, x, g.const(axes), keep_dims=True, out=[1, 1, 1, 8]))
    return g


def one_after_the_other() -> Graph:
    g = Graph()
    rows = g.op("MEAN", g.input([1, 256, 256, 8]), g.const([1]), keep_dims=True, out=[1, 1, 256, 8])
    g.output(g.op("MEAN", rows, g.const([2]), keep_dims=True, out=[1, 1, 1, 8]))
    return g


@pytest.mark.parametrize("graph", [reduction([1, 2]), reduction([-3, -2]), reduction([1, 2], op="SUM")])
def test_only_where_it_was_reported(graph: Graph) -> None:
    assert releases(graph, RULE, "opencl") == ALL[1:]
    assert releases(graph, RULE, "webgpu") == ()
    assert releases(graph, RULE, "metal") == ()


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(reduction([1, 2], 255), id="fewer values"),
        pytest.param(one_after_the_other(), id="one axis after the other"),
        pytest.param(reduction([1, 2], op="REDUCE_MAX"), id="maximum"),
        pytest.param(reduction([0, 1], shape=[1, 1 << 16, 1, 8]), id="one axis is long"),
    ],
)
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, RULE, "opencl") == ()


def test_many_are_one_finding() -> None:
    g = Graph()
    for _ in range(3):
        g.output(g.op("MEAN", g.input([1, 256, 256, 8]), g.const([1, 2]), keep_dims=True, out=[1, 1, 1, 8]))
    (finding,) = found(g, RULE, "2.3.0", "opencl")
    assert "(3 operators here)" in finding.message


def test_message() -> None:
    assert spoken(found(reduction([1, 2]), RULE, "2.3.0", "opencl")) == snapshot("""\
0/0:MEAN: warning: MEAN takes 65536 values of x [1, 256, 256, 8] together over several axes [multi-axis-reduction]
  help: MEAN over one axis after the other: equal to rounding\
""")
