from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Blockwise, Graph, Quant

RULE = "int4-weights"


def dense(type: str = "INT4", scales: int = 4, count: int = 1) -> Graph:
    g = Graph()
    x = g.input([1, 8], name="x")
    for number in range(count):
        quant = Quant([0.1] * scales, [0] * scales, 0) if scales else None
        weights = g.const(
            shape=[4, 8], data=bytes(16 if type == "INT4" else 32), type=type, quant=quant, name=f"w{number}"
        )
        g.output(g.op("FULLY_CONNECTED", x, weights, None, out=[1, 4]))
    return g


def blocks() -> Graph:
    g = Graph()
    scales = g.const(np.ones([4, 1], np.float16))
    weights = g.const(shape=[4, 32], data=bytes(64), type="INT4", quant=Blockwise(scales), name="w")
    g.output(g.op("FULLY_CONNECTED", g.input([1, 32]), weights, None, out=[1, 4]))
    return g


def lookup(type: str) -> Graph:
    g = Graph()
    table = g.const(
        shape=[4, 8], data=bytes(16 if type == "INT4" else 32), type=type, quant=Quant([0.1] * 4, [0] * 4, 0)
    )
    g.output(g.op("EMBEDDING_LOOKUP", g.input([2], type="INT32"), table, out=[2, 8], type="FLOAT32"))
    return g


def backends(graph: Graph) -> list[str]:
    return [backend for backend in ("webgpu", "opencl", "metal") if releases(graph, RULE, backend)]


def test_only_where_it_was_reported() -> None:
    assert backends(dense()) == ["opencl"]
    assert backends(lookup("INT4")) == ["metal"]
    assert backends(blocks()) == ["metal"]


@pytest.mark.parametrize("twin", [dense("INT8"), dense(scales=1), lookup("INT8")])
def test_near_misses(twin: Graph) -> None:
    assert backends(twin) == []


def test_messages() -> None:
    assert spoken(found(dense(count=3), RULE, "2.3.0", "opencl")) == snapshot("""\
0/0:FULLY_CONNECTED: warning: FULLY_CONNECTED with INT4 weights w0 [4, 8] (3 operators here): answers drift on an Adreno, right on the CPU (reported) [int4-weights]
  help: use INT8 with a scale a channel in place of INT4\
""")
    assert spoken(found(lookup("INT4"), RULE, "2.3.0", "metal")) == snapshot("""\
0/0:EMBEDDING_LOOKUP: warning: EMBEDDING_LOOKUP with INT4 weights const_0 [4, 8]: the process dies or hangs while the graph is built (reported) [int4-weights]
  help: use INT8 with a scale a channel in place of INT4\
""")
