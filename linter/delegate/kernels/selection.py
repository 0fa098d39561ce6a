"""Choosing and dividing: SELECT, SELECT_V2, SPLIT, SPLIT_V.

Source: SelectOperationParser, SplitOperationParser and SplitVOperationParser in
ml_drift_delegate/tflite/model_builder.cc, v2.2.0; all conditions measured on 2.1.2 to 2.3.0.
"""

from __future__ import annotations

from ...model import Tensor
from ...options import SplitOptions, SplitVOptions
from ..conditions import (
    axis_in_range,
    constant_inputs,
    max_version,
    outputs_readable,
    readable,
    runtime_inputs,
    runtime_or_constant,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Refusals, parameter
from ..types import ANY_IN, ANY_OUT, BASE_IN, BASE_OUT

_SELECT_SHAPES = (
    "Cond must be float or bool type, if, else tensors must be either be same the shape as output or constant, scalar."
)


def _fits_output(value: Tensor, output: Tensor) -> bool:
    """A branch of SELECT: a scalar, at most one element of rank 1, or the very shape of the output. Broadcasting is
    not known here."""
    return value.rank == 0 or value.shape == output.shape or (value.rank == 1 and value.elements <= 1)


def select(n: Node) -> Refusals:
    yield from max_version(n, 1)
    condition, chosen, other = n.input(0), n.input(1), n.input(2)
    output = n.output(0)
    if len(n.inputs) != 3 or len(n.outputs) != 1:
        yield parameter("Expected 3 inputs and 1 output")
    if condition is None or chosen is None or other is None or output is None:
        yield parameter("Expected 3 inputs and 1 output")
        return
    if condition.type not in ("BOOL", "FLOAT16", "FLOAT32"):
        yield parameter(_SELECT_SHAPES, condition.index)
    for value in (chosen, other):
        if not _fits_output(value, output):
            yield parameter(_SELECT_SHAPES, value.index)
    for position in range(3):
        yield from runtime_or_constant(n, position)
    yield from outputs_readable(n)


def split(n: Node) -> Refusals:
    """No version test. With one output it is taken for a copy of its first input, which is the axis."""
    options = n.options(SplitOptions)
    if options is not None and options.num_splits == 1:
        yield from outputs_readable(n)
        yield from readable(n, 0)
        return
    yield from _axis_in_range(n, data=1, axis=0)
    yield from readable(n, 1)
    yield from outputs_readable(n)


def split_v(n: Node) -> Refusals:
    """No version test. The sizes are not looked at."""
    if n.since("2.1.6"):
        yield from runtime_inputs(n, 1)
        yield from constant_inputs(n, 2)
        yield from outputs_readable(n)
    else:
        yield from constant_inputs(n, 2)
        yield from runtime_inputs(n, 1)
    yield from readable(n, 0)
    options = n.options(SplitVOptions)
    if options is None or options.num_splits != 1:
        yield from _axis_in_range(n, data=0, axis=2)
    yield from outputs_readable(n)


def _axis_in_range(n: Node, data: int, axis: int) -> Refusals:
    """The axis is read without asking whether it is there: a runtime axis makes the outputs dynamic, and the
    delegate is not asked."""
    tensor, where = n.input(data), n.input(axis)
    values = None if where is None else n.integers(where)
    if tensor is not None and values:
        yield from axis_in_range(tensor, values[0])


KERNELS: Kernels = {
    "SELECT": Kernel(select, ANY_IN, ANY_OUT),
    "SELECT_V2": Kernel(select, ANY_IN, ANY_OUT),
    "SPLIT": Kernel(split, BASE_IN, BASE_OUT),
    "SPLIT_V": Kernel(split_v, BASE_IN, BASE_OUT),
}
