from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

RULE = "split-part-copy"


def parts(copied: int, op: str = "SLICE", then: bool = False) -> Graph:
    """Three parts of which one is copied."""
    g = Graph()
    made = list(g.op("SPLIT", 1, g.op("TANH", g.input([1, 12, 4, 8], name="x")), out=[[1, 4, 4, 8]] * 3))
    part = made[copied]
    if op == "SLICE":
        part = g.op("SLICE", part, [0, 0, 0, 0], [1, 4, 4, 8], name="copy")
    elif op == "RESHAPE":
        part = g.op("RESHAPE", part, [1, 4, 4, 8])
    else:
        part = g.op(op, part, [4, 4])
    made[copied] = g.op("ABS", part) if then else part
    g.output(*made)
    return g


@pytest.mark.parametrize("fault", [parts(0), parts(1), parts(0, "RESIZE_BILINEAR"), parts(0, "RESIZE_BILINEAR", True)])
def test_the_parts_come_out_in_another_order(fault: Graph) -> None:
    assert releases(fault, RULE) == ALL


@pytest.mark.parametrize("twin", [parts(2), parts(0, "RESHAPE"), parts(0, then=True)])
def test_near_misses_are_right(twin: Graph) -> None:
    assert releases(twin, RULE) == ()


def test_message() -> None:
    assert spoken(found(parts(1), RULE)) == snapshot("""\
0/2:SLICE: error: SLICE of everything is dropped, and SPLIT hands its parts out in another order [split-part-copy]
  help: drop the SLICE, which copies its operand, or make it a RESHAPE to the same shape: exact\
""")
