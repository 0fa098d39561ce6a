from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity

RULE = "fp16-mask"


def runtime_mask(value: float, last: str = "SOFTMAX", inverted: bool = False) -> Graph:
    """SOFTMAX(x + m * value), or (1 - m)."""
    g = Graph()
    x, m = g.input([1, 4, 8, 8], name="x"), g.input([1, 1, 8, 8], name="m")
    if inverted:
        m = g.op("SUB", g.const(1.0, type="FLOAT32"), m, out=[1, 1, 8, 8])
    g.output(g.op(last, g.op("ADD", x, g.op("MUL", m, g.const(value, type="FLOAT32")), out=[1, 4, 8, 8])))
    return g


def constant_mask(value: float, whole_row: bool) -> Graph:
    rows = [[0.0] * 4 + [value] * 4 for _ in range(8)]
    if whole_row:
        rows[3] = [value] * 8
    g = Graph()
    x = g.input([1, 4, 8, 8], name="x")
    g.output(g.op("SOFTMAX", g.op("ADD", x, g.const([[rows]], type="FLOAT32", name="mask"))))
    return g


def test_a_runtime_mask_times_a_huge_factor() -> None:
    assert spoken(found(runtime_mask(-1e9), RULE)) == snapshot("""\
0/0:MUL: error: a mask times -1e+09 is NaN where it is 0: half precision rounds the factor to infinity, and every row of the SOFTMAX becomes NaN [fp16-mask]
  help: use -30000 as the factor (down to -65504 is right); or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_row_that_is_masked_whole() -> None:
    assert spoken(found(constant_mask(-1e9, True), RULE)) == snapshot("""\
0/0:ADD: error: 1 of 8 rows of the mask hide everything (at most -1e+09): SOFTMAX gives NaN there [fp16-mask]
  help: leave such rows out, or use -30000 and multiply the result by the mask: finite, and exact for the rest; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("inverted", [False, True])
def test_the_edge_is_65520(inverted: bool) -> None:
    assert [finding.severity for finding in found(runtime_mask(-65520, inverted=inverted), RULE)] == [Severity.ERROR]
    assert found(runtime_mask(-65519, inverted=inverted), RULE) == ()
    assert found(runtime_mask(-30000, inverted=inverted), RULE) == ()


def test_without_softmax_it_is_a_constant_like_any_other() -> None:
    assert found(runtime_mask(-1e9, "ABS"), RULE) == ()
    assert len(found(runtime_mask(-1e9, "ABS"), "fp16-overflow-constant")) == 1
    assert found(runtime_mask(-1e9), "fp16-overflow-constant") == ()


@pytest.mark.parametrize("value", [-1e9, -65504.0, -30000.0])
def test_a_constant_mask_with_something_left_in_every_row_is_fine(value: float) -> None:
    assert found(constant_mask(value, False), RULE) == ()


def test_a_whole_row_of_a_small_value_is_fine() -> None:
    assert found(constant_mask(-100.0, True), RULE) == ()
    assert [finding.severity for finding in found(constant_mask(-10000.0, True), RULE)] == [Severity.WARNING]


def test_fp32_is_fine() -> None:
    assert found(runtime_mask(-1e9), RULE, precision="fp32") == ()
