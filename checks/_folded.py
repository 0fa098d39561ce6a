"""Constant factors that become part of the weights of a layer.

A constant MUL right before or behind a convolution or fully connected layer is multiplied into float weights, so that
only the product with them must fit in half precision, and the tensor between is never stored. A DIV is not; nor is a
factor of int8 weights. A BATCH_MATMUL with a constant matrix (rank 2) is a fully connected layer to the delegate.
Measured on WebGPU on 2.1.2 to 2.3.0."""

from __future__ import annotations

from ..linter.constant_facts import contraction
from ..linter.model import Operator, Subgraph
from ..linter.options import BatchMatMulOptions
from ..linter.ranges import Ranges

FOLDERS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")
REACH = 4
"""Factors in a row that are followed."""


def folds_into(ranges: Ranges, graph: Subgraph, op: Operator) -> Operator | None:
    """The layer whose weights a constant MUL is folded into."""
    behind = before = op
    for _ in range(REACH):
        data = _factored(ranges, graph, behind)
        if data is None:
            break
        producer = graph.producer(data)
        if producer is None or _reader(graph, producer) is not behind:
            break
        if takes_factors(ranges, graph, producer):
            return producer
        behind = producer
    for _ in range(REACH):
        if _factored(ranges, graph, before) is None:
            return None
        reader = _reader(graph, before)
        if reader is None:
            return None
        if takes_factors(ranges, graph, reader):
            return reader if data_of(graph, reader) == before.outputs[0] else None
        before = reader
    return None


def factor_of(ranges: Ranges, graph: Subgraph, layer: Operator) -> float:
    """The greatest magnitude that the weights of a layer are multiplied by."""
    factor = 1.0
    if not takes_factors(ranges, graph, layer):
        return factor
    op = _reader(graph, layer)
    for _ in range(REACH):
        if op is None or _factored(ranges, graph, op) is None:
            break
        factor *= _peak(ranges, graph, op)
        op = _reader(graph, op)
    reader, data = layer, data_of(graph, layer)
    for _ in range(REACH):
        op = graph.producer(data) if data is not None else None
        if op is None or _reader(graph, op) is not reader:
            break
        data = _factored(ranges, graph, op)
        if data is None:
            break
        factor *= _peak(ranges, graph, op)
        reader = op
    return factor


def takes_factors(ranges: Ranges, graph: Subgraph, op: Operator) -> bool:
    """Whether constant factors are multiplied into the weights of an operator: float ones that were read."""
    if op.name not in FOLDERS and not _is_matrix_product(graph, op):
        return False
    found = contraction(graph, op)
    weights = ranges.constants.behind(graph, op.inputs[found[0]]) if found else None
    return weights is not None and not weights.quantized and ranges.constants.facts(graph, weights) is not None


def data_of(graph: Subgraph, layer: Operator) -> int | None:
    """The tensor that a layer multiplies by its weights."""
    found = contraction(graph, layer)
    if found is None:
        return None
    return layer.inputs[2 if layer.name == "TRANSPOSE_CONV" else 1 - found[0]]


def _is_matrix_product(graph: Subgraph, op: Operator) -> bool:
    if op.name != "BATCH_MATMUL" or len(op.inputs) < 2 or op.inputs[1] < 0:
        return False
    options, weights = op.options_of(BatchMatMulOptions), graph.tensors[op.inputs[1]]
    return weights.rank == 2 and not (options is not None and (options.adj_x or options.adj_y))


def _reader(graph: Subgraph, op: Operator) -> Operator | None:
    """The one operator that reads what an operator makes, where nothing comes between them."""
    if op.activation != "NONE" or not op.outputs:
        return None
    readers = graph.consumers.get(op.outputs[0], ())
    if len(readers) != 1 or op.outputs[0] in graph.outputs:
        return None
    return graph.operators[readers[0]]


def _factored(ranges: Ranges, graph: Subgraph, op: Operator) -> int | None:
    """What a MUL multiplies by a constant."""
    if op.name != "MUL" or len(op.inputs) != 2 or min(op.inputs) < 0:
        return None
    constants = [ranges.constants.behind(graph, index) is not None for index in op.inputs]
    if sum(constants) != 1:
        return None
    return op.inputs[0] if constants[1] else op.inputs[1]


def _peak(ranges: Ranges, graph: Subgraph, op: Operator) -> float:
    for index in op.inputs:
        constant = ranges.constants.behind(graph, index)
        facts = ranges.constants.facts(graph, constant) if constant is not None else None
        if facts is not None:
            return facts.peak
    return 1.0
