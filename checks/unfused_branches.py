"""Parallel branches that a deploy mode would have merged.

## What it reports
A sum of a larger convolution, a 1x1 convolution of the same input, and possibly the input itself; and a
multiplication and addition of per-channel constants directly behind a convolution.

## Why it matters
It is the training graph of a re-parameterised network (RepVGG, MobileOne, YOLOv6 and later), exported without its
deploy mode, or a BatchNorm that was not folded. Results are right; every block costs two or three times the
operators.

## What to do
```python
model.eval()
for module in model.modules():
    if hasattr(module, "switch_to_deploy"):
        module.switch_to_deploy()       # or reparameterize(), fuse()
```

## What it cannot see
Intent: two parallel branches may be the architecture.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.options import Conv2DOptions, DepthwiseConv2DOptions

RULE = Rule(
    id="unfused-branches",
    summary="parallel branches or a BatchNorm that could be merged",
    kind=Kind.CONVERSION,
    severity=Severity.INFO,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.operators():
        if op.name == "ADD":
            yield from _branches(graph, op)
        elif op.name == "MUL":
            yield from _batch_norm(graph, op)


def _branches(graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """A 3x3 and a 1x1 convolution of one input that meet in an ADD."""
    if len(op.inputs) != 2:
        return
    first, second = (_convolution(graph, tensor) for tensor in op.inputs)
    if first is None or second is None:
        return
    kernels = [graph.tensors[conv.inputs[1]].shape[1:3] for conv in (first, second)]
    if first.inputs[0] != second.inputs[0] or sorted(map(max, kernels)) == [1, 1] or (1, 1) not in kernels:
        return
    yield RULE.finding(
        place(graph, op, op.inputs),
        f"a {_size(kernels[0])} and a {_size(kernels[1])} convolution of {graph.label(first.inputs[0])} are summed",
        advice="export the deploy mode of the block: one convolution gives the same result to rounding",
        confidence=Confidence.HEURISTIC,
    )


def _size(kernel: tuple[int, ...]) -> str:
    return "x".join(map(str, kernel))


def _convolution(graph: Subgraph, tensor: int) -> Operator | None:
    """The CONV_2D behind a tensor, straight or through a BatchNorm, without an activation."""
    producer = graph.producer(tensor) if tensor >= 0 else None
    for _ in range(2):
        if producer is None or producer.name not in ("MUL", "ADD") or not _per_channel(graph, producer):
            break
        producer = graph.producer(producer.inputs[0])
    if producer is None or producer.name != "CONV_2D" or len(producer.inputs) < 2 or producer.inputs[1] < 0:
        return None
    options = producer.options_of(Conv2DOptions)
    plain = options is None or options.fused_activation_function == "NONE"
    return producer if plain and graph.tensors[producer.inputs[1]].rank == 4 else None


def _per_channel(graph: Subgraph, op: Operator) -> bool:
    """Whether the second operand is a constant with one value a channel."""
    if len(op.inputs) != 2 or min(op.inputs) < 0:
        return False
    constant, out = graph.tensors[op.inputs[1]], graph.tensors[op.outputs[0]]
    return constant.constant and out.rank > 0 and constant.elements == out.shape[-1] > 1


def _batch_norm(graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """CONV_2D, MUL by a constant a channel, ADD of a constant a channel, with nothing else reading between."""
    conv = graph.producer(op.inputs[0]) if op.inputs and op.inputs[0] >= 0 else None
    if conv is None or conv.name not in ("CONV_2D", "DEPTHWISE_CONV_2D") or not _per_channel(graph, op):
        return
    readers = graph.readers(op.outputs[0])
    if len(graph.readers(op.inputs[0])) != 1 or len(readers) != 1 or readers[0].name != "ADD":
        return
    options = conv.options_of(Conv2DOptions) or conv.options_of(DepthwiseConv2DOptions)
    if not _per_channel(graph, readers[0]) or (options is not None and options.fused_activation_function != "NONE"):
        return
    yield RULE.finding(
        place(graph, op, (op.inputs[0], *readers[0].outputs)),
        f"a BatchNorm behind {conv.name} at {conv.index} is not folded into its weights",
        advice="export in eval mode and fuse it (`torch.nn.utils.fusion.fuse_conv_bn_eval`): the same to rounding",
        confidence=Confidence.HEURISTIC,
    )
