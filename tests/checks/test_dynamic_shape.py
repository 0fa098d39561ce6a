from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, place, releases, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def reshaped(constant: bool) -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    shape = g.const([1, 128], type="INT32") if constant else g.input([2], type="INT32", name="shape")
    g.output(g.op("RESHAPE", x, shape, out=[1, 128]))
    return g


def test_a_runtime_shape_fails_on_every_release() -> None:
    assert releases(reshaped(constant=False), "dynamic-shape") == ALL
    assert place(reshaped(constant=False)).verdict is Verdict.FAILS
    assert spoken(found(reshaped(constant=False), "dynamic-shape")) == snapshot("""\
0/0:RESHAPE: error: Attempting to use a delegate that only supports static-sized tensors with a graph that has dynamic-sized tensors (tensor#-1 is a dynamic-sized tensor). [dynamic-shape]
  help: export with fixed sizes and a constant shape, size or k operand; cut operators whose result size depends on values\
""")


def test_a_constant_shape_does_not() -> None:
    assert releases(reshaped(constant=True), "dynamic-shape") == ()
    assert place(reshaped(constant=True)).verdict is Verdict.FULL


def test_a_dynamic_signature_alone_does_not() -> None:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4, 4, 8], signature=[-1, 4, 4, 8])))
    assert releases(g, "dynamic-shape") == ()
