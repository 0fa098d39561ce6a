"""What constants hold, as a few numbers each: read once, within a budget for the whole model.

A large constant is not read, and then nothing is known of it. A constant of nothing but zeros says nothing either:
weights are often stripped from files that are passed around."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from .constants import MAX_PARAMETER_BYTES, item_size, scales, values, zero_points
from .model import Model, Operator, Subgraph, Tensor
from .options import BatchMatMulOptions, TransposeConvOptions

BUDGET = 512 * 1024
"""Bytes of constants read for one model. What comes later is unknown; a model's scalars and vectors stay below it."""

LEVELS = {"INT8": (-128, 127), "UINT8": (0, 255), "INT16": (-32768, 32767), "INT4": (-8, 7)}
"""Lowest and highest stored value of quantized types."""


class Facts(NamedTuple):
    """Lowest and highest value."""

    lowest: float
    highest: float

    @property
    def peak(self) -> float:
        return max(abs(self.lowest), abs(self.highest))


class Sums(NamedTuple):
    """Of the weights of one result: sum of the positive ones, of the negative ones, and of the squares."""

    positive: float
    negative: float
    squares: float


class Constants:
    """Reads the constants of one model, each at most once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._left = BUDGET
        self._values: dict[tuple[int, int], tuple[float, ...] | None] = {}
        self._facts: dict[tuple[int, int], Facts | None] = {}
        self._sums: dict[tuple[int, int, int, int], tuple[Sums, ...] | None] = {}

    def behind(self, graph: Subgraph, index: int) -> Tensor | None:
        """The constant that a tensor is, or that a DEQUANTIZE turns into it."""
        if index < 0:
            return None
        tensor = graph.tensors[index]
        if tensor.constant:
            return tensor
        producer = graph.producer(index)
        if producer is not None and producer.name == "DEQUANTIZE" and producer.inputs[:1] and producer.inputs[0] >= 0:
            stored = graph.tensors[producer.inputs[0]]
            return stored if stored.constant else None
        return None

    def values(self, graph: Subgraph, tensor: Tensor) -> tuple[float, ...] | None:
        """The real values of a constant; None when it is too large, not readable or quantized by channel."""
        key = (graph.index, tensor.index)
        if key not in self._values:
            self._values[key] = self._read(tensor)
        return self._values[key]

    def _read(self, tensor: Tensor) -> tuple[float, ...] | None:
        size = self._model.constant_size(tensor)
        if not 0 < size <= min(MAX_PARAMETER_BYTES, self._left) or item_size(tensor) is None:
            return None
        self._left -= size
        read = values(self._model, tensor)
        if read is None or len(read) < tensor.elements:
            return None
        if not tensor.quantized:
            return read
        steps = scales(self._model, tensor)
        zeros = zero_points(self._model, tensor) or (0,)
        if len(steps) != 1:
            return None
        return tuple([(value - zeros[0]) * steps[0] for value in read])

    def facts(self, graph: Subgraph, tensor: Tensor) -> Facts | None:
        """What a constant holds; None when it was not read, holds a NaN, or nothing but several zeros."""
        key = (graph.index, tensor.index)
        if key not in self._facts:
            self._facts[key] = self._summary(graph, tensor)
        return self._facts[key]

    def _summary(self, graph: Subgraph, tensor: Tensor) -> Facts | None:
        read = self.values(graph, tensor)
        if not read:
            return None
        lowest, highest = float(min(read)), float(max(read))
        if math.isnan(lowest + highest) and not (math.isinf(lowest) or math.isinf(highest)):
            return None
        if lowest == highest == 0 and len(read) > 1:
            return None
        return Facts(lowest, highest)

    def scalar(self, graph: Subgraph, index: int) -> float | None:
        """The one value that a constant holds, once or everywhere."""
        tensor = self.behind(graph, index)
        if tensor is None or (tensor.elements != 1 and self._model.constant_size(tensor) > MAX_PARAMETER_BYTES):
            return None
        facts = self.facts(graph, tensor)
        if facts is None or facts.lowest != facts.highest:
            return None
        return facts.lowest

    def sums(self, graph: Subgraph, tensor: Tensor, terms: int, step: int) -> tuple[Sums, ...] | None:
        """The sums of every group of `terms` weights that make one result: neighbours where `step` is 1, else every
        `step`-th, block by block."""
        key = (graph.index, tensor.index, terms, step)
        if key not in self._sums:
            read = self.values(graph, tensor)
            known = bool(read) and self.facts(graph, tensor) is not None
            self._sums[key] = tuple(map(_sums, groups(read, terms, step))) if read and known and terms > 0 else None
        return self._sums[key]

    def head(self, tensor: Tensor, count: int) -> tuple[float, ...] | None:
        """The first values of a float constant of any size, where they take no more than a parameter may."""
        letter = {"FLOAT32": "f", "FLOAT16": "e"}.get(tensor.type)
        width = item_size(tensor)
        if letter is None or width is None or not tensor.constant or width * count > MAX_PARAMETER_BYTES:
            return None
        buffer = self._model.buffers[tensor.buffer]
        if buffer.start is None or buffer.size < width * count:
            return None
        return struct.unpack(f"<{count}{letter}", self._model.fetch(buffer.start, width * count))

    def first_row(self, graph: Subgraph, tensor: Tensor, terms: int, step: int) -> tuple[float, ...] | None:
        """The weights of the first result; of a large constant too where they stand together."""
        if step == 1 and not tensor.quantized:
            return self.head(tensor, terms)
        values = self.values(graph, tensor)
        rows = groups(values[: terms * step], terms, step) if values else []
        return tuple(rows[0]) if rows else None


def groups(read: Sequence[float], terms: int, step: int) -> list[Sequence[float]]:
    """The weights of every result."""
    if step == 1:
        return [read[at : at + terms] for at in range(0, len(read) - terms + 1, terms)]
    block = terms * step
    return [
        read[at + offset : at + block : step] for at in range(0, len(read) - block + 1, block) for offset in range(step)
    ]


def _sums(row: Sequence[float]) -> Sums:
    magnitudes, total = sum(map(abs, row)), sum(row)
    return Sums((magnitudes + total) / 2, (total - magnitudes) / 2, sum(map(mul, row, row)))


def contraction(graph: Subgraph, op: Operator) -> tuple[int, int, int] | None:
    """Of an operator that sums products: the position of its weights, the terms a result, and the step between the
    weights of one result (`Constants.sums`). None for any other operator, or unknown shapes."""
    position = 1
    if len(op.inputs) < 2 or min(op.inputs[:2]) < 0:
        return None
    weights = graph.tensors[op.inputs[1]].shape
    if op.name == "FULLY_CONNECTED" and len(weights) == 2:
        return position, weights[1], 1
    if op.name == "CONV_2D" and len(weights) == 4:
        return position, weights[1] * weights[2] * weights[3], 1
    if op.name == "DEPTHWISE_CONV_2D" and len(weights) == 4:
        return position, weights[1] * weights[2], weights[3]
    if op.name == "TRANSPOSE_CONV" and len(weights) == 4:
        options = op.options_of(TransposeConvOptions)
        high, wide = (options.stride_h, options.stride_w) if options else (1, 1)
        taps = -(-weights[1] // max(high, 1)) * -(-weights[2] // max(wide, 1))
        return position, taps * weights[3], 1
    if op.name == "BATCH_MATMUL" and len(weights) >= 2:
        matmul = op.options_of(BatchMatMulOptions)
        left = graph.tensors[op.inputs[0]].shape
        if len(left) < 2:
            return None
        flipped = matmul is not None and matmul.adj_y
        if graph.tensors[op.inputs[0]].constant:
            swapped = matmul is not None and matmul.adj_x
            return 0, left[-2] if swapped else left[-1], left[-1] if swapped else 1
        return position, weights[-1] if flipped else weights[-2], 1 if flipped else weights[-1]
    return None
