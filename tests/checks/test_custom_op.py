from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, place, releases, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def custom(name: str) -> Graph:
    g = Graph()
    g.output(g.custom(name, g.input([1, 4, 4, 8], name="x"), out=[1, 4, 4, 8]))
    return g


def test_an_unknown_one_does_not_run_at_all() -> None:
    assert releases(custom("MyOp"), "custom-op") == ALL
    assert place(custom("MyOp")).verdict is Verdict.UNLOADABLE
    assert spoken(found(custom("MyOp"), "custom-op")) == snapshot("""\
0/0:CUSTOM MyOp: error: Encountered unresolved custom op: MyOp. [custom-op]
  help: convert with builtin operators only, or cut the part that needs it from the model; an application may also register it itself\
""")


def test_a_tensorflow_operator_needs_flex() -> None:
    assert place(custom("FlexErf")).verdict is Verdict.UNLOADABLE
    assert spoken(found(custom("FlexErf"), "custom-op")) == snapshot("""\
0/0:CUSTOM FlexErf: error: Select TensorFlow op(s), included in the given model, is(are) not supported by this interpreter. Node number 0 (FlexErf) failed to prepare. [custom-op]
  help: convert without TensorFlow (Flex) operators: the GPU runtime does not link the Flex delegate\
""")


def test_builtin_operators_are_not_custom() -> None:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4, 4, 8])))
    assert releases(g, "custom-op") == ()
