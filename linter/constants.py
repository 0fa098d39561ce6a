"""Values of constants, read on demand and within a budget: never the weights."""

from __future__ import annotations

import struct

from .model import Model, Tensor

MAX_PARAMETER_BYTES = 64 * 1024
"""The largest constant read as an operator parameter: shapes, axes, paddings, permutations and scalars are far
smaller."""

MAX_ZERO_BYTES = 4 * 1024 * 1024
"""The largest constant that is read to see that it is zero throughout."""

SMALL_BYTES = 4096
"""A constant up to this size may well be read whole: a bias, a shape, a scale."""

HEAD_BYTES = 64
"""Bytes read of weights, to tell them apart."""

_LETTERS = {
    "INT8": "b", "UINT8": "B", "BOOL": "?", "INT16": "h", "UINT16": "H", "INT32": "i", "UINT32": "I",
    "INT64": "q", "UINT64": "Q", "FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d",
}  # fmt: skip


def item_size(tensor: Tensor) -> int | None:
    """Bytes an element; None for types without a fixed whole number of bytes (STRING, INT4, …)."""
    letter = _LETTERS.get(tensor.type)
    if letter is None:
        return 2 if tensor.type == "BFLOAT16" else None
    return struct.calcsize("<" + letter)


def stored_size(tensor: Tensor) -> int | None:
    """Bytes that a dense constant of the tensor's shape takes; None for types without a fixed size."""
    bits = _PACKED_BITS.get(tensor.type)
    if bits is None:
        size = item_size(tensor)
        bits = None if size is None else 8 * size
    return None if bits is None else -(-tensor.elements * bits // 8)


_PACKED_BITS = {"INT4": 4, "UINT4": 4, "INT2": 2}


def values(model: Model, tensor: Tensor, limit: int = MAX_PARAMETER_BYTES) -> tuple[float | int, ...] | None:
    """All values of a constant, in memory order; None when it is not a readable constant or larger than `limit`
    bytes."""
    letter = _LETTERS.get(tensor.type)
    data = None if letter is None else model.constant_bytes(tensor, limit)
    if data is None or letter is None:
        return None
    count = len(data) // struct.calcsize("<" + letter)
    return struct.unpack_from(f"<{count}{letter}", data)


def integers(model: Model, tensor: Tensor) -> tuple[int, ...] | None:
    """Values of an INT32 or INT64 constant; None otherwise."""
    if tensor.type not in ("INT32", "INT64"):
        return None
    return values(model, tensor)  # type: ignore[return-value]


def same_transposed(model: Model, tensor: Tensor, rows: int) -> bool:
    """Whether a constant, taken as a matrix of so many rows, is known to have the same values in memory when it is
    transposed."""
    read = values(model, tensor)
    if read is None:
        return False
    columns = len(read) // max(rows, 1)
    return all(read[row * columns : (row + 1) * columns] == read[row::rows] for row in range(rows))


def all_zero(model: Model, tensor: Tensor) -> bool:
    """Whether a FLOAT32 constant is zero throughout. Weights are told after one chunk: the first value that is not
    zero ends the reading."""
    buffer = model.buffers[tensor.buffer]
    if tensor.type != "FLOAT32" or not tensor.constant or buffer.start is None or not 0 < buffer.size <= MAX_ZERO_BYTES:
        return False
    for offset in range(0, buffer.size, MAX_PARAMETER_BYTES):
        data = model.fetch(buffer.start + offset, min(MAX_PARAMETER_BYTES, buffer.size - offset))
        # The sign does not matter: -0.0 is zero.
        if any(data[3::4].translate(None, b"\x00\x80")) or any(data[0::4]) or any(data[1::4]) or any(data[2::4]):
            return False
    return True


def scalar(model: Model, tensor: Tensor) -> float | int | None:
    """The value of a constant with one element."""
    if tensor.elements != 1:
        return None
    found = values(model, tensor)
    return found[0] if found else None


def scales(model: Model, tensor: Tensor, limit: int = MAX_PARAMETER_BYTES) -> tuple[float, ...]:
    """Quantization scales of a tensor; empty when it has none or they exceed `limit` bytes."""
    quantization = tensor.quantization
    if quantization is None or not 0 < 4 * quantization.scale_count <= limit:
        return ()
    return struct.unpack(
        f"<{quantization.scale_count}f",
        model.fetch(quantization.scales_at, 4 * quantization.scale_count),
    )


def zero_points(model: Model, tensor: Tensor, limit: int = MAX_PARAMETER_BYTES) -> tuple[int, ...]:
    """Zero points of a tensor; empty when it has none or they exceed `limit` bytes."""
    quantization = tensor.quantization
    if quantization is None or not 0 < 8 * quantization.zero_point_count <= limit:
        return ()
    return struct.unpack(
        f"<{quantization.zero_point_count}q",
        model.fetch(quantization.zero_points_at, 8 * quantization.zero_point_count),
    )
