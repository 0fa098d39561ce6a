from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Quant

RULE = "opencl-untested"


def binary(op: str, type: str = "INT32", count: int = 1) -> Graph:
    g = Graph()
    x = g.input([1, 4], type=type, name="x")
    for _ in range(count):
        x = g.op(op, x, g.input([1, 4], type=type))
    g.output(x)
    return g


def unary(op: str, type: str = "FLOAT32") -> Graph:
    g = Graph()
    g.output(g.op(op, g.input([1, 4], type=type)))
    return g


def transpose(type: str) -> Graph:
    g = Graph()
    g.output(g.op("TRANSPOSE", g.input([1, 4, 8], type=type), g.const([0, 2, 1])))
    return g


def one_hot() -> Graph:
    g = Graph()
    g.output(g.op("ONE_HOT", g.input([4], type="INT32"), 3, 1.0, 0.0, out=[4, 3], type="FLOAT32"))
    return g


def dense(type: str) -> Graph:
    g = Graph()
    quant = None if type == "FLOAT32" else Quant(0.1, 0)
    weights = g.const(shape=[4, 8], data=bytes(32 if quant else 128), type=type, quant=quant)
    g.output(
        g.op(
            "FULLY_CONNECTED",
            g.input([1, 8], type=type, quant=quant),
            weights,
            None,
            out=[1, 4],
            type=type,
            quant=quant,
        )
    )
    return g


def matmul(right: list[int]) -> Graph:
    g = Graph()
    g.output(g.op("BATCH_MATMUL", g.input([2, 4, 8]), g.input(right), out=[2, 4, 4]))
    return g


@pytest.mark.parametrize(
    "graph",
    [
        binary("ADD"),
        binary("FLOOR_DIV", "FLOAT32"),
        unary("CEIL"),
        transpose("INT32"),
        one_hot(),
        dense("INT8"),
        matmul([8, 4]),
    ],
)
def test_on_opencl_alone(graph: Graph) -> None:
    assert "2.3.0" in releases(graph, RULE, "opencl")
    assert releases(graph, RULE, "webgpu") == ()
    assert releases(graph, RULE, "metal") == ()


@pytest.mark.parametrize(
    "twin",
    [
        binary("ADD", "FLOAT32"),
        unary("FLOOR"),
        transpose("FLOAT32"),
        dense("FLOAT32"),
        matmul([2, 8, 4]),
        binary("LESS"),
    ],
)
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, RULE, "opencl") == ()


def test_one_finding_for_all_of_an_operator() -> None:
    assert spoken(found(binary("ADD", count=3), RULE, "2.3.0", "opencl")) == snapshot("""\
0/0:ADD: info: LiteRT's tests leave out ADD (3 operators here) on OpenCL: INT32 arithmetic is not supported [opencl-untested]
  help: compare with the CPU on the device before relying on it\
""")
