"""What stands behind the last channel.

The delegate stores channels in groups of four. Where their number is not a multiple of 4, the last group has places
that belong to no channel. They hold 0 at first, and elementwise operators compute on them like on any other place: EXP
makes them 1, and a division by a tensor of as many channels makes them 0/0. Kernels that add up channels multiply
these places by 0 instead of leaving them out, which helps unless they hold an infinity or not-a-number.

All of it was measured, operator by operator, on 2.3.0; the faults that follow from it on every release."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..constants import integers, scalar
from ..model import Model, Operator, Subgraph, Tensor
from ..options import BatchMatMulOptions, ConcatenationOptions, CumsumOptions
from .layout import layout


class Padding(NamedTuple):
    """The value behind the last channel, and the operator that made it infinite or not-a-number."""

    value: float
    maker: int | None = None

    @property
    def finite(self) -> bool:
        return math.isfinite(self.value)


ZERO = Padding(0.0)
NAN = math.nan
Function = Callable[..., "float | None"]


def channels(tensor: Tensor) -> int:
    """How many channels the delegate gives a tensor."""
    if tensor.constant:
        return tensor.shape[-1] if tensor.rank else 1
    extents = layout(tensor.shape)
    return extents.channels if extents is not None else 0


def paddings(model: Model, graph: Subgraph, on_gpu: Callable[[Operator], bool]) -> dict[int, Padding]:
    """By tensor, what stands behind its last channel, where that is known. What the CPU makes, and what an application
    gives, has zeros there."""
    return _Walk(model, graph).run(on_gpu)


class _Walk:
    """One pass over a subgraph in execution order."""

    def __init__(self, model: Model, graph: Subgraph) -> None:
        self.model = model
        self.graph = graph
        self.known: dict[int, Padding] = {}

    def run(self, on_gpu: Callable[[Operator], bool]) -> dict[int, Padding]:
        for index in self.graph.inputs:
            self.known[index] = ZERO
        for op in self.graph.operators:
            made = self._of(op) if on_gpu(op) else ZERO
            for index in op.outputs:
                if made is not None and index >= 0:
                    self.known[index] = made
        return self.known

    def _of(self, op: Operator) -> Padding | None:
        if not op.inputs or not op.outputs or min(op.inputs[0], op.outputs[0]) < 0:
            return None
        if op.name in _UNARY:
            return self._computed(op, _UNARY[op.name], self.known.get(op.inputs[0]))
        if op.name in _BINARY:
            return self._binary(op)
        if op.name in _FRESH:
            return ZERO
        rule = _OTHERS.get(op.name)
        return None if rule is None else rule(self, op)

    def _computed(self, op: Operator, function: Function, *operands: Padding | None) -> Padding | None:
        known = [operand for operand in operands if operand is not None]
        made = _value(function, *(operand.value for operand in known)) if len(known) == len(operands) else None
        activation = op.activation
        if activation != "NONE" and made is not None:
            made = _value(_UNARY[activation], made) if activation in _UNARY else None
        if made is None:
            return None
        before = next((operand.maker for operand in known if not operand.finite), op.index)
        return Padding(made, None if math.isfinite(made) else before)

    def _binary(self, op: Operator) -> Padding | None:
        if len(op.inputs) != 2 or min(op.inputs) < 0:
            return None
        count = channels(self.graph.tensors[op.outputs[0]])
        first, second = (self._operand(index, count) for index in op.inputs)
        carried = next((one for one in (first, second) if one is not None and math.isnan(one.value)), None)
        if carried is not None and op.name not in ("MAXIMUM", "MINIMUM"):
            return self._computed(op, lambda value: value, carried)
        if first is None or second is None:
            return None
        return self._computed(op, _BINARY[op.name], first, second)

    def _operand(self, index: int, count: int) -> Padding | None:
        """What an operand gives the places behind `count` channels. One channel for many is repeated there too."""
        tensor = self.graph.tensors[self._half(index)]
        if not tensor.constant:
            return self.known.get(index) if channels(tensor) == count else None
        value = scalar(self.model, tensor)
        if value is not None:
            return Padding(float(value))
        return ZERO if channels(tensor) == count > 1 else None

    def _half(self, index: int) -> int:
        """The FLOAT16 constant behind a DEQUANTIZE."""
        producer = self.graph.producer(index)
        if producer is None or producer.name != "DEQUANTIZE" or min(producer.inputs, default=-1) < 0:
            return index
        return producer.inputs[0] if self.graph.tensors[producer.inputs[0]].constant else index

    # Operators that take values from other places

    def _kept(self, op: Operator, position: int = 0) -> Padding | None:
        """The first input's, where the channels stay what they are."""
        data, result = self.graph.tensors[op.inputs[position]], self.graph.tensors[op.outputs[0]]
        return self.known.get(data.index) if channels(data) == channels(result) else None

    def _carried(self, op: Operator, position: int = 0) -> Padding | None:
        """Not-a-number and infinities of the first input, else zero."""
        before = self.known.get(op.inputs[position])
        return before if before is not None and not before.finite else ZERO

    def _filtered(self, op: Operator) -> Padding | None:
        """A maximum takes no notice of not-a-number."""
        before = self._kept(op)
        return None if before is None or math.isnan(before.value) else before

    def _split(self, op: Operator) -> Padding | None:
        return self._kept(op, 1) if len(op.inputs) > 1 and op.inputs[1] >= 0 else None

    def _transposed(self, op: Operator) -> Padding | None:
        order = self._integers(op, 1)
        data = self.graph.tensors[op.inputs[0]]
        if not order or len(order) != data.rank:
            return None
        return self.known.get(data.index) if order[-1] % data.rank == data.rank - 1 else ZERO

    def _padded(self, op: Operator) -> Padding | None:
        data, result = self.graph.tensors[op.inputs[0]], self.graph.tensors[op.outputs[0]]
        return self._carried(op) if channels(data) == channels(result) else ZERO

    def _joined(self, op: Operator) -> Padding | None:
        options, result = op.options_of(ConcatenationOptions), self.graph.tensors[op.outputs[0]]
        if options is None or not result.rank:
            return None
        if options.axis % result.rank == result.rank - 1:
            return ZERO
        found = [self.known.get(index) for index in op.inputs]
        broken = [one for one in found if one is not None and not one.finite]
        if broken:
            return broken[0]
        return ZERO if all(one == ZERO for one in found) else None

    def _reduced(self, op: Operator) -> Padding | None:
        """Along other axes than the channels, or unknown."""
        data = self.graph.tensors[op.inputs[0]]
        axes = self._integers(op, 1)
        if axes is None or not data.rank or data.rank - 1 in [axis % data.rank for axis in axes]:
            return None
        before = self.known.get(data.index)
        return None if before is None or (before.finite and before.value) else before

    def _greatest(self, op: Operator) -> Padding | None:
        before = self._reduced(op)
        return None if before is None or math.isnan(before.value) else before

    def _selected(self, op: Operator) -> Padding | None:
        """Where both branches agree."""
        branches = [self.known.get(index) for index in op.inputs[1:3]]
        return branches[0] if len(branches) == 2 and branches[0] == branches[1] else None

    def _summed_up(self, op: Operator) -> Padding | None:
        options, axes = op.options_of(CumsumOptions), self._integers(op, 1)
        rank = self.graph.tensors[op.inputs[0]].rank
        if options is None or not axes or not rank or axes[0] % rank == rank - 1:
            return None
        return self.known.get(op.inputs[0])

    def _product(self, op: Operator) -> Padding | None:
        """The columns of the right operand are the channels of the result."""
        options = op.options_of(BatchMatMulOptions)
        right = op.inputs[1] if len(op.inputs) > 1 else -1
        if options is None or options.adj_y or right < 0 or self.graph.tensors[right].constant:
            return ZERO
        return self._carried(op, 1)

    def _integers(self, op: Operator, position: int) -> tuple[int, ...] | None:
        if position >= len(op.inputs) or op.inputs[position] < 0:
            return None
        return integers(self.model, self.graph.tensors[op.inputs[position]])


# Arithmetic as a GPU does it. None is what was not measured, or is the driver's own affair (the logarithm of 0).


def _value(function: Function, *values: float) -> float | None:
    try:
        made = function(*values)
    except (ValueError, OverflowError):
        return None
    return None if made is None else float(made)


def _clamped(low: float, high: float) -> Function:
    """Not-a-number comes out as some number."""
    return lambda x: None if math.isnan(x) else min(max(x, low), high)


def _divided(x: float, y: float) -> float:
    if y:
        return x / y
    return NAN if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)


def _root(x: float) -> float:
    return math.sqrt(x) if x >= 0 else NAN


def _finite_only(function: Callable[[float], float]) -> Function:
    return lambda x: function(x) if math.isfinite(x) else None


_UNARY: Mapping[str, Function] = {
    "ABS": abs,
    "NEG": lambda x: -x,
    "SQUARE": lambda x: x * x,
    "SQRT": _root,
    "RSQRT": lambda x: _divided(1.0, _root(x)),
    "RELU": _clamped(0.0, math.inf),
    "RELU6": _clamped(0.0, 6.0),
    "RELU_0_TO_1": _clamped(0.0, 1.0),
    "RELU_N1_TO_1": _clamped(-1.0, 1.0),
    "LEAKY_RELU": lambda x: 0.0 if x == 0 else None,
    "PRELU": lambda x: 0.0 if x == 0 else None,
    "ELU": lambda x: 0.0 if x == 0 else None,
    "GELU": lambda x: x if x == 0 or math.isnan(x) else None,
    "HARD_SWISH": lambda x: x if x == 0 or math.isnan(x) else None,
    "TANH": _finite_only(math.tanh),
    "LOGISTIC": _finite_only(lambda x: 1 / (1 + math.exp(-x))),
    "EXP": _finite_only(math.exp),
    "LOG": lambda x: math.log(x) if 0 < x < math.inf else None,
    "SIN": _finite_only(math.sin),
    "COS": _finite_only(math.cos),
    "FLOOR": _finite_only(math.floor),
    "CEIL": _finite_only(math.ceil),
    "ROUND": _finite_only(round),
    "SIGN": _finite_only(lambda x: (x > 0) - (x < 0)),
}

_BINARY: Mapping[str, Function] = {
    "ADD": lambda x, y: x + y,
    "SUB": lambda x, y: x - y,
    "MUL": lambda x, y: x * y,
    "DIV": _divided,
    "FLOOR_DIV": lambda x, y: math.floor(x / y) if y else _divided(x, y),
    "FLOOR_MOD": lambda x, y: x % y if y else NAN,
    "SQUARED_DIFFERENCE": lambda x, y: (x - y) ** 2,
    "MAXIMUM": lambda x, y: None if math.isnan(x) or math.isnan(y) else max(x, y),
    "MINIMUM": lambda x, y: None if math.isnan(x) or math.isnan(y) else min(x, y),
}

DIVIDING = frozenset({"DIV", "RSQRT", "FLOOR_DIV", "FLOOR_MOD"})
"""What makes something that is not finite of zeros."""

_FRESH = frozenset(
    {"CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "RESHAPE", "DEPTH_TO_SPACE", "CAST", "QUANTIZE", "DEQUANTIZE"}
)
"""Kernels that write zeros behind the last channel, whatever they read."""

_OTHERS: Mapping[str, Callable[[_Walk, Operator], Padding | None]] = {
    "AVERAGE_POOL_2D": _Walk._kept,
    "BATCH_MATMUL": _Walk._product,
    "CONCATENATION": _Walk._joined,
    "CUMSUM": _Walk._summed_up,
    "DEPTHWISE_CONV_2D": _Walk._carried,
    "MAX_POOL_2D": _Walk._filtered,
    "MEAN": _Walk._reduced,
    "PAD": _Walk._padded,
    "REDUCE_MAX": _Walk._greatest,
    "REDUCE_MIN": _Walk._greatest,
    "REDUCE_PROD": _Walk._reduced,
    "RESIZE_BILINEAR": _Walk._kept,
    "RESIZE_NEAREST_NEIGHBOR": _Walk._kept,
    "REVERSE_V2": _Walk._kept,
    "SELECT": _Walk._selected,
    "SELECT_V2": _Walk._selected,
    "SLICE": _Walk._kept,
    "SPLIT": _Walk._split,
    "STRIDED_SLICE": _Walk._kept,
    "SUM": _Walk._reduced,
    "TRANSPOSE": _Walk._transposed,
}
