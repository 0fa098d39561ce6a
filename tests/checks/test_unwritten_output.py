from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph, Quant


def returned(type: str = "FLOAT16", rank: int = 4, output: bool = True) -> Graph:
    g = Graph()
    x = g.input([1, 8], name="x")
    shape = [1] * (rank - 1) + [8]
    quant = Quant(0.1) if type == "INT8" else None
    table = g.const(np.ones(shape), type=type, quant=quant, name="anchors")
    made = g.op("DEQUANTIZE", table, type="FLOAT32", name="anchors_f32")
    g.output(g.op("ABS", x), *([made] if output else []))
    return g


def test_a_half_constant_is_never_written() -> None:
    assert releases(returned(), "unwritten-output") == ALL
    assert spoken(found(returned(), "unwritten-output")) == snapshot("""\
0/0:DEQUANTIZE: error: nothing writes output anchors_f32, a FLOAT16 constant behind DEQUANTIZE [unwritten-output]
  help: store the constant as FLOAT32, or leave it out of the outputs: exact\
""")


def test_another_constant_is_not_where_the_cpu_makes_it() -> None:
    assert releases(returned("INT8", rank=5), "unwritten-output") == ALL


@pytest.mark.parametrize("twin", [returned("INT8"), returned(output=False)])
def test_near_misses_are_right(twin: Graph) -> None:
    assert releases(twin, "unwritten-output") == ()


def test_outputs_of_bodies_are_not_the_models() -> None:
    g = Graph()
    body = g.subgraph()
    table = body.const(np.ones(8), type="FLOAT16")
    body.input([1, 8])
    body.output(body.op("DEQUANTIZE", table, type="FLOAT32"))
    g.output(g.composite("odml.unknown", g.input([1, 8]), decomposition=body))
    assert releases(g, "unwritten-output") == ()
