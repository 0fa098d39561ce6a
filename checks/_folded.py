"""Constant factors that become part of the weights in front of them."""

from __future__ import annotations

from ..linter.constant_facts import contraction
from ..linter.model import Operator, Subgraph
from ..linter.ranges import Ranges

FOLDERS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


def folds_into(ranges: Ranges, graph: Subgraph, op: Operator) -> Operator | None:
    """The convolution or fully connected layer whose weights a constant MUL behind it is folded into: it is the only
    reader, there is no activation between, and the weights are constant and were read."""
    if op.name != "MUL" or len(op.inputs) != 2:
        return None
    for index, other in (op.inputs, op.inputs[::-1]):
        producer = graph.producer(index)
        if producer is None or producer.name not in FOLDERS or ranges.constants.behind(graph, other) is None:
            continue
        if graph.consumers.get(index, ()) != (op.index,) or index in graph.outputs:
            continue
        if str(getattr(producer.options, "fused_activation_function", "NONE")) != "NONE":
            continue
        found = contraction(graph, producer)
        weights = ranges.constants.behind(graph, producer.inputs[found[0]]) if found else None
        if weights is not None and ranges.constants.facts(graph, weights) is not None:
            return producer
    return None
