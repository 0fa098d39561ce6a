from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def depth_to_space(op: str, batch: int) -> Graph:
    g = Graph()
    out = [batch, 8, 8, 2] if op == "DEPTH_TO_SPACE" else [batch, 2, 2, 32]
    g.output(g.op(op, g.input([batch, 4, 4, 8], name="x"), out=out, block_size=2))
    return g


@pytest.mark.parametrize("op", ["DEPTH_TO_SPACE", "SPACE_TO_DEPTH"])
def test_both_sides(op: str) -> None:
    assert releases(depth_to_space(op, 2), "batched-depth-space") == ALL
    assert releases(depth_to_space(op, 1), "batched-depth-space") == ()


def test_message() -> None:
    assert spoken(found(depth_to_space("DEPTH_TO_SPACE", 2), "batched-depth-space")) == snapshot("""\
0/0:DEPTH_TO_SPACE: error: DEPTH_TO_SPACE with a batch of 2 comes back as zeros [batched-depth-space]
  help: RESHAPE the batch into the height, the operator, RESHAPE back: exact\
""")
