"""LSTM, in its full and its basic kernel. The sequence operators have no kernel.

Source: LSTMOperationParser in ml_drift_delegate/tflite/model_builder.cc, v2.2.0.
"""

from __future__ import annotations

from ...options import LSTMOptions
from ..conditions import (
    matrix_constant,
    max_version,
    outputs_readable,
    readable,
    real_constants_outputs,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Refusals, parameter
from ..types import BASE_IN, BASE_OUT

_ACTIVATION_NUMBERS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3, "TANH": 4, "SIGN_BIT": 5}


def lstm(n: Node) -> Refusals:
    yield from max_version(n, 4)
    options = n.options(LSTMOptions)
    if options is None:
        return
    yield from _basic(n, options) if options.kernel_type == "BASIC" else _full(n, options)


def _full(n: Node, options: LSTMOptions) -> Refusals:
    if len(n.inputs) not in (20, 24):
        yield parameter(f"Expected 20 or 24 input tensors, but node has {len(n.inputs)} input(s).")
    if len(n.outputs) != 1:
        yield parameter(f"Expected 1 output tensor, but node has {len(n.outputs)} output(s).")
    if options.fused_activation_function != "TANH":
        number = _ACTIVATION_NUMBERS.get(options.fused_activation_function, 0)
        yield parameter(f"Only sigmoid or tanh activation is supported, but node has {number}")
    yield from outputs_readable(n)


def _basic(n: Node, options: LSTMOptions) -> Refusals:
    """Inputs: data, activation, weights, bias, state. Outputs: activation, state, concatenation, gates."""
    yield from real_constants_outputs(n, 3, 2, 4)
    gates = n.output(3)
    if gates is not None and gates.shape and gates.shape[-1] % 4 and n.since("2.1.6"):
        yield parameter("BasicLSTM activation depth must be a multiple of 4.")
    if options.fused_activation_function != "TANH":
        number = _ACTIVATION_NUMBERS.get(options.fused_activation_function, 0)
        yield parameter(f"Only TANH activation is supported. but node has {number}")
    if options.cell_clip != 0:
        yield parameter("cell_clip is not supported.")
    if options.proj_clip != 0:
        yield parameter("proj_clip is not supported.")
    yield from outputs_readable(n)
    if len(n.inputs) != 5:
        yield parameter("LSTM should have 5 input tensors")
    yield from matrix_constant(n, 2)
    for position in (0, 1, 4):
        yield from readable(n, position)


KERNELS: Kernels = {"LSTM": Kernel(lstm, BASE_IN, BASE_OUT)}
