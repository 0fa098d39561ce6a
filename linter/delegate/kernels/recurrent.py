"""LSTM, in its full and its basic kernel. The sequence operators have no kernel.

Source: LSTMOperationParser in ml_drift_delegate/tflite/model_builder.cc, v2.2.0.
"""

from __future__ import annotations

from ...options import LSTMOptions
from ..conditions import (
    matrix_constant,
    max_version,
    output_count,
    outputs_readable,
    readable,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Refusals, parameter
from ..types import BASE_IN, BASE_OUT

_ACTIVATION_NUMBERS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3, "TANH": 4, "SIGN_BIT": 5}

_STATES = (1, 4)
"""Activation and state of the basic kernel. Its Prepare moves them to the persistent arena, constants as well."""


def lstm(n: Node) -> Refusals:
    yield from max_version(n, 4)
    options = n.options(LSTMOptions)
    if options is None:
        return
    yield from _basic(n, options) if options.kernel_type == "BASIC" else _full(n, options)


def _full(n: Node, options: LSTMOptions) -> Refusals:
    """GC, as the source has it: no such model comes here. With variable tensors for its states it fails to load, and
    without its CPU kernel refuses it (measured)."""
    if len(n.inputs) not in (20, 24):
        yield parameter(f"Expected 20 or 24 input tensors, but node has {len(n.inputs)} input(s).")
    if len(n.outputs) != 1:
        yield parameter(f"Expected 1 output tensor, but node has {len(n.outputs)} output(s).")
    yield from _tanh(options, "Only sigmoid or tanh activation is supported, but node has")


def _tanh(options: LSTMOptions, message: str) -> Refusals:
    activation = options.fused_activation_function
    if activation != "TANH":
        yield parameter(f"{message} {_ACTIVATION_NUMBERS.get(activation, 0)}")


def _basic(n: Node, options: LSTMOptions) -> Refusals:
    """Inputs: data, activation, weights, bias, state. Outputs: activation, state, concatenation, gates."""
    constants = sum([n.constant(position) for position in range(len(n.inputs)) if position not in _STATES])
    if constants != 2:
        yield parameter(f"Expected 2 const input tensor(s), but node has {constants} const input(s).")
    runtime = sum([tensor is not None for tensor in n.inputs]) - constants
    if runtime != 3:
        yield parameter(f"Expected 3 runtime input tensor(s), but node has {runtime} runtime input(s).")
    yield from output_count(n, 4)
    gates = n.output(3)
    if gates is not None and gates.shape and gates.shape[-1] % 4 and n.since("2.1.6"):
        yield parameter("BasicLSTM activation depth must be a multiple of 4.")
    yield from _tanh(options, "Only TANH activation is supported. but node has")
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
