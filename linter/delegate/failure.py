"""What makes a whole model fail, before or after the delegate's check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..findings import Evidence


class Stage(Enum):
    """When it fails. Nothing is reported about placement by a failure before the check."""

    LOAD = "the CPU cannot run the model either, at creation or at its first run"
    BEFORE_CHECK = "creating the CompiledModel fails before the delegate reports"
    AFTER_CHECK = "creating the CompiledModel fails, or the process dies, after the delegate has reported"
    BEFORE_REPORT = "the process dies while kernels are built; nothing has been reported"


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
    COMPOSITE = "accepted composite kills the process"
    SPLIT_ONE_OUTPUT = "SPLIT with one output"
    GATHER_CONSTANT_INDICES = "GATHER with constant indices"


@dataclass(frozen=True, slots=True)
class Failure:
    """One cause of failure. `message` is the runtime's own line where it prints one."""

    fault: Fault
    stage: Stage
    message: str
    subgraph: int = 0
    operator: int | None = None
    """Index of the operator at fault; None when it is the file as a whole."""
    tensors: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
