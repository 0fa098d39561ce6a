from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

UP_TO_2_2_0 = ALL[:-1]


def constants(op: str, *shapes: list[int]) -> Graph:
    g = Graph()
    operands = [g.const(shape=shape, fill=2.0) for shape in shapes]
    g.output(g.op(op, *operands, out=[1, 4, 4, 8]), g.op("ABS", g.input([1, 4, 4, 8])))
    return g


def test_a_unary_operator_on_a_constant_is_refused() -> None:
    assert spoken(found(constants("NEG", [1, 4, 4, 8]), "constant-inputs")) == snapshot("""\
0/0:NEG: error: the GPU refuses NEG: Expected 0 const input tensor(s), but node has 1 const input(s). [constant-inputs]
  help: fold it at export: store its 128 result values as a constant (`register_buffer`)\
""")
    assert releases(constants("NEG", [1, 4, 4, 8]), "constant-inputs") == ALL


@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "DIV", "MAXIMUM", "POW", "SQUARED_DIFFERENCE"])
def test_two_constants_of_one_rank_are_accepted_from_2_3_0(op: str) -> None:
    assert releases(constants(op, [1, 4, 4, 8], [1, 4, 4, 8]), "constant-inputs") == UP_TO_2_2_0


def test_two_constants_of_different_ranks_are_not() -> None:
    assert releases(constants("ADD", [1, 4, 4, 8], [8]), "constant-inputs") == ALL


def test_concatenation_of_constants_is_accepted() -> None:
    g = Graph()
    a, b = g.const(shape=[1, 4, 4, 4], fill=1.0), g.const(shape=[1, 4, 4, 4], fill=1.0)
    g.output(g.op("CONCATENATION", a, b, axis=3, out=[1, 4, 4, 8]), g.op("ABS", g.input([1, 4, 4, 8])))
    assert releases(g, "constant-inputs") == ()


def test_one_runtime_operand_is_enough() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([1, 4, 4, 8]), g.const(shape=[1, 4, 4, 8], fill=1.0)))
    assert releases(g, "constant-inputs") == ()


def test_a_runtime_axis_is_another_fault() -> None:
    g = Graph()
    g.output(g.op("MEAN", g.input([1, 4, 4, 8]), g.input([1], type="INT32"), out=[1, 4, 4], keep_dims=False))
    assert releases(g, "constant-inputs") == ()
