"""Operator versions that LiteRT's own resolver registers, by release.

Source: tflite/core/kernels/register.cc at the tags v2.1.2 to v2.2.0, every operator. 2.3.0 accepts what 2.2.0 does
(measured, every operator and version). The resolver is asked for every operator code of a file, used or not, and one
miss fails the load.
"""

from __future__ import annotations

from functools import cache

from ..names import BUILTIN_OPERATORS
from ..targets import Era

LAST_OPERATOR = BUILTIN_OPERATORS.number("STABLEHLO_CASE")
"""The highest operator number that the runtime knows, on every release (measured)."""

# A row is the versions, then the operators that have them: "5 6@2.1.6" is 1 to 5, and 1 to 6 from 2.1.6 on;
# "2-3" starts at 2.
_ROWS = """
1: ADD_N ASSIGN_VARIABLE ATAN2 BITCAST BITWISE_XOR BROADCAST_ARGS BUCKETIZE CALL_ONCE CEIL COMPLEX_ABS CONV_3D
    CONV_3D_TRANSPOSE CUMSUM DENSIFY DILATE ELU EMBEDDING_LOOKUP_SPARSE EXPAND_DIMS FLOOR HARD_SWISH HASHTABLE
    HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_LOOKUP HASHTABLE_SIZE IF IMAG L2_POOL_2D
    LOCAL_RESPONSE_NORMALIZATION LOGICAL_AND LOGICAL_NOT LOGICAL_OR LSH_PROJECTION MATRIX_DIAG MATRIX_SET_DIAG
    MULTINOMIAL NEG NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 ONE_HOT POW PRELU RANDOM_STANDARD_NORMAL
    RANDOM_UNIFORM RANK READ_VARIABLE REAL REDUCE_ALL REDUCE_ANY REDUCE_WINDOW RELU_0_TO_1 RELU_N1_TO_1 RESHAPE
    REVERSE_SEQUENCE RFFT2D RIGHT_SHIFT ROUND SCATTER_ND SEGMENT_SUM SHAPE SKIP_GRAM SQUARE STABLEHLO_ADD
    STABLEHLO_AND STABLEHLO_CASE STABLEHLO_COMPOSITE STABLEHLO_GATHER STABLEHLO_MAXIMUM STABLEHLO_MINIMUM
    STABLEHLO_MULTIPLY STABLEHLO_PAD STABLEHLO_REDUCE_WINDOW STABLEHLO_RNG_BIT_GENERATOR STABLEHLO_SCATTER
    STABLEHLO_SHIFT_LEFT UNIQUE UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN UNSORTED_SEGMENT_PROD
    UNSORTED_SEGMENT_SUM VAR_HANDLE WHILE ZEROS_LIKE
1 2@2.1.6: COS SIN
2: DEPTH_TO_SPACE DIV EXP FAKE_QUANT FLOOR_MOD GREATER L2_NORMALIZATION LEAKY_RELU LESS_EQUAL LOG LOG_SOFTMAX
    RANGE REDUCE_PROD SELECT_V2 SIGN SPACE_TO_DEPTH SQRT SQUARED_DIFFERENCE SQUEEZE SUM WHERE
2 3@2.1.6: GELU
2 3@2.2.0: SPLIT_V
2-3 4@2.2.0: BROADCAST_TO
3: ARG_MAX ARG_MIN AVERAGE_POOL_2D BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN FLOOR_DIV
    GREATER_EQUAL LESS LOGISTIC MAX_POOL_2D MEAN MIRROR_PAD REDUCE_MAX REDUCE_MIN RELU RELU6 RNN RSQRT
    SPARSE_TO_DENSE TANH TILE TOPK_V2 UNIDIRECTIONAL_SEQUENCE_RNN
3 4@2.1.6: SOFTMAX
3 4@2.2.0: REVERSE_V2
4: BATCH_MATMUL BATCH_TO_SPACE_ND LSTM MAXIMUM MINIMUM NOT_EQUAL RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR SELECT
    SPACE_TO_BATCH_ND SVDF UNIDIRECTIONAL_SEQUENCE_LSTM
4 5@2.1.3 6@2.2.0: UNPACK
4 5@2.2.0: FILL PACK SPLIT
4 6@2.1.3: QUANTIZE
5: ABS EMBEDDING_LOOKUP EQUAL SUB TRANSPOSE_CONV
5 6@2.1.6: ADD DYNAMIC_UPDATE_SLICE
5 6@2.1.6 7@2.2.0: CONCATENATION
5 6@2.2.0: GATHER_ND PAD PADV2
7: DEPTHWISE_CONV_2D
7 8@2.1.3 9@2.2.0: DEQUANTIZE
7 8@2.1.6: MUL SLICE
7 8@2.2.0: GATHER
7 9@2.1.6: TRANSPOSE
8: CONV_2D STRIDED_SLICE
8 9@2.2.0: CAST
14: FULLY_CONNECTED
"""


class Versions:
    """The versions of one operator: from `lowest` to a highest that may rise with the releases."""

    __slots__ = ("lowest", "steps")

    def __init__(self, text: str) -> None:
        first, *later = text.split()
        lowest, _, highest = first.rpartition("-")
        self.lowest = int(lowest or 1)
        steps = [("", int(highest))]
        for step in later:
            number, _, release = step.partition("@")
            steps.append((release, int(number)))
        self.steps = tuple(steps)
        """(release, highest version from that release on), oldest first; "" stands for every release."""

    def highest(self, era: Era) -> int:
        for release, number in reversed(self.steps):
            if not release or era.since(release):
                return number
        raise AssertionError("the first step holds for every release")

    def first_release(self, version: int) -> str | None:
        """The release that brought a version: "" when all have it, None when none has."""
        if version < self.lowest:
            return None
        return next((release for release, number in self.steps if version <= number), None)


@cache
def _table() -> dict[str, Versions]:
    found: dict[str, Versions] = {}
    for row in _ROWS.strip().replace("\n    ", " ").splitlines():
        text, _, names = row.partition(": ")
        found.update(dict.fromkeys(names.split(), Versions(text)))
    return found


def registered(op: str) -> Versions | None:
    """The registered versions of a builtin operator; None when no release registers it at all."""
    return _table().get(op)
