from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph, Quant

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def edge(type: str) -> Graph:
    g = Graph()
    quant = Quant(0.1, 0) if type == "INT8" else None
    g.output(g.op("RELU", g.input(SHAPE, type=type, quant=quant)))
    return g


def test_both_sides() -> None:
    assert releases(edge("INT8"), "quantized-graph-edge") == ("2.1.2", "2.1.3")
    assert releases(edge("FLOAT32"), "quantized-graph-edge") == ()
