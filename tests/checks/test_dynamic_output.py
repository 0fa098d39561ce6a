from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph

RULE = "dynamic-output"


def graph(signature: list[int] | None, inner: bool = False) -> Graph:
    g = Graph()
    y = g.op("ABS", g.input([1, 8]), name="y")
    y.signature = signature
    g.output(g.op("ABS", y, out=[1, 8]) if inner else y)
    return g


def test_an_extent_that_may_change() -> None:
    assert spoken(found(graph([-1, 8]), RULE)) == snapshot("""\
0/0:ABS: info: output y has the shape [-1, 8] in the file [dynamic-output]
  help: export with fixed sizes, or read the output's shape after every run\
""")


def custom(shape: list[int]) -> Graph:
    g = Graph()
    code = g.operator_code("CUSTOM", custom="TFLite_Detection_PostProcess")
    g.output(g.op("CUSTOM", g.input([1, 8, 4]), out=shape, code=code, name="boxes"))
    return g


def test_an_output_of_a_custom_operator_without_a_shape() -> None:
    (finding,) = found(custom([]), RULE)
    assert finding.message == "output boxes has no shape in the file"
    assert releases(custom([1, 10, 4]), RULE) == ()


def test_a_scalar_has_a_shape() -> None:
    g = Graph()
    g.output(g.op("SUM", g.input([1, 8]), g.const([0, 1]), out=[]))
    assert releases(g, RULE) == ()


@pytest.mark.parametrize("twin", [graph(None), graph([1, 8]), graph([-1, 8], inner=True)])
def test_static_outputs(twin: Graph) -> None:
    assert releases(twin, RULE) == ()


def test_outputs_of_a_body() -> None:
    g = Graph()
    body = g.subgraph("body")
    made = body.op("ABS", body.input([1, 8]))
    made.signature = [-1, 8]
    body.output(made)
    g.output(g.op("ABS", g.input([1, 8])))
    assert releases(g, RULE) == ()
