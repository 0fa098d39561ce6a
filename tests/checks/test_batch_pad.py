from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def pad(batch: int, before: int, after: int, op: str = "PAD") -> Graph:
    g = Graph()
    amounts = g.const([[before, after], [0, 0], [0, 0], [0, 0]], type="INT32")
    g.output(g.op(op, g.input([batch, 3, 4, 8], name="x"), amounts, out=[batch + before + after, 3, 4, 8]))
    return g


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 0), (0, 2)])
def test_a_batch_of_one_is_repeated(before: int, after: int) -> None:
    assert releases(pad(1, before, after), "batch-pad") == ALL


def test_a_batch_of_two_is_right() -> None:
    assert releases(pad(2, 1, 1), "batch-pad") == ()


def test_no_padding_of_the_batch_is_right() -> None:
    g = Graph()
    amounts = g.const([[0, 0], [1, 1], [0, 0], [0, 0]], type="INT32")
    g.output(g.op("PAD", g.input([1, 3, 4, 8]), amounts, out=[1, 5, 4, 8]))
    assert releases(g, "batch-pad") == ()


def test_message() -> None:
    assert spoken(found(pad(1, 0, 1), "batch-pad")) == snapshot("""\
0/0:PAD: error: PAD of x from batch 1 to 2 repeats the data [batch-pad]
  help: CONCATENATION with a constant along axis 0: exact\
""")
