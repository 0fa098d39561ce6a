from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "fp16-overflow-norm"


def reach(limit: float) -> Settings:
    return Settings(input_ranges=(("x", -limit, limit),))


def rms(
    square: str = "MUL", reduction: str = "MEAN", root: str = "RSQRT", channels: int = 64, scale: float = 1
) -> Graph:
    g = Graph()
    x = g.input([1, 1, 8, channels], name="x")
    if scale != 1:
        x = g.op("MUL", x, g.const(scale, type="FLOAT32"))
    if square == "POW":
        squared = g.op("POW", x, g.const(2.0, type="FLOAT32"))
    else:
        squared = g.op("SQUARE", x) if square == "SQUARE" else g.op("MUL", x, x)
    total = g.op(reduction, squared, g.const([3], type="INT32"), out=[1, 1, 8, 1], keep_dims=True)
    shifted = g.op("ADD", total, g.const(1e-6, type="FLOAT32"))
    if root == "RSQRT":
        g.output(g.op("MUL", x, g.op("RSQRT", shifted)))
    elif root == "POW":
        g.output(g.op("MUL", x, g.op("POW", shifted, g.const(-0.5, type="FLOAT32"), out=[1, 1, 8, 1])))
    else:
        g.output(g.op("DIV", x, g.op("SQRT", shifted)))
    return g


def layer_norm(
    *,
    square: str = "MUL",
    reduction: str = "MEAN",
    join: str = "ADD",
    root: str = "RSQRT",
    axes: tuple[int, ...] = (3,),
    again: str = "",
    shape: tuple[int, ...] = (1, 4, 8, 64),
    epsilon_shape: tuple[int, ...] = (),
    swapped: bool = False,
    keep_dims: bool = True,
) -> Graph:
    """LayerNorm; `again` is what is an output too: `d` or `variance`."""
    g = Graph()
    x = g.input(list(shape), name="x")
    axis = g.const(list(axes), type="INT32")
    small = [1 if index in [a % len(shape) for a in axes] else extent for index, extent in enumerate(shape)]
    count = 1
    for a in axes:
        count *= shape[a]

    def mean(tensor: Tensor) -> Tensor:
        made = g.op(reduction, tensor, axis, out=small, keep_dims=keep_dims)
        return made if reduction == "MEAN" else g.op("MUL", made, g.const(1 / count, type="FLOAT32"))

    mu = mean(x)
    d = g.op("SUB", x, mu, name="d")
    if square == "SQUARED_DIFFERENCE":
        squared = g.op("SQUARED_DIFFERENCE", x, mu)
    elif square == "TWICE":
        squared = g.op("MUL", d, g.op("SUB", x, mu))
    elif square == "POW":
        squared = g.op("POW", d, g.const(2.0, type="FLOAT32"))
    else:
        squared = g.op("SQUARE", d) if square == "SQUARE" else g.op("MUL", d, d)
    variance = mean(squared)
    epsilon = g.const(shape=list(epsilon_shape), fill=1e-5)
    pair = (epsilon, variance) if swapped else (variance, epsilon)
    shifted = g.op(join, *pair, out=small)
    if root == "RSQRT":
        inverse = g.op("RSQRT", shifted)
        g.output(g.op("MUL", *((inverse, d) if swapped else (d, inverse)), out=list(shape)))
    else:
        g.output(g.op("DIV", d, g.op("SQRT", shifted)))
    if again:
        g.output({"d": d, "variance": variance}[again])
    return g


def test_unknown_values() -> None:
    assert spoken(found(rms(), RULE)) == snapshot("""\
0/0:MUL: info: the squares of this RMSNorm overflow above |x| = 256, and the row becomes 0 [fp16-overflow-norm]
  help: divide by MAXIMUM(REDUCE_MAX(ABS(x)), 1e-3) first, or take the first half of a LayerNorm of CONCATENATION(x, -x): both exact; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_sum_of_many_squares_overflows_at_ordinary_values() -> None:
    assert spoken(found(rms(reduction="SUM", channels=4096), RULE)) == snapshot("""\
0/0:MUL: warning: the sum of 4096 squares of this L2 norm overflows above |x| = 4 (root mean square), and the row becomes 0 [fp16-overflow-norm]
  help: divide by MAXIMUM(REDUCE_MAX(ABS(x)), 1e-3) first, or take the first half of a LayerNorm of CONCATENATION(x, -x): both exact; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_a_stated_range() -> None:
    assert spoken(found(layer_norm(square="SQUARED_DIFFERENCE"), RULE, settings=reach(400))) == snapshot("""\
0/2:SQUARED_DIFFERENCE: warning: the squares of this LayerNorm overflow above |x - mean| = 256, and the row becomes 0; x is -400 to 400 [fp16-overflow-norm]
  help: write it MEAN, SUB, MUL(d, d), MEAN, ADD, RSQRT, MUL(d, ·) over the last axis, read by nothing else: the delegate fuses that form and computes in fp32 inside; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("square", ["MUL", "SQUARE", "POW"])
@pytest.mark.parametrize("root", ["RSQRT", "SQRT", "POW"])
def test_every_way_to_write_an_rms_norm(square: str, root: str) -> None:
    model = rms(square=square, root=root)
    assert [finding.severity for finding in found(model, RULE)] == [Severity.INFO]
    assert [finding.severity for finding in found(model, RULE, settings=reach(300))] == [Severity.WARNING]
    assert found(model, RULE, settings=reach(250)) == ()


@pytest.mark.parametrize(
    ("channels", "severity"), [(16, Severity.INFO), (256, Severity.WARNING), (4096, Severity.WARNING)]
)
def test_the_length_of_a_sum_decides_from_where_on(channels: int, severity: Severity) -> None:
    assert [finding.severity for finding in found(rms(reduction="SUM", channels=channels), RULE)] == [severity]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"square": "SQUARE"},
        {"shape": (8, 64), "axes": (1,)},
        {"shape": (1, 8, 64), "axes": (2,)},
        {"shape": (2, 1, 8, 5)},
        {"axes": (-1,)},
        {"epsilon_shape": (1,)},
        {"epsilon_shape": (1, 1, 1, 1)},
        {"swapped": True},
    ],
)
def test_the_form_that_is_fused_is_right_at_any_magnitude(options: dict[str, object]) -> None:
    model = layer_norm(**options)  # type: ignore[arg-type]
    assert found(model, RULE) == ()
    assert found(model, RULE, settings=reach(20000)) == ()


@pytest.mark.parametrize(
    "options",
    [
        {"square": "SQUARED_DIFFERENCE"},
        {"square": "TWICE"},
        {"square": "POW"},
        {"reduction": "SUM"},
        {"join": "MAXIMUM"},
        {"root": "SQRT"},
        {"axes": (2,)},
        {"axes": (1, 2)},
        {"axes": (2, 3)},
        {"again": "d"},
        {"again": "variance"},
    ],
)
def test_forms_that_break(options: dict[str, object]) -> None:
    model = layer_norm(**options)  # type: ignore[arg-type]
    assert len(found(model, RULE)) == 1
    assert [finding.severity for finding in found(model, RULE, settings=reach(1000))] == [Severity.WARNING]


def test_a_bounded_producer_is_safe() -> None:
    for op, count in (("RELU6", 0), ("TANH", 0), ("RELU", 1)):
        g = Graph()
        x = g.op(op, g.input([1, 1, 8, 64], name="x"))
        mean = g.op("MEAN", g.op("MUL", x, x), g.const([3], type="INT32"), out=[1, 1, 8, 1], keep_dims=True)
        g.output(g.op("MUL", x, g.op("RSQRT", g.op("ADD", mean, g.const(1e-6, type="FLOAT32")))))
        assert len(found(g, RULE)) == count, op


def test_a_scaled_input_moves_the_limit() -> None:
    assert "16384" in found(rms(scale=1 / 64), RULE)[0].message.replace("1.64e+04", "16384")
    assert found(rms(scale=1 / 64), RULE, settings=reach(4000)) == ()
    assert len(found(rms(scale=1 / 64), RULE, settings=reach(20000))) == 1


def test_the_advised_rewrite_of_an_rms_norm_is_silent() -> None:
    g = Graph()
    x = g.input([1, 1, 8, 64], name="x")
    axis = g.const([3], type="INT32")
    top = g.op("REDUCE_MAX", g.op("ABS", x), axis, out=[1, 1, 8, 1], keep_dims=True)
    y = g.op("DIV", x, g.op("MAXIMUM", top, g.const(1e-3, type="FLOAT32")))
    mean = g.op("MEAN", g.op("MUL", y, y), axis, out=[1, 1, 8, 1], keep_dims=True)
    g.output(g.op("MUL", y, g.op("RSQRT", g.op("ADD", mean, g.const(1e-6, type="FLOAT32")))))
    assert found(g, RULE) == ()
    assert found(g, RULE, settings=reach(20000)) == ()


def test_fp32_is_fine() -> None:
    assert found(rms(), RULE, precision="fp32") == ()
