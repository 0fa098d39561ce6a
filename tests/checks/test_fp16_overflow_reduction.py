from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "fp16-overflow-reduction"


def reduced(op: str = "SUM", side: int = 64, before: str = "", factor: float | None = None) -> Graph:
    """A reduction over height and width."""
    g = Graph()
    x = g.input([1, side, side, 8], name="x")
    if before:
        x = g.op(before, x)
    if factor is not None:
        x = g.op("MUL", x, g.const(factor, type="FLOAT32"))
    g.output(g.op(op, x, g.const([1, 2], type="INT32"), out=[1, 1, 1, 8], keep_dims=True, name="y"))
    return g


def stated(low: float, high: float) -> Settings:
    return Settings(input_ranges=(("x", low, high),))


def test_a_long_sum_of_unknown_values() -> None:
    assert spoken(found(reduced(), RULE)) == snapshot("""\
0/0:SUM: warning: the SUM of 4096 values overflows above a mean of 16 of x [fp16-overflow-reduction]
  help: multiply by 1/n before the SUM, or use MEAN; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_mean_on_a_phone() -> None:
    assert spoken(found(reduced("MEAN", 112), RULE, backend="opencl")) == snapshot("""\
0/0:MEAN: warning: the running total of this MEAN of 12544 values overflows above a mean of 5.22 of x, as reported for this backend [fp16-overflow-reduction]
  help: average in two steps of a few hundred values each (AVERAGE_POOL_2D, or one axis at a time); or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize(("side", "severity"), [(4, None), (16, Severity.INFO), (64, Severity.WARNING)])
def test_the_length_decides_what_is_ordinary(side: int, severity: Severity | None) -> None:
    assert [finding.severity for finding in found(reduced(side=side), RULE)] == [severity] * (severity is not None)


@pytest.mark.parametrize(
    ("low", "high", "severity"),
    [
        (0, 15, None),
        (0, 20, Severity.INFO),
        (0, 40, Severity.WARNING),
        (17, 17, Severity.ERROR),
        (-100, 100, Severity.INFO),
    ],
)
def test_stated_ranges(low: float, high: float, severity: Severity | None) -> None:
    findings = found(reduced(), RULE, settings=stated(low, high))
    assert [finding.severity for finding in findings] == [severity] * (severity is not None)


@pytest.mark.parametrize(("before", "count"), [("LOGISTIC", 0), ("TANH", 0), ("RELU6", 0), ("SOFTMAX", 0), ("RELU", 1)])
def test_bounded_producers_prove_it_safe(before: str, count: int) -> None:
    assert len(found(reduced(before=before), RULE)) == count


def test_scaling_first_is_the_rewrite() -> None:
    assert found(reduced(factor=1 / 4096), RULE) == ()


def test_mean_accumulates_in_fp32_on_webgpu() -> None:
    assert found(reduced("MEAN", 112), RULE) == ()
    assert found(reduced("MEAN", 7), RULE, backend="metal") == ()
    assert found(reduced("MEAN", 112, before="LOGISTIC"), RULE, backend="metal") == ()


def test_fp32_is_fine() -> None:
    assert found(reduced(), RULE, precision="fp32") == ()
