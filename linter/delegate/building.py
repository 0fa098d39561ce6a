"""What a kernel is built from: an accepted operator with its operands, and the ways in which building it ends badly.

Building tests nothing upstream: whatever the check let through is read, and what cannot be read ends the process
(ObjectReader and CopyFloat32Data, ml_drift_delegate/tflite/object_reader.cc and model_builder_helper.cc, v2.2.0).
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from ..model import Model, Operator, OptionsT, Subgraph, Tensor
from ..targets import VERSIONS, Era
from .failure import Failure, Fault, Stage, measured
from .node import Node, is_half_weight
from .quantized import scheme

BATCH_AXIS = "Unable to parse bc coord for BATCH axis"
"""A kernel that knows one batch only was given more (measured)."""

CANNOT_READ = "Check failed: CanReadValue(node_input_index)"
"""A constant where the kernel wants a runtime tensor (ObjectReader::AddInput)."""


class Build:
    """One operator that the delegate has taken."""

    __slots__ = ("era", "graph", "node", "op")

    def __init__(self, model: Model, graph: Subgraph, op: Operator, era: Era, substitutes: dict[int, int]) -> None:
        self.graph = graph
        self.op = op
        self.era = era
        self.node = Node(model, graph, op, era, substitutes)

    def input(self, position: int) -> Tensor | None:
        return self.node.input(position)

    def options(self, kind: type[OptionsT]) -> OptionsT | None:
        return self.op.options_of(kind)

    def fail(
        self, fault: Fault, message: str, outcome: str, *tensors: Tensor, releases: tuple[str, ...] = VERSIONS
    ) -> Failure:
        return Failure(
            fault,
            Stage.AFTER_CHECK,
            message,
            self.graph.index,
            self.op.index,
            tuple([tensor.index for tensor in tensors]),
            measured(outcome, releases),
        )

    def same_tensor(self, tensor: Tensor) -> Failure:
        """GraphFloat32::AddConsumer takes a value once."""
        return self.fail(
            Fault.SAME_TENSOR_TWICE,
            "Check failed: !IsInput(consumer, value)",
            "the process dies when one tensor is two operands",
            tensor,
        )

    def constant_operand(self, tensor: Tensor) -> Failure:
        """Of two tensors that may come at run time, the other one does."""
        return self.fail(Fault.CONSTANT_OPERAND, CANNOT_READ, "the process dies when this operand is constant", tensor)

    def runtime_bias(self, bias: Tensor, weights: Tensor) -> Failure:
        """The kernel then wants its weights at run time as well."""
        outcome = "the process dies when the bias comes at run time and the weights do not"
        return self.fail(Fault.RUNTIME_BIAS, CANNOT_READ, outcome, bias, weights)

    def many_scales(self, tensor: Tensor) -> Failure:
        count = tensor.quantization.scale_count if tensor.quantization is not None else 0
        return self.fail(
            Fault.RUNTIME_SCALES,
            f"Check failed: params->scale->size == 1 ({count} vs. 1)",
            "the process ends when runtime weights have a scale a channel",
            tensor,
        )

    def read_as_float(self, tensor: Tensor | None) -> Iterator[Failure]:
        """CopyFloat32Data: what becomes of a constant that is read as float. None, and what is no constant, is fine."""
        if tensor is None or not tensor.constant or tensor.type in ("FLOAT32", "FLOAT16"):
            return
        if tensor.type in ("INT8", "UINT8", "INT4", "INT32"):
            if scheme(tensor, self.era) != "affine":
                outcome = "the process dies reading an integer constant without per-tensor or per-channel scales"
                yield self.fail(Fault.UNREADABLE_CONSTANT, "", outcome, tensor)
        elif tensor.type != "BOOL" or self.era.before("2.2.0"):
            outcome = f"the process dies reading a constant of type {tensor.type} as float"
            yield self.fail(Fault.UNREADABLE_CONSTANT, "has unsupported dtype.", outcome, tensor)


def per_channel(tensor: Tensor) -> bool:
    return tensor.quantization is not None and tensor.quantization.per_channel


def builds(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era, names: Container[str]) -> Iterator[Build]:
    """The chosen operators of these names, in order."""
    wanted = [op for op in graph.operators if op.index in chosen and op.name in names]
    if not wanted:
        return
    half = _half_constants(graph)
    for op in wanted:
        yield Build(model, graph, op, era, half)


def _half_constants(graph: Subgraph) -> dict[int, int]:
    """FLOAT16 constants by the tensor that a DEQUANTIZE makes of them (FP16GraphPartitionHelper)."""
    return {op.outputs[0]: op.inputs[0] for op in graph.operators if is_half_weight(graph, op)}
