"""What makes a whole model fail, before or after the delegate's check."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..findings import Evidence
from ..targets import VERSIONS


class Stage(Enum):
    """When it fails. A subgraph that the delegate has not come to by then is not reported."""

    LOAD = "the CPU cannot run the model either: loading it fails, or its first run"
    BEFORE_CHECK = "creating the CompiledModel fails before the delegate looks at the subgraph"
    AFTER_CHECK = "creating the CompiledModel fails, or the process dies, after the delegate has reported"


class Fault(Enum):
    """What went wrong; rules are found by it."""

    MALFORMED = "the runtime refuses the file"
    OP_VERSION = "operator version not registered"
    UNKNOWN_OPERATOR = "operator number beyond the runtime's schema"
    CUSTOM_OP = "unresolved custom operator"
    FLEX_OP = "TensorFlow operator without the Flex delegate"
    PREPARE = "a CPU kernel refuses the operator"
    VARIABLE_TENSOR = "variable tensors"
    ELEMENT_TYPE = "element type that the model loader does not know"
    DYNAMIC_SHAPE = "dynamic tensor when the delegate is applied"
    NPU_MODEL = "model compiled for an NPU"
    COMPOSITE = "accepted composite kills the process"
    SPLIT_ONE_OUTPUT = "SPLIT with one output"
    GATHER_CONSTANT_INDICES = "GATHER with constant indices"
    PRELU_BATCH = "PRELU with an alpha of rank 3 and a batch"
    SPLIT_CONCAT = "a graph input split and concatenated again"
    IDENTITY_SLICE = "a slice of everything beside the tensor that it copies"
    SELECT_CONDITION_RANK = "SELECT condition of lower rank than the result"
    SAME_TENSOR_TWICE = "one tensor in two operands kills the process"
    VARIANCE_BY_SQUARES = "layer norm with its variance as a mean of squares"
    DEQUANTIZED_MATRIX = "DEQUANTIZE of a constant INT8 matrix"
    MATRIX_ROWS = "FULLY_CONNECTED with quantized weights over several rows"
    BATCH_MATMUL_COLUMNS = "BATCH_MATMUL with adj_y and columns or a depth off 4"
    TOPK_CHANNELS = "TOPK_V2 over fewer than 4 channels"
    GROUPED_CONV = "grouped CONV_2D with channels off 4"
    HALF_DEQUANTIZE = "DEQUANTIZE of a runtime FLOAT16 tensor"
    CONSTANT_CAST = "CAST of a constant"
    WRITTEN_TWICE = "a tensor that two operators on the GPU write"
    EMPTY_TENSOR = "a tensor without elements on the GPU"
    ALLOCATION = "a tensor larger than the device's largest buffer"
    UNREADABLE_CONSTANT = "a constant that cannot be read as floats kills the process"
    CONSTANT_OPERAND = "a constant where a kernel wants a runtime tensor kills the process"
    RUNTIME_MULTIPLIER = "DEPTHWISE_CONV_2D with a depth multiplier and runtime weights kills the process"
    RUNTIME_BIAS = "a runtime bias beside constant weights kills the process"
    RUNTIME_SCALES = "runtime weights with a scale a channel end the process"
    PACKED_WEIGHTS = "runtime weights of 4 or 2 bits"
    BLOCKWISE_WEIGHTS = "blockwise quantized weights"
    GATHER_RUNTIME_INDICES = "GATHER with several runtime indices"
    NEGATIVE_AXIS = "an axis counted from the end that a kernel does not know"
    RUNTIME_PARAMETER = "a parameter that comes at run time kills the process"
    KERNEL_CREATION = "a kernel cannot be built"


class Failure(NamedTuple):
    """One cause of failure. `message` is the runtime's own line where it prints one."""

    fault: Fault
    stage: Stage
    message: str
    subgraph: int = 0
    operator: int | None = None
    """Index of the operator at fault; None when it is the file as a whole."""
    tensors: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def measured(
    outcome: str, releases: tuple[str, ...] = VERSIONS, precision: str | None = None, ref: str | None = None
) -> tuple[Evidence, ...]:
    """Evidence from running the releases named."""
    return (Evidence("measured", outcome, litert=releases, precision=precision, ref=ref),)


def read(outcome: str, ref: str) -> tuple[Evidence, ...]:
    """Evidence from the source at the tag v2.2.0, held against what the other releases do where it was run."""
    return (Evidence("source", outcome, litert=("2.2.0",), ref=ref),)
