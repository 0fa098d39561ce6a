"""Tensors while the CPU kernels' Prepare functions run over a subgraph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from math import prod
from typing import NamedTuple

from ...constants import MAX_PARAMETER_BYTES, scales, values, zero_points
from ...model import Model, Operator, OptionsT, Subgraph, Tensor
from ...names import ELEMENT_TYPES, Name
from ...targets import Era
from ..failure import Stage

Shape = tuple[int, ...]
Values = tuple[float | int, ...]


class Memory(Enum):
    """Where a tensor's bytes live (TfLiteAllocationType, tflite/core/c/common.h, v2.2.0)."""

    CONSTANT = "in the file"
    ARENA = "ordinary activation"
    PERSISTENT = "kept between runs"
    COMPUTED = "its value is known after Prepare"
    DYNAMIC = "its size is known only when the model runs"
    CALLER = "input of a subgraph that an operator calls"


class PrepareError(Exception):
    """A CPU kernel refuses its operator: the condition, in our words. `stage` tells whether the CPU alone could."""

    def __init__(self, message: str, stage: Stage = Stage.LOAD) -> None:
        super().__init__(message)
        self.stage = stage


class Slot:
    """One tensor, with what Prepare has made of it so far."""

    __slots__ = ("_model", "_values", "memory", "shape", "tensor", "type")

    def __init__(self, model: Model, tensor: Tensor) -> None:
        self._model = model
        self._values: Values | None = None
        self.tensor = tensor
        self.shape: Shape = tensor.shape
        self.type: str = tensor.type
        if tensor.constant:
            self.memory = Memory.CONSTANT
        elif tensor.type in ("STRING", "RESOURCE", "VARIANT"):
            self.memory = Memory.DYNAMIC
        else:
            self.memory = Memory.PERSISTENT if tensor.variable else Memory.ARENA

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def known(self) -> bool:
        """Whether its value is there in Prepare (IsConstantOrPersistentTensor, tflite/kernels/kernel_util.h)."""
        return self.memory in (Memory.CONSTANT, Memory.COMPUTED)

    @property
    def open(self) -> bool:
        """Whether its shape signature leaves an axis open (HasUnspecifiedDimension)."""
        return self.tensor.signature is not None and -1 in self.tensor.signature

    @property
    def affine(self) -> bool:
        quantization = self.tensor.quantization
        return quantization is not None and quantization.kind == "affine" and quantization.scale_count > 0

    @property
    def quantized(self) -> bool:
        return self.tensor.quantized

    @property
    def scale_count(self) -> int:
        return self.tensor.quantization.scale_count if self.tensor.quantization is not None else 0

    @property
    def scale(self) -> float:
        """The one scale of a tensor quantized as a whole; 0 where there are none or several."""
        return scales(self._model, self.tensor)[0] if self.affine and self.scale_count == 1 else 0.0

    @property
    def zero_point(self) -> int:
        return zero_points(self._model, self.tensor)[0] if self.affine and self.scale_count == 1 else 0

    @property
    def zero_points(self) -> tuple[int, ...]:
        return zero_points(self._model, self.tensor) if self.affine else ()

    def named_type(self) -> Name:
        return self.tensor.type if self.type == self.tensor.type else ELEMENT_TYPES[ELEMENT_TYPES.number(self.type)]

    def values(self) -> Values | None:
        """Its value; None when it cannot be told (too large, or computed from such)."""
        if self.memory is Memory.COMPUTED:
            return self._values
        if self.memory is not Memory.CONSTANT:
            return None
        if self._values is None:
            found = values(self._model, self.tensor, MAX_PARAMETER_BYTES)
            self._values = None if found is None else found[: self.elements]
        return self._values

    def integers(self) -> tuple[int, ...] | None:
        found = self.values()
        return None if found is None or self.type.startswith("FLOAT") else tuple(int(value) for value in found)

    def compute(self, found: Sequence[float | int] | None) -> None:
        """Its value is known from here on; None when we cannot tell it."""
        self.memory = Memory.COMPUTED
        self._values = None if found is None else tuple(found)


class Call(NamedTuple):
    """A subgraph that an operator has called, prepared for the operands that it was given."""

    inputs: list[Slot]
    outputs: list[Slot]
    dynamic: bool

    @property
    def shapes(self) -> list[Shape]:
        return [slot.shape for slot in self.outputs]


_HALF_ON_XNNPACK = {
    **dict.fromkeys(("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "BATCH_MATMUL", "DEPTH_TO_SPACE"), "2.2.0"),
    **dict.fromkeys(("QUANTIZE", "SPLIT"), "2.1.3"),
    **dict.fromkeys(("COS", "SIN"), "2.1.2"),
}
"""Operators whose kernels refuse FLOAT16; since when XNNPACK takes it from them if the CPU is alone (measured)."""


class Step:
    """One operator whose Prepare runs: the conditions that CPU kernels share, and what they do to tensors."""

    __slots__ = ("_slots", "era", "graph", "model", "op")

    def __init__(self, model: Model, graph: Subgraph, op: Operator, era: Era, slots: Slots) -> None:
        self.model = model
        self.graph = graph
        self.op = op
        self.era = era
        self._slots = slots

    def since(self, version: str) -> bool:
        return self.era.since(version)

    def options(self, kind: type[OptionsT]) -> OptionsT | None:
        return self.op.options_of(kind)

    def require(self, condition: bool, otherwise: str) -> None:
        if not condition:
            raise PrepareError(otherwise)

    def require_since(self, release: str, condition: bool, otherwise: str) -> None:
        """A condition that came with a release. The release is asked for only where it matters."""
        if not condition and self.era.since(release):
            raise PrepareError(otherwise)

    def require_before(self, release: str, condition: bool, otherwise: str) -> None:
        """A condition that went with a release."""
        if not condition and not self.era.since(release):
            raise PrepareError(otherwise)

    def with_gpu(self, condition: bool, otherwise: str) -> None:
        """A condition that counts only when the GPU is asked for. The CPU alone runs the model: either XNNPACK takes
        the operator before its kernel prepares, or it is the delegate's own check that dies."""
        if not condition:
            raise PrepareError(otherwise, Stage.BEFORE_CHECK)

    def counts(self, *inputs: int, outputs: int = 1) -> None:
        found = len(self.op.inputs)
        if found not in inputs:
            raise PrepareError(f"it has {found} inputs, not {' or '.join(map(str, inputs))}")
        if len(self.op.outputs) != outputs:
            raise PrepareError(f"it has {len(self.op.outputs)} outputs, not {outputs}")

    def input(self, position: int) -> Slot:
        if position >= len(self.op.inputs):
            raise PrepareError(f"input {position} is missing")
        if self.op.inputs[position] < 0:
            raise PrepareError(f"input {position} is absent, but the kernel needs it")
        return self._slots[self.op.inputs[position]]

    def optional(self, position: int) -> Slot | None:
        if position >= len(self.op.inputs) or self.op.inputs[position] < 0:
            return None
        return self._slots[self.op.inputs[position]]

    def inputs(self) -> list[Slot]:
        return [self.input(position) for position in range(len(self.op.inputs))]

    def output(self, position: int = 0) -> Slot:
        if position >= len(self.op.outputs):
            raise PrepareError(f"output {position} is missing")
        if self.op.outputs[position] < 0:
            raise PrepareError(f"output {position} is absent, but the kernel needs it")
        return self._slots[self.op.outputs[position]]

    def outputs(self) -> list[Slot]:
        return [self._slots[tensor] for tensor in self.op.outputs if tensor >= 0]

    def same_type(self, first: Slot, second: Slot) -> None:
        if first.type != second.type:
            raise PrepareError(f"its tensors are of types {first.type} and {second.type}, which have to be equal")

    def typed(self, slot: Slot, what: str, *types: str, since: str = "", more: tuple[str, ...] = ()) -> None:
        """The types that a kernel takes; `more` of them since a release."""
        if slot.type in types or (slot.type in more and self.era.since(since)):
            return
        taken = _HALF_ON_XNNPACK.get(self.op.name) if slot.type == "FLOAT16" else None
        stage = Stage.BEFORE_CHECK if taken is not None and self.era.since(taken) else Stage.LOAD
        raise PrepareError(f"{what} is {slot.type}; the kernel takes {', '.join(types)}", stage)

    def ranked(self, slot: Slot, what: str, rank: int) -> None:
        if slot.rank != rank:
            raise PrepareError(f"{what} has rank {slot.rank}, not {rank}")

    def scalar(self, slot: Slot, what: str) -> None:
        if slot.elements != 1:
            raise PrepareError(f"{what} has {slot.elements} elements, not 1")

    def same_scale(self, first: Slot, second: Slot) -> None:
        if (first.scale, first.zero_point) != (second.scale, second.zero_point):
            raise PrepareError("input and output are quantized differently")

    def symmetric(self, *slots: Slot) -> None:
        for slot in slots:
            if slot.zero_point != 0:
                raise PrepareError(f"an {slot.type} tensor has zero point {slot.zero_point}, not 0")

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front; it has to be one of the tensor's."""
        position = axis + rank if axis < 0 else axis
        if not 0 <= position < rank:
            raise PrepareError(f"axis {axis} is none of a tensor of rank {rank}")
        return position

    def broadcast(self, *slots: Slot) -> Shape:
        """The shape of an element-wise result (CalculateShapeForBroadcast, tflite/kernels/kernel_util.cc)."""
        rank = max(slot.rank for slot in slots)
        shapes = [(1,) * (rank - slot.rank) + slot.shape for slot in slots]
        found = []
        for extents in zip(*shapes, strict=True):
            widest = 0 if 0 in extents else max(extents)
            if any(extent not in (1, widest) for extent in extents):
                given = ", ".join(shape_text(slot.shape) for slot in slots)
                raise PrepareError(f"shapes {given} are not broadcastable")
            found.append(widest)
        return tuple(found)

    def call(self, index: int, given: Sequence[Slot | None]) -> Call:
        """Prepare the subgraph `index` for these operands."""
        raise NotImplementedError

    def resize(self, slot: Slot, shape: Sequence[int]) -> None:
        """Subgraph::ResizeTensor. A constant keeps its size."""
        shape = tuple(shape)
        if shape != slot.shape:
            if slot.memory is Memory.CONSTANT:
                raise PrepareError("an output is a constant of another shape")
            if any(extent < 0 for extent in shape):
                raise PrepareError(f"its result has shape {shape_text(shape)}")
            slot.shape = shape

    def like(self, source: Slot, position: int = 0) -> None:
        """An output takes an input's shape."""
        self.resize(self.output(position), source.shape)

    def keep(self, slot: Slot) -> None:
        """Its bytes outlive a run, so that it is no ordinary activation any more."""
        slot.memory = Memory.PERSISTENT

    def dynamic(self) -> None:
        """The outputs get their sizes when the model runs."""
        for slot in self.outputs():
            slot.memory = Memory.DYNAMIC


def shape_text(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


class Slots:
    """The tensors of one subgraph, made when first asked for."""

    __slots__ = ("_made", "_model", "_tensors")

    def __init__(self, model: Model, graph: Subgraph) -> None:
        self._model = model
        self._tensors = graph.tensors
        self._made: dict[int, Slot] = {}

    def __getitem__(self, index: int) -> Slot:
        slot = self._made.get(index)
        if slot is None:
            slot = self._made[index] = Slot(self._model, self._tensors[index])
        return slot

    def made(self) -> Mapping[int, Slot]:
        return self._made


Preparer = Callable[[Step], None]
"""What a CPU kernel does in its Prepare. It raises PrepareError where the kernel returns an error."""
