from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

REFUSED = ["DIV", "SUB", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD"]
COMPARED = ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]


def twice(op: str, type: str = "FLOAT32") -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], type=type, name="x")
    g.output(g.op(op, x, x, type="BOOL") if op in COMPARED else g.op(op, x, x))
    return g


def apart(op: str) -> Graph:
    g = Graph()
    x, y = g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8])
    g.output(g.op(op, x, y, type="BOOL") if op in COMPARED else g.op(op, x, y))
    return g


def test_the_result_is_named() -> None:
    assert spoken(found(twice("DIV"), "identical-inputs")) == snapshot("""\
0/0:DIV: error: the GPU refuses DIV: No support of few identical inputs in the same operation. [identical-inputs]
  help: fold it: the result is 1 (except for 0, Inf and NaN)\
""")


@pytest.mark.parametrize("op", REFUSED + COMPARED)
def test_refused_on_every_release(op: str) -> None:
    assert releases(twice(op), "identical-inputs") == ALL


@pytest.mark.parametrize("op", ["LOGICAL_AND", "LOGICAL_OR"])
def test_logic_too(op: str) -> None:
    assert releases(twice(op, "BOOL"), "identical-inputs") == ALL


@pytest.mark.parametrize("op", ["ADD", "MUL"])
def test_add_and_mul_are_rewritten_by_the_delegate(op: str) -> None:
    assert releases(twice(op), "identical-inputs") == ()


@pytest.mark.parametrize("op", REFUSED + COMPARED)
def test_two_tensors_are_fine(op: str) -> None:
    assert releases(apart(op), "identical-inputs") == ()


def test_one_constant_twice_is_the_fault_of_constants() -> None:
    g = Graph()
    c = g.const(shape=[1, 4, 4, 8], fill=2.0)
    g.output(g.op("DIV", c, c), g.op("ABS", g.input([1, 4, 4, 8])))
    assert releases(g, "identical-inputs") == ()
