"""Operators that wait for each other end compilation, whatever the accelerators."""

from __future__ import annotations

import pytest
from judging import place

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.delegate.placement import Verdict
from tflint.linter.targets import VERSIONS


def circle(graph: Graph) -> tuple[Tensor, Tensor]:
    x = graph.input([1, 4])
    end = graph.op("MUL", graph.op("ADD", x, x), x)
    graph.operators[0].inputs[1] = end.index
    return graph.op("TANH", x), end


def unloadable(graph: Graph) -> list[str]:
    data = graph.build()
    return [version for version in VERSIONS if place(data, version).verdict is Verdict.UNLOADABLE]


def test_a_circle_that_writes_an_output() -> None:
    g = Graph()
    g.output(*circle(g))
    assert unloadable(g) == list(VERSIONS)


def test_a_circle_that_nothing_needs_is_minded_later() -> None:
    g = Graph()
    g.output(circle(g)[0])
    assert unloadable(g) == list(VERSIONS[2:])


@pytest.mark.parametrize("length", [2, 5])
def test_the_order_in_the_file_is_no_matter(length: int) -> None:
    g = Graph()
    x = g.input([1, 4])
    for _ in range(length):
        x = g.op("TANH", x)
    g.output(x)
    g.operators.reverse()
    assert unloadable(g) == []
