"""The graph as plain data, for reports that draw it; gathered only when one asks."""

from __future__ import annotations

from typing import NamedTuple

from .model import Model


class TensorFact(NamedTuple):
    """One tensor as a report shows it."""

    name: str
    type: str
    shape: tuple[int, ...]
    constant: bool
    size: int
    """Bytes in the file; 0 for a runtime tensor."""


class OperatorFact(NamedTuple):
    """One operator as a report shows it; tensor numbers index the subgraph's tensors, -1 is an absent input."""

    index: int  # type: ignore[assignment]
    op: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class SubgraphFact(NamedTuple):
    index: int  # type: ignore[assignment]
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[OperatorFact, ...]
    tensors: tuple[TensorFact, ...]


class SignatureFact(NamedTuple):
    key: str
    subgraph: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


class ModelFacts(NamedTuple):
    """All of it."""

    description: str | None
    subgraphs: tuple[SubgraphFact, ...]
    signatures: tuple[SignatureFact, ...]
    constant_bytes: int


def gather(model: Model) -> ModelFacts:
    return ModelFacts(
        description=model.description,
        subgraphs=tuple(
            SubgraphFact(
                index=graph.index,
                name=graph.name,
                inputs=graph.inputs,
                outputs=graph.outputs,
                operators=tuple(
                    OperatorFact(op.index, op.title, op.version, op.inputs, op.outputs) for op in graph.operators
                ),
                tensors=tuple(
                    TensorFact(
                        name=graph.label(tensor.index),
                        type=str(tensor.type),
                        shape=tensor.shape,
                        constant=tensor.constant,
                        size=model.constant_size(tensor),
                    )
                    for tensor in graph.tensors
                ),
            )
            for graph in model.subgraphs
        ),
        signatures=tuple(
            SignatureFact(signature.key, signature.subgraph, signature.inputs, signature.outputs)
            for signature in model.signatures
        ),
        constant_bytes=sum(buffer.size for buffer in model.buffers),
    )
