from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity

RULE = "fp16-overflow-constant"


def with_constant(op: str, value: float, shape: list[int] | None = None, *, first: bool = False) -> Graph:
    """x and a constant, in this order unless `first`."""
    g = Graph()
    x = g.input([1, 1, 4, 8], name="x")
    c = g.const(shape=[] if shape is None else shape, fill=value, name="c")
    g.output(g.op(op, c, x, out=[1, 1, 4, 8]) if first else g.op(op, x, c))
    return g


def test_a_factor_beyond_the_largest_half() -> None:
    assert spoken(found(with_constant("MUL", 1e9), RULE)) == snapshot("""\
0/0:MUL: error: MUL by a constant of 1e+09, which half precision rounds to infinity: the result is infinite for every x, and NaN where x is 0 [fp16-overflow-constant]
  help: multiply by a constant of at most 65504, or split the factor so that every product fits; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_factor_that_is_rounded() -> None:
    assert spoken(found(with_constant("MUL", 1e-7), RULE)) == snapshot("""\
0/0:MUL: error: MUL by a constant of 1e-07, which half precision rounds by 19 % [fp16-overflow-constant]
  help: split the factor into two that are both above 1e-4, one operator each; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("shape", [[], [8], [1, 1, 4, 8]])
@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "DIV"])
def test_the_edge_is_65520_in_every_shape(op: str, shape: list[int]) -> None:
    assert [finding.severity for finding in found(with_constant(op, 65520, shape), RULE)] == [Severity.ERROR]
    assert found(with_constant(op, 60000, shape), RULE) == ()


def test_65519_is_a_fine_factor() -> None:
    assert found(with_constant("MUL", 65519), RULE) == ()
    assert found(with_constant("DIV", 65519), RULE) == ()


def test_a_sum_close_to_the_largest_half_is_a_warning() -> None:
    assert [finding.severity for finding in found(with_constant("ADD", 65504), RULE)] == [Severity.WARNING]


@pytest.mark.parametrize(
    ("op", "value", "severity"),
    [
        ("MUL", 2.9e-8, Severity.ERROR),
        ("DIV", 2.9e-8, Severity.ERROR),
        ("MUL", 1e-7, Severity.ERROR),
        ("MUL", 1e-6, Severity.WARNING),
        ("MUL", 6e-8, None),
        ("MUL", 1e-5, None),
        ("MUL", 6.1e-5, None),
        ("ADD", 1e-9, None),
    ],
)
def test_small_constants(op: str, value: float, severity: Severity | None) -> None:
    assert [finding.severity for finding in found(with_constant(op, value), RULE)] == [severity] * (
        severity is not None
    )


@pytest.mark.parametrize("value", [1e9, 3.4e38])
def test_bounds_that_no_value_reaches_are_right(value: float) -> None:
    assert found(with_constant("MINIMUM", value), RULE) == ()
    assert found(with_constant("MAXIMUM", -value), RULE) == ()


@pytest.mark.parametrize("value", [1e9, 3.4e38])
def test_bounds_that_every_value_reaches_are_infinite(value: float) -> None:
    assert [finding.severity for finding in found(with_constant("MAXIMUM", value), RULE)] == [Severity.ERROR]
    assert [finding.severity for finding in found(with_constant("MINIMUM", -value), RULE)] == [Severity.ERROR]


def test_infinity_is_infinite_in_fp32_too() -> None:
    assert found(with_constant("MUL", float("inf")), RULE) == ()


def test_a_vector_is_judged_by_its_greatest() -> None:
    g = Graph()
    x = g.input([1, 1, 4, 8], name="x")
    g.output(g.op("MUL", x, g.const([1e-7] * 7 + [1.0], type="FLOAT32")))
    assert found(g, RULE) == ()


def test_a_sum_that_is_clipped_again_is_fine() -> None:
    for clip, expected in (("MINIMUM", 0), ("MAXIMUM", 1)):
        g = Graph()
        x = g.input([1, 1, 4, 8], name="x")
        g.output(g.op(clip, g.op("ADD", x, g.const(100000.0, type="FLOAT32")), g.const(1000.0, type="FLOAT32")))
        assert len(found(g, RULE)) == expected


def test_a_constant_mask_before_softmax_is_fine() -> None:
    for last, expected in (("SOFTMAX", 0), ("ABS", 1)):
        g = Graph()
        x = g.input([1, 4, 8, 8], name="x")
        mask = g.const([[[[0.0] * 4 + [-1e9] * 4] * 8]], type="FLOAT32")
        g.output(g.op(last, g.op("ADD", x, mask)))
        assert len(found(g, RULE)) == expected


def test_a_split_factor_is_fine() -> None:
    g = Graph()
    x = g.input([1, 1, 4, 8], name="x")
    g.output(g.op("MUL", g.op("MUL", x, g.const(1e-4, type="FLOAT32")), g.const(1e-4, type="FLOAT32")))
    assert found(g, RULE) == ()


def test_stripped_weights_say_nothing() -> None:
    assert found(with_constant("MUL", 0.0, [8]), RULE) == ()


def test_every_backend_stores_halves_and_fp32_does_not() -> None:
    model = with_constant("MUL", 1e9)
    assert [finding.severity for finding in found(model, RULE, backend="metal")] == [Severity.ERROR]
    assert found(model, RULE, precision="fp32") == ()
