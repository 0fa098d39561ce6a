from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, place, releases, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def mul(version: int) -> Graph:
    g = Graph()
    g.output(g.op("MUL", g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8]), version=version))
    return g


def test_a_version_that_came_with_2_1_6() -> None:
    assert releases(mul(8), "unregistered-op") == ALL[:4]
    assert releases(mul(7), "unregistered-op") == ()
    assert place(mul(8), "2.1.5").verdict is Verdict.UNLOADABLE
    assert spoken(found(mul(8), "unregistered-op", "2.1.5")) == snapshot("""\
0/0:MUL: error: Didn't find op for builtin opcode 'MUL' version '8'. An older version of this builtin might be supported. Are you using an old TFLite binary with a newer model? [unregistered-op]
  help: raise the target release to one that registers it, or convert for the older runtime\
""")


def test_broadcast_to_begins_at_version_two() -> None:
    g = Graph()
    x, shape = g.input([1, 1, 1, 8]), g.const([1, 4, 4, 8], type="INT32")
    g.output(g.op("BROADCAST_TO", x, shape, out=[1, 4, 4, 8], version=1))
    assert releases(g, "unregistered-op") == ALL


def test_a_number_beyond_every_schema() -> None:
    g = Graph()
    g.output(g.op(300, g.input([1, 4, 4, 8]), out=[1, 4, 4, 8]))
    assert releases(g, "unregistered-op") == ALL
