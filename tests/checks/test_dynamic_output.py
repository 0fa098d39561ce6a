from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def graph(signature: list[int] | None) -> Graph:
    g = Graph()
    y = g.op("ABS", g.input([1, 8]), name="y")
    y.signature = signature
    g.output(y)
    return g


def test_an_extent_that_may_change() -> None:
    assert spoken(found(graph([-1, 8]), "dynamic-output")) == snapshot("""\
0/0:ABS: info: output y has the shape [-1, 8] in the file [dynamic-output]
  help: export with fixed sizes, or read the output's shape after every run\
""")


@pytest.mark.parametrize("signature", [None, [1, 8]])
def test_static_outputs(signature: list[int] | None) -> None:
    assert releases(graph(signature), "dynamic-output") == ()
