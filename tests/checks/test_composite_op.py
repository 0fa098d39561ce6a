from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, place, releases, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def composite(name: str, **attributes: object) -> Graph:
    g = Graph()
    x = g.input([1, 4, 8], name="x")
    body = g.subgraph()
    body.output(body.op("ABS", body.input([1, 4, 8])))
    g.output(g.composite(name, x, decomposition=body, attributes=attributes, out=[1, 4, 8]))
    return g


def test_an_unknown_one_is_refused_by_its_name() -> None:
    assert releases(composite("my.norm"), "composite-op") == ALL
    assert spoken(found(composite("my.norm"), "composite-op")) == snapshot("""\
0/0:STABLEHLO_COMPOSITE: error: the GPU refuses STABLEHLO_COMPOSITE: my.norm [composite-op]
  help: convert without the composite, so that its decomposition is in the graph and each operator is judged by itself\
""")


def test_a_known_one_is_accepted_and_kills_the_process() -> None:
    graph = composite("odml.rms_norm", epsilon=1e-6)
    assert place(graph).verdict is Verdict.FAILS
    assert spoken(found(graph, "composite-op")) == snapshot("""\
0/0:STABLEHLO_COMPOSITE: error: the process dies while the composite odml.rms_norm is built [composite-op]
  help: convert without the composite, with its decomposition written out in the graph\
""")
