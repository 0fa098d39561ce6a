from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph, Quant


def dequantize(shape: list[int], type: str = "INT8") -> Graph:
    g = Graph()
    quant = Quant(0.1, 0) if type == "INT8" else None
    c = g.const(shape=shape, fill=1, type=type, quant=quant, name="c")
    g.output(g.op("ADD", g.input(shape, name="x"), g.op("DEQUANTIZE", c, type="FLOAT32", quant=None)))
    return g


@pytest.mark.parametrize("shape", [[3, 8], [3, 4, 8]])
def test_not_created(shape: list[int]) -> None:
    assert releases(dequantize(shape), "dequantized-matrix") == ALL


@pytest.mark.parametrize("shape", [[1, 8], [1, 3, 4, 8], [1, 4, 8]])
def test_shapes_that_are_fine(shape: list[int]) -> None:
    assert releases(dequantize(shape), "dequantized-matrix") == ()


def test_float16_is_fine() -> None:
    assert releases(dequantize([3, 8], "FLOAT16"), "dequantized-matrix") == ()


def test_message() -> None:
    assert spoken(found(dequantize([3, 8]), "dequantized-matrix")) == snapshot("""\
0/0:DEQUANTIZE: error: INVALID_ARGUMENT: Shape mismatch: {bhwc, {3, 1, 1, 8}} vs {bhwc, {1, 1, 3, 8}} [dequantized-matrix]
  help: quantize dynamically (int8 weights straight into the operator), or store the weights as FLOAT16\
""")
