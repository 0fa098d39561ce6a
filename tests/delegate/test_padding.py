"""What stands behind the last channel, as it was measured: by RSQRT and a sum over channels."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tflint.fixtures.builder import Graph, Quant, Tensor
from tflint.fixtures.hazards.parts import HW, Step, conv, dense, pool, reduced, weights
from tflint.linter.delegate.padding import paddings
from tflint.linter.reader import read

FIVE = [1, 4, 4, 5]


def behind(make: Callable[[Graph], Tensor]) -> float | None:
    """The value behind the last channel of the tensor that `make` gives."""
    g = Graph()
    result = make(g)
    g.output(result)
    model = read(g.build())
    found = paddings(model, model.subgraphs[0], lambda op: True).get(result.index)
    return None if found is None else found.value


def five(g: Graph) -> Tensor:
    return g.input(FIVE)


def nan(g: Graph) -> Tensor:
    return g.op("DIV", g.input(FIVE), np.ones(5, np.float32))


def depthwise(g: Graph, x: Tensor) -> Tensor:
    return g.op(
        "DEPTHWISE_CONV_2D", x, weights(1, 3, 3, 5), weights(5), padding="SAME", stride_h=1, stride_w=1,
        depth_multiplier=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(five, id="input"),
        pytest.param(lambda g: conv(g, g.input([1, 4, 4, 8]), 3, channels=5), id="CONV_2D"),
        pytest.param(lambda g: depthwise(g, five(g)), id="DEPTHWISE_CONV_2D"),
        pytest.param(lambda g: dense(g, g.input([1, 4, 4, 8]), 5), id="FULLY_CONNECTED"),
        pytest.param(lambda g: g.op("BATCH_MATMUL", g.input([1, 4, 4, 8]), g.input([1, 4, 8, 5])), id="BATCH_MATMUL"),
        pytest.param(lambda g: pool(g, five(g), "MAX", 2), id="MAX_POOL_2D"),
        pytest.param(lambda g: reduced(g, "MEAN", five(g), 1, 2), id="MEAN"),
        pytest.param(lambda g: reduced(g, "REDUCE_MAX", five(g), 2), id="REDUCE_MAX"),
        pytest.param(lambda g: g.op("RESHAPE", g.op("EXP", g.input([1, 5, 4, 4])), FIVE), id="RESHAPE"),
        pytest.param(lambda g: g.op("TRANSPOSE", g.input([1, 4, 5, 4]), [0, 1, 3, 2]), id="TRANSPOSE of channels"),
        pytest.param(lambda g: g.op("SLICE", g.input([1, 6, 4, 5]), [0, 1, 0, 0], FIVE), id="SLICE of the height"),
        pytest.param(
            lambda g: g.op("CONCATENATION", g.input([1, 4, 4, 4]), g.input([1, 4, 4, 1]), axis=3), id="CONCATENATION"
        ),
        pytest.param(lambda g: g.op("PAD", g.input([1, 2, 2, 5]), HW), id="PAD"),
        pytest.param(lambda g: g.op("DEPTH_TO_SPACE", g.input([1, 4, 4, 20]), block_size=2), id="DEPTH_TO_SPACE"),
        pytest.param(
            lambda g: g.op("DEQUANTIZE", g.op("QUANTIZE", five(g), type="INT8", quant=Quant(0.05, 3))), id="DEQUANTIZE"
        ),
    ],
)
def test_zeros(make: Callable[[Graph], Tensor]) -> None:
    assert behind(make) == 0.0


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda g: g.op("SOFTMAX", five(g)), id="SOFTMAX"),
        pytest.param(lambda g: g.op("SLICE", g.input([1, 4, 4, 8]), [0, 0, 0, 0], FIVE), id="SLICE of channels"),
        pytest.param(lambda g: g.op("SPLIT", 3, g.input([1, 4, 4, 10]), num_splits=2)[1], id="SPLIT of channels"),
        pytest.param(lambda g: g.op("TILE", g.input([1, 2, 4, 5]), [1, 2, 1, 1]), id="TILE"),
        pytest.param(lambda g: g.op("ADD", five(g), g.input([1, 4, 4, 1])), id="ADD of a column"),
        pytest.param(lambda g: g.op("LOG", five(g)), id="LOG of 0"),
        pytest.param(lambda g: reduced(g, "SUM", five(g), 3), id="SUM over channels"),
    ],
)
def test_unknown(make: Callable[[Graph], Tensor]) -> None:
    assert behind(make) is None


@pytest.mark.parametrize(
    ("step", "value"),
    [
        (lambda g, x: g.op("EXP", x), 1.0),
        (lambda g, x: g.op("LOGISTIC", x), 0.5),
        (lambda g, x: g.op("ADD", x, np.float32(3)), 3.0),
        (lambda g, x: g.op("ADD", x, weights(5)), 0.0),
        (lambda g, x: g.op("SUB", np.float32(3), x, fused_activation_function="RELU6"), 3.0),
        (lambda g, x: g.op("SUB", x, np.float32(3), fused_activation_function="RELU"), 0.0),
        (lambda g, x: g.op("DIV", x, np.float32(2)), 0.0),
        (lambda g, x: g.op("DIV", np.float32(2), g.op("EXP", x)), 2.0),
        (lambda g, x: g.op("RSQRT", x), math.inf),
        (lambda g, x: g.op("RELU", g.op("RSQRT", x)), math.inf),
        (lambda g, x: g.op("DIV", np.float32(-2), x), -math.inf),
    ],
)
def test_arithmetic(step: Step, value: float) -> None:
    assert behind(lambda g: step(g, five(g))) == value


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        (lambda g, x: g.op("ABS", x), True),
        (lambda g, x: g.op("GELU", x), True),
        (lambda g, x: g.op("MUL", x, g.input([1, 4, 4, 1])), True),
        (lambda g, x: g.op("RESIZE_BILINEAR", x, [8, 8]), True),
        (lambda g, x: g.op("CONCATENATION", g.input(FIVE), x, axis=2), True),
        (depthwise, True),
        (lambda g, x: pool(g, x, "AVERAGE", 2), True),
        (lambda g, x: g.op("TRANSPOSE", x, [0, 2, 1, 3]), True),
        (lambda g, x: g.op("BATCH_MATMUL", g.input([1, 4, 3, 4]), x), True),
        (lambda g, x: g.op("BATCH_MATMUL", g.input([1, 4, 3, 5]), x, adj_y=True), False),
        (lambda g, x: pool(g, x, "MAX", 2), False),
        (lambda g, x: g.op("RELU", x), False),
        (lambda g, x: g.op("MAXIMUM", x, np.float32(-9)), False),
        (lambda g, x: g.op("TANH", x), False),
        (lambda g, x: g.op("RESHAPE", x, [1, 2, 8, 5]), False),
    ],
)
def test_not_a_number_is_carried_or_not(step: Step, kept: bool) -> None:
    found = behind(lambda g: step(g, nan(g)))
    assert (found is not None and math.isnan(found)) is kept
