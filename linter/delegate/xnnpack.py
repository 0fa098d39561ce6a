"""What XNNPACK cannot take of what the delegate left: the model is refused once all subgraphs have been reported.

Most such operators fall back to CPU kernels. These are the ones for which XNNPACK promises more than it does, all
measured; the CPU alone fails on them too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..constants import integers
from ..model import Model, Operator, Subgraph
from ..options import DepthwiseConv2DOptions, StableHLOCompositeOptions
from ..targets import VERSIONS, Era
from .failure import Failure, Fault, Stage, measured


def cpu_failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    for op in graph.operators:
        if op.index in chosen:
            continue
        message = None
        if op.name == "DEPTHWISE_CONV_2D":
            message = _depthwise(graph, op, era)
        elif op.name == "CUSTOM" and op.custom_code in ("MaxPoolingWithArgmax2D", "MaxUnpooling2D"):
            message = _pooling(graph, op, era)
        elif op.name == "TRANSPOSE":
            message = _transpose(graph, op)
        elif op.name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
            message = _reduction(model, graph, op, era)
        elif op.name == "STABLEHLO_COMPOSITE":
            message = _attention(graph, op)
        if message is not None:
            evidence = measured("XNNPACK fails, on the CPU alone too")
            yield Failure(Fault.PREPARE, Stage.LOAD, message, graph.index, op.index, (), evidence)


def _depthwise(graph: Subgraph, op: Operator, era: Era) -> str | None:
    """Up to 2.1.6 the multiplier is taken from the shapes."""
    options = op.options_of(DepthwiseConv2DOptions)
    if options is None or min(op.inputs[:2], default=-1) < 0 or not op.outputs:
        return None
    data, result = graph.tensors[op.inputs[0]], graph.tensors[op.outputs[0]]
    multiplier = options.depth_multiplier
    agrees = not multiplier or not data.shape or result.shape[-1] == data.shape[-1] * multiplier
    return None if agrees or era.before("2.2.0") else "XNNPack delegate failed to reshape runtime"


def _pooling(graph: Subgraph, op: Operator, era: Era) -> str | None:
    """The indices, for which XNNPACK takes one type and the delegate another."""
    pools = op.custom_code == "MaxPoolingWithArgmax2D"
    tensors = op.outputs if pools else op.inputs
    if len(tensors) < 2 or graph.tensors[tensors[1]].type not in ("INT32", "INT64"):
        return None
    if not pools and era.since(VERSIONS[-1]):
        return None
    return f"unsupported datatype ({graph.tensors[tensors[1]].type}) of tensor {tensors[1]} in XNNPACK delegate"


def _transpose(graph: Subgraph, op: Operator) -> str | None:
    order = graph.tensors[op.inputs[1]] if len(op.inputs) == 2 else None
    wide = order is not None and order.constant and order.type == "INT64"
    return f"failed to delegate TRANSPOSE node #{op.index}" if wide else None


def _reduction(model: Model, graph: Subgraph, op: Operator, era: Era) -> str | None:
    """Of a scalar, up to 2.1.3; and over an axis that is out of range, which the kernel has let pass up to 2.1.6."""
    if len(op.inputs) != 2 or min(op.inputs) < 0:
        return None
    rank = graph.tensors[op.inputs[0]].rank
    axes = integers(model, graph.tensors[op.inputs[1]]) or ()
    too_large, too_small = max(axes, default=-1) >= rank > 0, rank > 0 and min(axes, default=0) < -rank
    fails = (rank == 0 and era.before("2.1.4")) or (too_large and era.before("2.2.0"))
    if fails or (too_small and era.within("2.1.6", "2.1.6")):
        return "XNNPack delegate failed to reshape runtime"
    return None


def _attention(graph: Subgraph, op: Operator) -> str | None:
    """Of rank 5, or with keys and values of different lengths."""
    options = op.options_of(StableHLOCompositeOptions)
    if options is None or options.name != "odml.scaled_dot_product_attention" or len(op.inputs) < 3:
        return None
    query, keys, values = (graph.tensors[tensor].shape for tensor in op.inputs[:3])
    same_width = query[-1:] == keys[-1:]
    if same_width and (len(query) == 5 or keys != values):
        return "XNNPack delegate failed to reshape runtime"
    return None
