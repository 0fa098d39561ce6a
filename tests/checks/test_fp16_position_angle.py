from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "fp16-position-angle"
FREQUENCIES = [10000 ** (-index / 32) for index in range(32)]


def stated(high: float) -> Settings:
    return Settings(input_ranges=(("x", 0, high),))


def rope(op: str = "SIN", positions: int = 16, type: str = "FLOAT32", form: str = "MUL") -> Graph:
    g = Graph()
    x = g.input([1, 1, positions, 1], type=type, name="x")
    if type != "FLOAT32":
        x = g.op("CAST", x, out=[1, 1, positions, 1], type="FLOAT32", name="positions")
    if form == "BATCH_MATMUL":
        angle = g.op("BATCH_MATMUL", x, g.const([[[FREQUENCIES]]], type="FLOAT32"), out=[1, 1, positions, 32])
    else:
        angle = g.op("MUL", x, g.const([[[FREQUENCIES]]], type="FLOAT32"), out=[1, 1, positions, 32])
    g.output(g.op(op, angle))
    if op == "SIN":
        g.output(g.op("COS", angle))
    return g


def test_more_positions_than_halves_resolve() -> None:
    assert spoken(found(rope(positions=512), RULE)) == snapshot("""\
0/1:SIN: warning: SIN of 512 positions times frequencies to 1: an angle of 511 is rounded to steps of 0.25 in half precision [fp16-position-angle]
  help: GATHER the rows of a constant SIN and COS table by INT32 positions, or feed SIN and COS as inputs; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_unknown_positions() -> None:
    assert spoken(found(rope(), RULE)) == snapshot("""\
0/1:SIN: info: SIN of positions that are not known times frequencies to 1: above an angle of 64 half precision rounds it by more than 1 % of the result [fp16-position-angle]
  help: GATHER the rows of a constant SIN and COS table by INT32 positions, or feed SIN and COS as inputs; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("form", ["MUL", "BATCH_MATMUL"])
@pytest.mark.parametrize("type", ["FLOAT32", "INT32"])
def test_a_stated_range_decides(type: str, form: str) -> None:
    model = rope(type=type, form=form)
    assert [finding.severity for finding in found(model, RULE, settings=stated(127))] == [Severity.WARNING]
    assert found(model, RULE, settings=stated(63)) == ()


def test_the_number_of_positions_decides() -> None:
    assert [finding.severity for finding in found(rope(positions=256), RULE)] == [Severity.WARNING]
    assert [finding.severity for finding in found(rope(positions=64), RULE)] == [Severity.INFO]


def test_a_table_is_right() -> None:
    g = Graph()
    x = g.input([16], type="INT32", name="x")
    g.output(g.op("GATHER", g.const(shape=[4096, 32], fill=0.5), x, out=[16, 32]))
    assert found(g, RULE) == ()


@pytest.mark.parametrize(("peak", "count"), [(32, 0), (33, 1), (60000, 1)])
@pytest.mark.parametrize("remainder", [False, True])
def test_sin_of_any_values(peak: float, count: int, remainder: bool) -> None:
    g = Graph()
    x = g.input([1, 1, 1, 8], name="x")
    g.output(g.op("SIN", g.op("FLOOR_MOD", x, 6.2831855) if remainder else x))
    assert len(found(g, RULE, settings=stated(peak))) == count
    assert found(g, RULE) == ()


def test_fp32_is_fine() -> None:
    assert found(rope(positions=512), RULE, precision="fp32") == ()
