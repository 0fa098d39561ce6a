from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph

RULE = "one-element-softmax"


def softmax(shape: list[int], op: str = "SOFTMAX") -> Graph:
    g = Graph()
    g.output(g.op(op, g.input(shape, name="x")))
    return g


def written_out(shape: list[int], axis: int) -> Graph:
    g = Graph()
    exp = g.op("EXP", g.input(shape, name="x"))
    kept = [1 if at == axis % len(shape) else extent for at, extent in enumerate(shape)]
    g.output(g.op("DIV", exp, g.op("SUM", exp, g.const([axis]), out=kept, keep_dims=True)))
    return g


def test_one_element() -> None:
    assert spoken(found(softmax([4, 1]), RULE)) == snapshot("""\
0/0:SOFTMAX: info: the softmax of x [4, 1] is 1 everywhere [one-element-softmax]
  help: drop it with all that computes its input, or take the axis that was meant\
""")


@pytest.mark.parametrize(
    ("graph", "value"),
    [
        (softmax([1]), 1),
        (softmax([2, 4, 1], "LOG_SOFTMAX"), 0),
        (written_out([1, 4], 0), 1),
        (written_out([4, 1, 3], 1), 1),
        (written_out([4, 1], -1), 1),
    ],
)
def test_other_forms(graph: Graph, value: int) -> None:
    (finding,) = found(graph, RULE)
    assert f"is {value} everywhere" in finding.message


@pytest.mark.parametrize(
    "graph",
    [softmax([1, 4]), softmax([1, 1, 2]), softmax([4, 1], "LOGISTIC"), written_out([1, 4], 1), written_out([4, 1], 0)],
)
def test_near_misses(graph: Graph) -> None:
    assert releases(graph, RULE) == ()
