"""An operator as the delegate's check sees it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..constants import integers
from ..model import Model, Operator, OptionsT, Subgraph, Tensor
from ..targets import Era


class Node:
    """One operator on one release.

    `inputs` are its tensors (None where an optional input is absent), after the delegate's own substitution: an
    input that comes from a DEQUANTIZE of a constant FLOAT16 tensor *is* that constant for the check
    (FP16GraphPartitionHelper, tflite/delegates/utils.cc)."""

    __slots__ = ("_known", "_outside_arena", "era", "graph", "inputs", "model", "op", "outputs")

    def __init__(
        self,
        model: Model,
        graph: Subgraph,
        op: Operator,
        era: Era,
        substitutes: Mapping[int, int],
        outside_arena: frozenset[int] = frozenset(),
        known: Mapping[int, tuple[int, ...] | None] = MappingProxyType({}),
    ) -> None:
        """`substitutes` maps a tensor to the FLOAT16 constant that stands for it. After the CPU kernels' Prepare,
        `outside_arena` are tensors that are no ordinary activations any more, and `known` those of them whose value
        is there already (kTfLitePersistentRo)."""
        self.model = model
        self.graph = graph
        self.op = op
        self.era = era
        self._outside_arena = outside_arena
        self._known = known
        tensors = graph.tensors
        self.inputs: tuple[Tensor | None, ...] = tuple(
            [None if index < 0 else tensors[substitutes.get(index, index)] for index in op.inputs]
        )
        self.outputs: tuple[Tensor | None, ...] = tuple([None if index < 0 else tensors[index] for index in op.outputs])

    def since(self, version: str) -> bool:
        return self.era.since(version)

    def before(self, version: str) -> bool:
        return not self.era.since(version)

    def options(self, kind: type[OptionsT]) -> OptionsT | None:
        return self.op.options_of(kind)

    def input(self, position: int) -> Tensor | None:
        """The input at a position, None where it is absent or missing."""
        return self.inputs[position] if position < len(self.inputs) else None

    def output(self, position: int) -> Tensor | None:
        return self.outputs[position] if position < len(self.outputs) else None

    def constant(self, position: int) -> bool:
        tensor = self.input(position)
        return tensor is not None and tensor.constant

    def in_arena(self, tensor: Tensor) -> bool:
        """Whether it is an ordinary activation (kTfLiteArenaRw)."""
        return not (tensor.constant or tensor.variable or tensor.index in self._outside_arena)

    def has_data(self, tensor: Tensor) -> bool:
        """Whether its values are there when the delegate asks: a constant, or precomputed by a CPU kernel."""
        return tensor.constant or tensor.index in self._known

    @property
    def runtime_count(self) -> int:
        """Inputs that are neither constant nor absent."""
        return sum([tensor is not None and not tensor.constant for tensor in self.inputs])

    @property
    def constant_count(self) -> int:
        """Constant inputs; absent ones do not count (gpu_compatibility.cc, v2.2.0)."""
        return sum([tensor is not None and tensor.constant for tensor in self.inputs])

    @property
    def all_constant(self) -> bool:
        """Whether it has inputs and every one of them is constant."""
        present = [tensor for tensor in self.inputs if tensor is not None]
        return bool(present) and all(tensor.constant for tensor in present)

    def label(self, tensor: Tensor) -> str:
        """The tensor's name as the runtime prints it."""
        return self.graph.label(tensor.index)

    def integers(self, tensor: Tensor) -> tuple[int, ...] | None:
        """The values of a small integer constant, or of what CPU kernels have computed by then; None when they cannot
        be told from the file."""
        if tensor.index in self._known:
            return self._known[tensor.index]
        return integers(self.model, tensor)


def is_half_weight(graph: Subgraph, op: Operator) -> bool:
    """A DEQUANTIZE of a constant FLOAT16 tensor (FP16GraphPartitionHelper::IsNodeSupported, tflite/delegates/utils.cc,
    v2.2.0)."""
    if op.name != "DEQUANTIZE" or not op.inputs or op.inputs[0] < 0 or not op.outputs:
        return False
    weights = graph.tensors[op.inputs[0]]
    return weights.type == "FLOAT16" and weights.constant
