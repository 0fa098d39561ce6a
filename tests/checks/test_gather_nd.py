from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def test_refused_on_every_release() -> None:
    g = Graph()
    g.output(g.op("GATHER_ND", g.input([1, 4, 4, 8], name="x"), g.const([[0, 1]], type="INT32"), out=[1, 4, 8]))
    assert releases(g, "gather-nd") == ALL
    assert spoken(found(g, "gather-nd")) == snapshot("""\
0/0:GATHER_ND: error: the GPU refuses GATHER_ND: Operation is not supported. [gather-nd]
  help: find its source (strided slicing, reflect padding, max-pool padding, bicubic resize, grid_sample, indexing) and write it as strided pooling, slices with CONCATENATION, or a matmul with a constant; all but grid_sample are exact\
""")


def test_gather_is_another_operator() -> None:
    g = Graph()
    g.output(g.op("GATHER", g.input([1, 4, 4, 8]), g.input([2], type="INT32"), axis=1, out=[1, 2, 4, 8]))
    assert releases(g, "gather-nd") == ()
