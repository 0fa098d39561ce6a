from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def stateful(variable: bool) -> Graph:
    g = Graph()
    x = g.input([1, 8], name="x")
    state = g.variable([1, 8], name="state") if variable else g.input([1, 8], name="state")
    g.output(g.op("ADD", x, state))
    return g


@pytest.mark.parametrize(("variable", "expected"), [(True, ALL), (False, ())])
def test_both_sides(variable: bool, expected: tuple[str, ...]) -> None:
    assert releases(stateful(variable), "variable-tensor") == expected


def test_message() -> None:
    assert spoken(found(stateful(True), "variable-tensor")) == snapshot("""\
0/0:ADD: error: Variable tensors not yet supported. [variable-tensor]
  help: carry the state as graph inputs and outputs\
""")
