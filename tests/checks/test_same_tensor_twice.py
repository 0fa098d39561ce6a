from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def twice(op: str) -> Graph:
    g = Graph()
    x = g.input([8, 8], name="x")
    if op == "PACK":
        x = g.input([1, 8, 8], name="x")
        y = g.op("PACK", x, x, x, axis=1, values_count=3, out=[1, 3, 8, 8])
    elif op == "CONCATENATION":
        y = g.op("CONCATENATION", x, x, axis=0, out=[16, 8])
    elif op == "FULLY_CONNECTED":
        y = g.op("FULLY_CONNECTED", x, x, None, out=[8, 8])
    elif op == "BATCH_MATMUL":
        x = g.input([1, 8, 8], name="x")
        y = g.op("BATCH_MATMUL", x, x)
    else:
        y = g.op(op, x, x, out=[8, 8])
    g.output(y)
    return g


@pytest.mark.parametrize("op", ["PACK", "BATCH_MATMUL", "FULLY_CONNECTED"])
def test_the_process_dies(op: str) -> None:
    assert "2.3.0" in releases(twice(op), "same-tensor-twice")


@pytest.mark.parametrize("op", ["CONCATENATION", "ADD", "MUL"])
def test_operators_that_take_it(op: str) -> None:
    assert releases(twice(op), "same-tensor-twice") == ()


@pytest.mark.parametrize("shape", [[8, 8], [3, 8, 8], [3, 1, 8, 8]])
def test_a_matrix_product_whose_first_axis_is_not_one_reshapes_first(shape: list[int]) -> None:
    g = Graph()
    x = g.input(shape)
    g.output(g.op("BATCH_MATMUL", x, x))
    assert releases(g, "same-tensor-twice") == ()


def test_message() -> None:
    assert spoken(found(twice("BATCH_MATMUL"), "same-tensor-twice")) == snapshot("""\
0/0:BATCH_MATMUL: error: Check failed: !IsInput(consumer, value) [same-tensor-twice]
  help: give one of the operands a copy: RESHAPE to the same shape is exact\
""")
