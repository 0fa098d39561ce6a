from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def prelu(batch: int, alpha: list[int]) -> Graph:
    g = Graph()
    g.output(g.op("PRELU", g.input([batch, 3, 4, 8], name="x"), g.const(shape=alpha, fill=0.2, name="alpha")))
    return g


def test_both_sides() -> None:
    assert releases(prelu(2, [3, 4, 8]), "prelu-batch") == ALL
    assert releases(prelu(1, [3, 4, 8]), "prelu-batch") == ()


@pytest.mark.parametrize("alpha", [[8], [1, 1, 8]])
def test_an_alpha_a_channel_is_fine(alpha: list[int]) -> None:
    assert releases(prelu(2, alpha), "prelu-batch") == ()


def test_message() -> None:
    assert spoken(found(prelu(2, [3, 4, 8]), "prelu-batch")) == snapshot("""\
0/0:PRELU: error: INVALID_ARGUMENT: Unable to parse bc coord for BATCH axis. Layout is bhwc, args are (X), (Y), (S). [prelu-batch]
  help: write it as RELU(x) - alpha * RELU(-x): exact\
""")
