from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def leaky(alpha: float) -> Graph:
    g = Graph()
    g.output(g.op("LEAKY_RELU", g.input([1, 4, 4, 8], name="x"), alpha=alpha))
    return g


@pytest.mark.parametrize("alpha", [-0.1, 1.5, -2.0])
def test_outside_zero_to_one(alpha: float) -> None:
    assert releases(leaky(alpha), "leaky-relu-alpha") == ALL


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0])
def test_zero_to_one_is_right(alpha: float) -> None:
    assert releases(leaky(alpha), "leaky-relu-alpha") == ()


def test_message() -> None:
    assert spoken(found(leaky(1.5), "leaky-relu-alpha")) == snapshot("""\
0/0:LEAKY_RELU: error: LEAKY_RELU with alpha 1.5 computes with 1 instead [leaky-relu-alpha]
  help: PRELU with a constant alpha: exact\
""")
