"""Operators that write one of their own inputs."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Operator, Subgraph
from .failure import Failure, Fault, Stage, measured

UNCHECKED = frozenset({
    "ABS", "ADD_N", "ASSIGN_VARIABLE", "ATAN2", "BATCH_TO_SPACE_ND", "BITCAST", "BITWISE_XOR", "BROADCAST_ARGS",
    "BROADCAST_TO", "CALL", "CEIL", "COMPLEX_ABS", "CONCAT_EMBEDDINGS", "COS", "CUSTOM", "DENSIFY", "DEQUANTIZE",
    "DILATE", "DYNAMIC_UPDATE_SLICE", "ELU", "EMBEDDING_LOOKUP", "EQUAL", "EXP", "EXPAND_DIMS", "FILL", "FLOOR",
    "FLOOR_DIV", "FLOOR_MOD", "GATHER_ND", "GREATER", "GREATER_EQUAL", "HARD_SWISH", "HASHTABLE_FIND",
    "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "IMAG", "LESS", "LESS_EQUAL", "LOG", "LOGICAL_AND", "LOGICAL_NOT",
    "LOGICAL_OR", "LOGISTIC", "LOG_SOFTMAX", "MATRIX_DIAG", "MATRIX_SET_DIAG", "MAXIMUM", "MINIMUM", "NEG",
    "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "NOT_EQUAL", "PAD", "PADV2", "POW", "PRELU", "QUANTIZE",
    "RANGE", "RANK", "READ_VARIABLE", "REAL", "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "REVERSE_V2",
    "RFFT2D", "RIGHT_SHIFT", "ROUND", "RSQRT", "SCATTER_ND", "SEGMENT_SUM", "SELECT", "SELECT_V2", "SIGN", "SIN",
    "SLICE", "SPACE_TO_BATCH_ND", "SQRT", "SQUARE", "SQUARED_DIFFERENCE", "STABLEHLO_SHIFT_LEFT", "TANH", "TILE",
    "TOPK_V2", "TRANSPOSE", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN", "UNSORTED_SEGMENT_PROD",
    "UNSORTED_SEGMENT_SUM", "WHERE", "ZEROS_LIKE",
})  # fmt: skip
"""Operators for which the runtime makes no parameters, and so does not compare their outputs with their inputs
(ParseOpDataTfLite, tflite/core/api/flatbuffer_conversions.cc, and Subgraph::AddNodeWithParameters, v2.2.0)."""


def left_out(op: Operator) -> bool:
    """Whether the runtime leaves an operator out, because it writes one of its inputs."""
    return op.name not in UNCHECKED and _shared(op) is not None


def _shared(op: Operator) -> int | None:
    """The first tensor that an operator reads and writes."""
    return next((tensor for tensor in op.inputs if tensor >= 0 and tensor in op.outputs), None)


def own_inputs(graph: Subgraph, op: Operator, *, on_gpu: bool) -> Iterator[Failure]:
    """The runtime notes it while it loads, leaves the operator out, and fails when it allocates, after the delegate has
    reported. An operator that is not compared reaches the delegate, which dies of it."""
    shared = _shared(op)
    if shared is None:
        return
    if op.name not in UNCHECKED:
        message = f"Tensor {shared} is both input {op.inputs.index(shared)} and output {op.outputs.index(shared)}"
        evidence = measured("AllocateTensors() called on inconsistent model.")
        yield Failure(Fault.MALFORMED, Stage.LOAD, message, graph.index, op.index, (shared,), evidence)
    elif on_gpu:
        message = "Check failed: !IsInput(producer, value)"
        evidence = measured("the process dies of an operator that writes its input")
        yield Failure(Fault.MALFORMED, Stage.AFTER_CHECK, message, graph.index, op.index, (shared,), evidence)
