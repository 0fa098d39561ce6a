from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def select(condition: list[int], out: list[int]) -> Graph:
    g = Graph()
    m, x = g.input(condition, type="BOOL", name="m"), g.input(out, name="x")
    g.output(g.op("SELECT_V2", m, x, g.const(-5.0), out=out, type="FLOAT32"))
    return g


@pytest.mark.parametrize(("condition", "out"), [([4, 8], [2, 3, 4, 8]), ([8], [4, 8]), ([4, 8], [3, 4, 8])])
def test_misread(condition: list[int], out: list[int]) -> None:
    assert releases(select(condition, out), "select-condition-rank") == ALL
    assert found(select(condition, out), "select-condition-rank")[0].kind.value == "miscompute"


@pytest.mark.parametrize(("condition", "out"), [([6], [1, 4, 6, 6]), ([4, 6, 6], [1, 4, 6, 6]), ([4, 8], [1, 4, 8])])
def test_not_created_with_a_batch_of_one(condition: list[int], out: list[int]) -> None:
    assert releases(select(condition, out), "select-condition-rank") == ALL
    assert found(select(condition, out), "select-condition-rank")[0].kind.value == "load"


@pytest.mark.parametrize(("condition", "out"), [([1, 1, 6, 6], [1, 4, 6, 6]), ([1], [1, 4, 6, 6]), ([4, 8], [4, 8])])
def test_right_conditions(condition: list[int], out: list[int]) -> None:
    assert releases(select(condition, out), "select-condition-rank") == ()


def test_message() -> None:
    assert spoken(found(select([4, 8], [2, 3, 4, 8]), "select-condition-rank")) == snapshot("""\
0/0:SELECT_V2: error: the condition m [4, 8] is misread against the result [2, 3, 4, 8] [select-condition-rank]
  help: RESHAPE the condition to the result's rank: exact\
""")
