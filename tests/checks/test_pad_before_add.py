from __future__ import annotations

from inline_snapshot import snapshot
from judging import found
from recorded import spoken_of

from tflint.fixtures.builder import Graph

RULE = "pad-before-add"


def test_message() -> None:
    assert spoken_of(RULE, "a value a channel") == snapshot("""\
0/1:ADD: error: the padding [1, 4, 4, 8] is dropped before an ADD that broadcasts, with [1, 1, 1, 8] [pad-before-add]
  help: keep PAD and ADD apart with MUL by a runtime 1, or bring both operands to one shape with TILE\
""")


def test_both_operands_padded_to_one_shape_are_right() -> None:
    g = Graph()
    padded = [g.op("PAD", g.input([1, 4, 4, 4]), [[0, 0], [0, 0], [0, 0], [0, 4]]) for _ in range(2)]
    g.output(g.op("ADD", *padded))
    assert found(g, RULE) == ()
