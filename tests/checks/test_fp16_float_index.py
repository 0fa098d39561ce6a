from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.settings import Settings

RULE = "fp16-float-index"


def stated(low: float, high: float) -> Settings:
    return Settings(input_ranges=(("x", low, high),))


def looked_up(rows: int, type: str = "FLOAT32") -> Graph:
    g = Graph()
    x = g.input([1, 1, 1, 8], type=type, name="x")
    index = g.op("MUL", x, g.const(64, type=type), name="index")
    if type != "INT32":
        index = g.op("CAST", index, out=[1, 1, 1, 8], type="INT32", name="cast")
    table = g.const(shape=[rows, 1], fill=0.5)
    g.output(g.op("GATHER", table, g.op("RESHAPE", index, g.const([8], type="INT32"), out=[8]), out=[8, 1]))
    return g


def compared(op: str, value: float) -> Graph:
    g = Graph()
    x = g.input([1, 1, 1, 8], name="x")
    g.output(g.op("CAST", g.op(op, x, g.const(value, type="FLOAT32"), name="y"), out=[1, 1, 1, 8], type="FLOAT32"))
    return g


def test_an_index_that_is_computed_in_float() -> None:
    assert spoken(found(looked_up(4096), RULE)) == snapshot("""\
0/1:CAST: warning: a float is cast to an index into 4096 rows: integers above 2048 are not exact in half precision [fp16-float-index]
  help: compute indices and counts in INT32, which is exact; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize(("rows", "type", "count"), [(4096, "FLOAT32", 1), (2048, "FLOAT32", 0), (4096, "INT32", 0)])
def test_the_size_of_the_table_decides(rows: int, type: str, count: int) -> None:
    assert len(found(looked_up(rows, type), RULE)) == count


def test_a_known_range_decides() -> None:
    assert found(looked_up(4096), RULE, settings=stated(0, 31)) == ()
    assert len(found(looked_up(64), RULE, settings=stated(0, 63))) == 1


@pytest.mark.parametrize(
    ("op", "value", "count"),
    [
        ("EQUAL", 2049, 1),
        ("EQUAL", 2050, 0),
        ("EQUAL", 2047, 0),
        ("EQUAL", 4100, 1),
        ("GREATER", 2049, 0),
        ("LESS", 2049, 1),
        ("EQUAL", 0.5, 0),
        ("GREATER", 1e9, 0),
    ],
)
def test_comparisons_with_a_constant(op: str, value: float, count: int) -> None:
    assert len(found(compared(op, value), RULE)) == count


def test_comparisons_of_small_known_values_are_exact() -> None:
    assert found(compared("EQUAL", 2049), RULE, settings=stated(0, 100)) == ()


@pytest.mark.parametrize(("high", "count"), [(2048, 0), (2049, 1)])
def test_integers_cast_to_float(high: float, count: int) -> None:
    g = Graph()
    x = g.input([1, 1, 1, 8], type="INT32", name="x")
    g.output(g.op("ABS", g.op("CAST", x, out=[1, 1, 1, 8], type="FLOAT32")))
    assert len(found(g, RULE, settings=stated(0, high))) == count
    assert found(g, RULE) == ()


def test_a_cast_that_is_an_output_is_exact() -> None:
    g = Graph()
    g.output(g.op("CAST", g.input([1, 1, 1, 8], type="INT32", name="x"), out=[1, 1, 1, 8], type="FLOAT32"))
    assert found(g, RULE, settings=stated(0, 1e6)) == ()


@pytest.mark.parametrize(("type", "high", "count"), [("FLOAT32", 2049, 1), ("FLOAT32", 2047, 0), ("INT32", 60000, 0)])
def test_remainders(type: str, high: float, count: int) -> None:
    g = Graph()
    g.output(g.op("FLOOR_MOD", g.input([1, 1, 1, 8], type=type, name="x"), g.const(2, type=type)))
    assert len(found(g, RULE, settings=stated(0, high))) == count


@pytest.mark.parametrize(("step", "count"), [(5.0, 1), (4.0, 0), (0.25, 0), (16.0, 0)])
def test_a_float_table_of_integers(step: float, count: int) -> None:
    g = Graph()
    x = g.input([8], type="INT32", name="x")
    table = g.const([[index % 500 * step] for index in range(4000)], type="FLOAT32")
    g.output(g.op("GATHER", table, x, out=[8, 1]))
    assert len(found(g, RULE)) == count


def test_fp32_is_fine() -> None:
    assert found(looked_up(4096), RULE, precision="fp32") == ()
