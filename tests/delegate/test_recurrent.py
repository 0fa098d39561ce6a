"""The basic LSTM kernel: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, answers

from tflint.fixtures.builder import Graph
from tflint.fixtures.probes.single import Operand, constant, runtime

ALL = "2.1.2-2.3.0"


def cell(
    units: int = 4,
    weights: Callable[..., Operand] = constant,
    state: Callable[..., Operand] = runtime,
    **keywords: object,
) -> str:
    """Data of width 4; activation, weights, bias and state follow it."""

    def build() -> bytes:
        graph = Graph()
        shapes = ((1, 4), (1, units), (4 * units, 4 + units), (4 * units,), (1, units))
        makers = (runtime, runtime, weights, constant, state)
        operands = [make(shape).make(graph) for make, shape in zip(makers, shapes, strict=True)]
        out = [[1, units], [1, units], [1, 4 + units], [1, 4 * units]]
        fields = {"version": 2, "kernel_type": "BASIC", "fused_activation_function": "TANH", **keywords}
        graph.output(*graph.op("LSTM", *operands, out=out, **fields))
        return graph.build()

    return answers(build)


def test_a_float_cell_is_taken() -> None:
    for version in range(1, 5):
        assert cell(version=version) == ACCEPTED
    assert cell(version=5) == f"{ALL} Max version supported: 4. Requested version 5."


@pytest.mark.parametrize(("activation", "number"), [("NONE", 0), ("RELU", 1), ("RELU6", 3), ("SIGN_BIT", 5), (9, 0)])
def test_only_tanh(activation: str | int, number: int) -> None:
    said = cell(fused_activation_function=activation)
    assert said == f"{ALL} Only TANH activation is supported. but node has {number}"


def test_clipping() -> None:
    assert cell(cell_clip=0.0, proj_clip=0.0) == ACCEPTED
    assert cell(cell_clip=1.0) == f"{ALL} cell_clip is not supported."
    assert cell(proj_clip=1.0) == f"{ALL} proj_clip is not supported."


def test_weights_are_constant_and_states_count_as_runtime() -> None:
    said = cell(weights=runtime)
    assert said == f"{ALL} Expected 2 const input tensor(s), but node has 1 const input(s)."
    assert cell(state=constant) == ACCEPTED


def test_the_full_kernel_is_the_default() -> None:
    said = cell(kernel_type="FULL")
    assert said == f"{ALL} Expected 20 or 24 input tensors, but node has 5 input(s)."
