"""Whether every operator has the operands and results without which its kernel does nothing.

A file may name an operator and give it fewer inputs or outputs than it has, or leave a required one out (-1). Every
release refuses such a model in Prepare, so nothing in it is ever computed, and rules about what is computed need not
ask whether an operand is there."""

from __future__ import annotations

from .model import Model, Operator

_FEWEST_INPUTS = {
    1: """
    AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D L2_NORMALIZATION LOCAL_RESPONSE_NORMALIZATION DENSIFY READ_VARIABLE
    HASHTABLE_SIZE FAKE_QUANT RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 LEAKY_RELU ELU HARD_SWISH GELU SIGN TANH LOGISTIC
    SOFTMAX LOG_SOFTMAX ABS SIN COS LOG SQRT RSQRT SQUARE LOGICAL_NOT FLOOR ROUND CEIL NEG ZEROS_LIKE EXP CAST BITCAST
    QUANTIZE DEQUANTIZE SQUEEZE SHAPE RANK UNPACK DEPTH_TO_SPACE SPACE_TO_DEPTH WHERE MATRIX_DIAG REAL IMAG COMPLEX_ABS
    BUCKETIZE RANDOM_UNIFORM RANDOM_STANDARD_NORMAL RESHAPE CONCATENATION PACK UNIQUE
    """,
    2: """
    CONV_2D DEPTHWISE_CONV_2D CONV_3D PAD PADV2 MIRROR_PAD FULLY_CONNECTED BATCH_MATMUL EMBEDDING_LOOKUP PRELU ADD SUB
    MUL DIV SQUARED_DIFFERENCE MAXIMUM MINIMUM RIGHT_SHIFT BITWISE_XOR POW FLOOR_DIV FLOOR_MOD LOGICAL_AND LOGICAL_OR
    EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL ATAN2 EXPAND_DIMS SPLIT TILE TRANSPOSE GATHER GATHER_ND
    REVERSE_V2 RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR FILL BROADCAST_TO BROADCAST_ARGS SUM MEAN REDUCE_MAX REDUCE_MIN
    REDUCE_PROD REDUCE_ALL REDUCE_ANY ARG_MAX ARG_MIN CUMSUM SEGMENT_SUM REVERSE_SEQUENCE RFFT2D
    MULTINOMIAL TOPK_V2 ADD_N STABLEHLO_ADD STABLEHLO_AND STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_MULTIPLY
    """,
    3: """
    TRANSPOSE_CONV CONV_3D_TRANSPOSE DYNAMIC_UPDATE_SLICE HASHTABLE_FIND SLICE SPLIT_V SPACE_TO_BATCH_ND
    BATCH_TO_SPACE_ND RANGE SELECT SELECT_V2 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM
    UNSORTED_SEGMENT_MIN SCATTER_ND HASHTABLE_LOOKUP STABLEHLO_SCATTER
    """,
    4: "STRIDED_SLICE ONE_HOT SPARSE_TO_DENSE",
}

FEWEST_INPUTS = {name: count for count, names in _FEWEST_INPUTS.items() for name in names.split()}
"""How many inputs the kernel of an operator takes at least; none of them may be absent. Operators that it leaves out
may have none. Read from the kernels' Prepare functions (tflite/kernels/*.cc, v2.2.0)."""

FEWEST_OUTPUTS = {"TOPK_V2": 2, "UNIQUE": 2}
"""One for the others of the table above."""


def complete(model: Model) -> bool:
    """Whether every operator of the model has the operands and results that its kernel needs."""
    return all(_complete(op) for graph in model.subgraphs for op in graph.operators)


def _complete(op: Operator) -> bool:
    inputs = FEWEST_INPUTS.get(op.name, 0)
    if not inputs:
        return True
    outputs = FEWEST_OUTPUTS.get(op.name, 1)
    if len(op.inputs) < inputs or len(op.outputs) < outputs:
        return False
    return min(op.inputs[:inputs]) >= 0 and min(op.outputs[:outputs]) >= 0
