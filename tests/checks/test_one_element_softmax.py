from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def softmax(shape: list[int]) -> Graph:
    g = Graph()
    g.output(g.op("SOFTMAX", g.input(shape, name="x")))
    return g


def test_one_element() -> None:
    assert spoken(found(softmax([4, 1]), "one-element-softmax")) == snapshot("""\
0/0:SOFTMAX: info: the softmax of x [4, 1] is 1 everywhere [one-element-softmax]
  help: drop it with all that computes its input, or take the axis that was meant\
""")


@pytest.mark.parametrize("shape", [[1, 4], [1, 1, 2], [1]])
def test_near_misses(shape: list[int]) -> None:
    assert releases(softmax(shape), "one-element-softmax") == ()
