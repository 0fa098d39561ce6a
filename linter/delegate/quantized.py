"""How a release sees the quantization of a tensor, and what the delegate can read of quantized ones."""

from __future__ import annotations

from ..model import Tensor
from ..targets import Era
from .node import Node
from .refusal import Refusals, parameter

MATRIX_TYPES = frozenset({"INT8", "INT4", "INT2"})
"""Types of quantized weights that become a quantized matrix product."""


def scheme(tensor: Tensor, era: Era) -> str | None:
    """affine, blockwise or multi-axis; None where the runtime sees no quantization.

    A kind of details that the release does not know counts for nothing: then scales make it affine (ParseQuantization,
    tflite/core/interpreter_builder.cc, v2.1.2 and v2.2.0). Several axes came with 2.2.0.
    """
    quantization = tensor.quantization
    if quantization is None:
        return None
    if quantization.kind == "blockwise":
        return "blockwise"
    if quantization.kind == "multi-axis" and era.since("2.2.0"):
        return "multi-axis"
    return "affine" if quantization.scale_count else None


def readable_matrix(n: Node, tensor: Tensor) -> Refusals:
    """OP PreCheckReadQuantizedValueByTensorIdx, for a tensor that is quantized: INT8, INT4 or INT2, of rank 2, or of
    rank 4 with 1 by 1 inside. Scales per channel pass; scales per block from 2.1.6 on (measured)."""
    prefix = "PreCheckReadQuantizedValueByTensorIdx: "
    kind = scheme(tensor, n.era)
    if kind != "affine" and not (kind == "blockwise" and n.since("2.1.6")):
        yield parameter(f"{prefix}Tensor is not quantized: {tensor.index}", tensor.index)
    if tensor.type not in MATRIX_TYPES:
        yield parameter(f"Expected Int8, Int4, or Int2 quantized tensor: {tensor.index}", tensor.index)
    if tensor.rank not in (2, 4):
        yield parameter(f"{prefix}Expected 2D or 4D quantized tensor: {tensor.index}", tensor.index)
    if tensor.rank == 4 and tensor.shape[1:3] != (1, 1):
        text = f"{prefix}Expected 4D quantized tensor with height of 1 and width of 1: {tensor.index}"
        yield parameter(text, tensor.index)
