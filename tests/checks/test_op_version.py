from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]


def unary(op: str, version: int) -> Graph:
    g = Graph()
    g.output(g.op(op, g.input([1, 4, 4, 8], name="x"), version=version))
    return g


def add(version: int) -> Graph:
    g = Graph()
    g.output(g.op("ADD", g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8]), version=version))
    return g


def test_the_ceiling_of_add_rose_in_2_1_6() -> None:
    assert releases(add(3), "op-version") == UP_TO_2_1_5
    assert releases(add(2), "op-version") == ()
    assert spoken(found(add(3), "op-version", "2.1.5")) == snapshot("""\
0/0:ADD: error: the GPU refuses ADD: Max version supported: 2. Requested version 3. [op-version]
  help: run it on 2.1.6 or later, which takes version 6; or convert without the form that needs version 3\
""")


@pytest.mark.parametrize(("op", "ceiling"), [("LOGISTIC", 2), ("TANH", 2), ("RELU", 2), ("RELU6", 2), ("RSQRT", 2)])
def test_both_sides_of_a_ceiling(op: str, ceiling: int) -> None:
    assert releases(unary(op, ceiling + 1), "op-version") == ALL
    assert releases(unary(op, ceiling), "op-version") == ()


def test_what_does_not_load_is_another_fault() -> None:
    assert releases(unary("RELU", 9), "op-version") == ()
    assert releases(unary("RELU", 9), "unregistered-op") == ALL
