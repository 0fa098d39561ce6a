"""Reducing and ranking: MEAN, SUM, the REDUCE family, ARG_MAX, CUMSUM, TOPK_V2, ONE_HOT, SOFTMAX.

Source: ReduceOperationParser and the parsers of these names in ml_drift_delegate/tflite/model_builder.cc and their
cases in tflite/tools/versioning/gpu_compatibility.cc, both v2.2.0; every condition measured on 2.1.2 to 2.3.0.
"""

from __future__ import annotations

from ...model import Tensor
from ...options import OneHotOptions, SoftmaxOptions
from ..conditions import (
    axis_in_range,
    constant_axes,
    constant_inputs,
    inputs_outputs,
    int32_values,
    is_scalar,
    max_version,
    operands_and_outputs,
    output_count,
    outputs_readable,
    raised_version,
    readable,
    real_constants_outputs,
    runtime_inputs,
)
from ..kernel import Kernel, Kernels, Types
from ..node import Node
from ..refusal import Refusals, parameter
from ..types import BASE_IN, BASE_OUT, BOOL, INT32, SIGNED


def reduce(n: Node) -> Refusals:
    """Every set of axes is accepted, batch and none included. No version test. Constants are counted since 2.1.6, and
    for MEAN always."""
    miscounted = next(real_constants_outputs(n, 1, 1, 1), None)
    if miscounted is not None:
        if n.op.name == "MEAN" or n.since("2.1.6"):
            yield miscounted
        yield from inputs_outputs(n, 1, 1)
    axes = yield from constant_axes(n)
    yield from readable(n, 0)
    data = n.input(0)
    for axis in axes:
        if data is not None:
            yield from axis_in_range(data, axis)
    yield from outputs_readable(n)


def arg_max(n: Node) -> Refusals:
    """No version test."""
    yield from _counts(n, 1)
    outputs = next(outputs_readable(n), None)
    if outputs is not None and n.since("2.1.5"):
        yield outputs
    axis = yield from int32_values(n, 1, is_scalar)
    data = n.input(0)
    if data is not None and axis:
        yield from axis_in_range(data, axis[0])
    yield from readable(n, 0)
    if outputs is not None:
        yield outputs


def _counts(n: Node, constants: int) -> Refusals:
    """One output and one runtime input. Up to 2.1.5 the constants are counted first and the outputs last, then the
    other way round."""
    tests = (output_count(n, 1), runtime_inputs(n, 1), constant_inputs(n, constants))
    said = [refusal for refusal in [next(test, None) for test in tests] if refusal is not None]
    if len(said) > 1 and n.before("2.1.6"):
        said.reverse()
    yield from said


def cumsum(n: Node) -> Refusals:
    """exclusive and reverse are not looked at."""
    yield from max_version(n, 1)
    data, axis, output = n.input(0), n.input(1), n.output(0)
    if len(n.inputs) != 2 or data is None or axis is None or output is None:
        yield parameter("Expects 2 inputs and 1 output")
        return
    if data.type not in ("FLOAT16", "FLOAT32") or output.type != data.type or axis.type != "INT32" or not axis.constant:
        yield parameter("Input/output must be float type and indices must be constant int32 type", data.index)
    yield from operands_and_outputs(n, outputs_first="2.1.6")


def top_k(n: Node) -> Refusals:
    yield from max_version(n, 1)
    yield from inputs_outputs(n, 1, 2)
    yield from readable(n, 0)
    count = n.input(1)
    if count is None:
        return
    if not count.constant:
        yield parameter("TopK k must be constant tensor.", count.index)
    if count.elements != 1:
        yield parameter("TopK k must be scalar.", count.index)
    yield from outputs_readable(n)


def one_hot(n: Node) -> Refusals:
    """Up to 2.1.6 gpu_compatibility.cc decides; from 2.2.0 the parser itself, which does not look at on and off."""
    yield from max_version(n, 1)
    indices, on, off = n.input(0), n.input(2), n.input(3)
    if indices is None or on is None or off is None:
        return
    options = n.options(OneHotOptions)
    axis = options.axis if options else 0
    # Not the number of the last axis but its extent.
    wrong_axis = axis != -1 and (indices.rank == 0 or axis != indices.shape[-1])
    if n.since("2.2.0"):
        yield from outputs_readable(n)
        if wrong_axis:
            yield parameter("OneHot axis must be -1 or the last dimension.", indices.index)
        if indices.rank >= 4 and indices.shape[3] != 1:
            yield parameter("OneHot indices channel dimension must be 1.", indices.index)
        yield from readable(n, 0)
        return
    words = (
        "Indices must be int32 type, on/off tensors must be constant, scalar, float type, axis must be -1 or last dim"
    )
    if indices.type != "INT32" or wrong_axis:
        yield parameter(words, indices.index)
    for position, extent in enumerate(indices.shape[:-1]):
        if extent != 1 and not (indices.rank > 3 and position == 0):
            spelling = "Unsupported" if n.since("2.1.6") else "Unspported"
            yield parameter(f"{spelling} non-singleton dim at {position}", indices.index)
    for value in (on, off):
        if value.type != "FLOAT32" or not value.constant or value.rank > 1 or value.elements > 1:
            yield parameter(words, value.index)
    yield from operands_and_outputs(n, outputs_first="2.1.6")


def softmax(n: Node) -> Refusals:
    yield from raised_version(n, 2, 4)
    options = n.options(SoftmaxOptions)
    if options is None or options.beta != 1:
        yield parameter("Softmax.beta != 1 is not supported.")
    yield from _counts(n, 0)
    yield from operands_and_outputs(n, outputs_first="2.1.6")


def _sum_in(n: Node) -> Types:
    return BASE_IN | SIGNED if _any(n.input(0), SIGNED) and n.since("2.1.3") else BASE_IN


def _sum_out(n: Node) -> Types:
    return BASE_OUT | SIGNED if _any(n.output(0), SIGNED) and n.since("2.1.3") else BASE_OUT


def _arg_max_in(n: Node) -> Types:
    return BASE_IN | INT32 if _any(n.input(0), INT32) and n.since("2.3.0") else BASE_IN


def _any(tensor: Tensor | None, types: Types) -> bool:
    """Whether a tensor is of one of these types: only then the release matters."""
    return tensor is not None and tensor.type in types


KERNELS: Kernels = {
    "ARG_MAX": Kernel(arg_max, _arg_max_in, INT32),
    "CUMSUM": Kernel(cumsum, BASE_IN, BASE_OUT),
    "MEAN": Kernel(reduce, BASE_IN, BASE_OUT),
    "ONE_HOT": Kernel(one_hot, BASE_IN | INT32, BASE_OUT),
    "REDUCE_ALL": Kernel(reduce, BOOL, BOOL),
    "REDUCE_ANY": Kernel(reduce, BOOL, BOOL),
    "REDUCE_MAX": Kernel(reduce, BASE_IN | SIGNED, BASE_OUT | SIGNED),
    "REDUCE_MIN": Kernel(reduce, BASE_IN | SIGNED, BASE_OUT | SIGNED),
    "REDUCE_PROD": Kernel(reduce, BASE_IN | SIGNED, BASE_OUT | SIGNED),
    "SOFTMAX": Kernel(softmax, BASE_IN, BASE_OUT),
    "SUM": Kernel(reduce, _sum_in, _sum_out),
    "TOPK_V2": Kernel(top_k, BASE_IN, BASE_OUT | INT32),
}
