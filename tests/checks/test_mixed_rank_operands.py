from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph, Quant

UP_TO_2_1_5 = ALL[:4]


def binary(op: str, first: list[int], second: list[int], quant: Quant | None = None) -> Graph:
    g = Graph()
    type = "FLOAT32" if quant is None else "INT8"
    out = list(np.broadcast_shapes(tuple(first), tuple(second)))
    x, y = g.input(first, type=type, name="x", quant=quant), g.input(second, type=type, name="y", quant=quant)
    g.output(g.op(op, x, y, out=out))
    return g


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([4, 8], [3, 4, 8]),
        ([1, 4, 8], [1, 3, 4, 8]),
        ([1, 8], [1, 3, 4, 8]),
        ([20, 16, 16], [1, 1, 16, 16]),
        ([2, 1, 4, 8], [3, 4, 8]),
        ([3, 4, 8], [2, 1, 4, 8]),
    ],
)
@pytest.mark.parametrize("op", ["ADD", "MUL"])
def test_wrong_up_to_2_1_5(op: str, first: list[int], second: list[int]) -> None:
    assert releases(binary(op, first, second), "mixed-rank-operands") == UP_TO_2_1_5


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([2, 3, 4, 8], [3, 4, 8]),
        ([1, 3, 4, 8], [3, 4, 8]),
        ([3, 4, 8], [4, 8]),
        ([8], [2, 3, 4, 8]),
        ([2, 3, 4, 8], [1, 4, 1]),
        ([2, 3, 4, 8], [1, 3, 4, 8]),
    ],
)
def test_right_orders_and_ranks(first: list[int], second: list[int]) -> None:
    assert releases(binary("MUL", first, second), "mixed-rank-operands") == ()


@pytest.mark.parametrize("op", ["SUB", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE"])
def test_other_operators_are_right(op: str) -> None:
    assert releases(binary(op, [4, 8], [3, 4, 8]), "mixed-rank-operands") == ()


@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "DIV"])
@pytest.mark.parametrize("second", [[3, 4, 8], [8]])
def test_quantized_operands_do_not_compile(op: str, second: list[int]) -> None:
    assert releases(binary(op, [2, 3, 4, 8], second, Quant(0.1, 0)), "mixed-rank-operands") == ALL


def test_quantized_operands_of_one_rank() -> None:
    assert releases(binary("ADD", [2, 3, 4, 8], [1, 3, 4, 8], Quant(0.1, 0)), "mixed-rank-operands") == ()


def test_the_report_on_opencl_is_told_apart() -> None:
    (finding,) = found(binary("ADD", [4, 8], [3, 4, 8]), "mixed-rank-operands", "2.1.6", "opencl")
    assert (finding.severity.value, finding.confidence.value) == ("warning", "reported")
    assert found(binary("ADD", [4, 8], [3, 4, 8]), "mixed-rank-operands", "2.2.0", "opencl") == ()


def test_message() -> None:
    assert spoken(found(binary("ADD", [4, 8], [3, 4, 8]), "mixed-rank-operands", "2.1.5")) == snapshot("""\
0/0:ADD: error: ADD of [4, 8] and [3, 4, 8] mixes up batch and height [mixed-rank-operands]
  help: RESHAPE x to rank 3: exact\
""")
