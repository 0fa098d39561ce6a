"""What a model has that makes GPU and CPU differ without a fault of either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Model, Operator, Subgraph
from .ranges import ranges

_QUANTIZED_TYPES = frozenset({"INT2", "INT4", "INT8", "UINT8", "INT16"})

_WEIGHTED = frozenset(
    {"BATCH_MATMUL", "CONV_2D", "CONV_3D", "DEPTHWISE_CONV_2D", "EMBEDDING_LOOKUP", "FULLY_CONNECTED", "TRANSPOSE_CONV"}
)


@dataclass(frozen=True, slots=True)
class Traits:
    """Read off the graph, before anything runs.

    `quantized`: some values are quantized. With dynamic-range weights the CPU quantizes the activations and the GPU
    does not, which is 0.3 to 2 % for one operator and up to 5 % for a model; static quantization differs by single
    steps, which add up (measured on 2.1.2 to 2.3.0). `unwritten`: (signature, output) pairs that are inputs too; for
    them CompiledModel returns unwritten memory, on the CPU as well; the signature is None where the model has none.
    `fused_tanh`: operators with a fused TANH, which the GPU applies and both CPU kernels ignore. `ranges`: see
    `ranges.ranges`.
    """

    quantized: bool
    unwritten: frozenset[tuple[str | None, str]]
    fused_tanh: tuple[str, ...]
    ranges: dict[str, tuple[float, float]]

    def is_unwritten(self, signature: str, name: str) -> bool:
        return (signature, name) in self.unwritten or (None, name) in self.unwritten


def traits(model: Model) -> Traits:
    """The traits of a model, whose file must be open."""
    operators = [(graph, operator) for graph in model.subgraphs for operator in graph.operators]
    return Traits(
        quantized=any(_quantized(graph, operator) for graph, operator in operators),
        unwritten=frozenset(_unwritten(model)),
        fused_tanh=tuple(
            f"{graph.index}/{operator.index}:{operator.title}"
            for graph, operator in operators
            if getattr(operator.options, "fused_activation_function", None) == "TANH"
        ),
        ranges=ranges(model),
    )


def _quantized(graph: Subgraph, operator: Operator) -> bool:
    """Whether the operator computes with quantized values: its result is one, or its weights are."""
    results = [graph.tensors[tensor] for tensor in operator.outputs if tensor >= 0]
    if any(tensor.quantized and tensor.type in _QUANTIZED_TYPES for tensor in results):
        return True
    if operator.name not in _WEIGHTED:
        return False
    weights = [graph.tensors[tensor] for tensor in operator.inputs[:2] if tensor >= 0]
    return any(tensor.constant and tensor.type in _QUANTIZED_TYPES for tensor in weights)


def _unwritten(model: Model) -> Iterator[tuple[str | None, str]]:
    for signature in model.signatures:
        inputs = set(model.subgraphs[signature.subgraph].inputs)
        yield from ((signature.key, name) for name, tensor in signature.outputs if tensor in inputs)
    if not model.signatures and model.subgraphs:
        graph = model.subgraphs[0]
        yield from ((None, graph.tensors[tensor].name) for tensor in graph.outputs if tensor in set(graph.inputs))
