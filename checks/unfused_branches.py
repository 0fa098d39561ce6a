"""Parallel branches that a deploy mode would have merged, or a BatchNorm left beside its convolution.

## What it reports
- A sum of convolutions of one tensor, one with a larger kernel and one 1x1 with the same strides, each as it is or
  behind a BatchNorm, possibly together with the tensor itself: the block of a re-parameterised network. Depthwise
  blocks count too.
- A multiplication and an addition of constants with one value a channel directly behind a convolution or a
  FULLY_CONNECTED without activation: a BatchNorm that was not folded.

## Why it matters
It is the training graph of a re-parameterised network (RepVGG, MobileOne, YOLOv6 and later), exported without its
deploy mode, or a model that was exported in training mode or with its BatchNorm kept apart. Results are right; a
block costs two or three times the operators and tensors. Up to 2.1.5, every unfused addition is also a chance for
`fused-output`.

## What to do
```python
model.eval()                                    # BatchNorm uses its running statistics
for module in model.modules():
    if hasattr(module, "switch_to_deploy"):
        module.switch_to_deploy()               # RepVGG; or reparameterize(), fuse(), by the library
model = torch.fx.experimental.optimization.fuse(model)      # conv + BatchNorm, or:
conv = torch.nn.utils.fusion.fuse_conv_bn_eval(conv, bn)
```

By hand, a 1x1 kernel is a 3x3 kernel with zeros around it, and the identity is a 3x3 kernel with a 1 in the middle of
its own channel: add the kernels and the biases. Equal to rounding.

## What it cannot see
Intent: two parallel branches may be the architecture. Branches with an activation before the sum, and sums of
concatenations, are no such block and are not reported; nor is a plain residual. An `inplace=True` activation that
changed a residual before it was added leaves no trace: the file holds what PyTorch computed. Compare the source model
with and without `inplace`, or with `--confirm --reference`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constant_facts import Constants
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

CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
NORMALIZED = (*CONVOLUTIONS, "TRANSPOSE_CONV", "FULLY_CONNECTED")
"""Operators that a BatchNorm behind them folds into."""
SCALES = ("MUL", "DIV")
SHIFTS = ("ADD", "SUB")

STEPS = 4
"""Operators of a BatchNorm, at most: minus mean, over deviation, times gamma, plus beta."""
BRANCHES = 8
"""Terms of a sum that are looked at."""


def check(case: Case) -> Iterator[Finding]:
    constants = case.derive(Constants)
    for graph, op in case.operators("ADD", *NORMALIZED):
        if op.name == "ADD":
            yield from _branches(constants, graph, op)
        else:
            yield from _batch_norm(constants, graph, op)


def _branches(constants: Constants, graph: Subgraph, op: Operator) -> Iterator[Finding]:
    """The last ADD of a sum, whose terms are convolutions of one tensor, one of them 1x1 and one larger."""
    reader = _only_reader(graph, op.outputs[0])
    if (
        reader is not None
        and reader.name == "ADD"
        and op.activation == "NONE"
        and not _per_channel(constants, graph, reader)
    ):
        return
    terms = [_behind_batch_norm(constants, graph, tensor) for tensor in _terms(constants, graph, op)]
    for source in dict.fromkeys(term[1].inputs[0] for term in terms if term[1] is not None):
        convs = [conv for _, conv in terms if conv is not None and conv.inputs[0] == source]
        kernels = [_kernel(graph, conv) for conv in convs]
        strides = {_strides(conv) for conv in convs}
        if (1, 1) not in kernels or max(map(max, kernels)) == 1 or len(strides) > 1:
            continue
        names = {conv.name for conv in convs}
        if len(names) > 1:
            continue
        identity = any(tensor == source for tensor, conv in terms if conv is None)
        sizes = ", ".join("x".join(map(str, kernel)) for kernel in kernels)
        also = " and the tensor itself" if identity else ""
        yield RULE.finding(
            place(graph, op, op.inputs),
            f"{names.pop()}s of {graph.label(source)} ({sizes}){also} are summed",
            advice="export the deploy mode of the block: one convolution gives the same result to rounding",
            confidence=Confidence.HEURISTIC,
        )


def _terms(constants: Constants, graph: Subgraph, op: Operator) -> list[int]:
    """The tensors that a tree of ADDs sums, as long as nothing else reads the sums between."""
    terms: list[int] = []
    waiting = list(op.inputs)
    while waiting and len(terms) + len(waiting) <= BRANCHES:
        tensor = waiting.pop()
        producer = graph.producer(tensor) if tensor >= 0 else None
        inner = producer is not None and producer.name == "ADD" and not _per_channel(constants, graph, producer)
        if producer is not None and inner and producer.activation == "NONE" and _only_reader(graph, tensor):
            waiting += producer.inputs
        else:
            terms.append(tensor)
    return [tensor for tensor in [*terms, *waiting] if tensor >= 0]


def _behind_batch_norm(constants: Constants, graph: Subgraph, tensor: int) -> tuple[int, Operator | None]:
    """The tensor in front of a BatchNorm, and the convolution without an activation that made it."""
    producer = graph.producer(tensor)
    for _ in range(STEPS):
        if producer is None or producer.name not in (*SCALES, *SHIFTS) or not _per_channel(constants, graph, producer):
            break
        tensor = next(t for t in producer.inputs if constants.behind(graph, t) is None)
        producer = graph.producer(tensor)
    if producer is None or producer.name not in CONVOLUTIONS or len(producer.inputs) < 2:
        return tensor, None
    plain = producer.activation == "NONE" and min(producer.inputs[:2]) >= 0
    return tensor, producer if plain and graph.tensors[producer.inputs[1]].rank == 4 else None


def _kernel(graph: Subgraph, conv: Operator) -> tuple[int, ...]:
    return graph.tensors[conv.inputs[1]].shape[1:3]


def _strides(conv: Operator) -> tuple[int, int]:
    options = conv.options_of(Conv2DOptions) or conv.options_of(DepthwiseConv2DOptions)
    return (options.stride_h, options.stride_w) if options is not None else (1, 1)


def _only_reader(graph: Subgraph, tensor: int) -> Operator | None:
    """The operator that alone reads a tensor which is no output."""
    readers = graph.readers(tensor)
    return readers[0] if len(readers) == 1 and tensor not in graph.outputs else None


def _per_channel(constants: Constants, graph: Subgraph, op: Operator) -> bool:
    """Whether one operand is a constant with one value a channel, and the other is none."""
    if len(op.inputs) != 2 or min(op.inputs) < 0 or not op.outputs:
        return False
    held = [constants.behind(graph, index) for index in op.inputs]
    values = [tensor for tensor in held if tensor is not None]
    if len(values) != 1 or (op.name in ("DIV", "SUB") and held[0] is not None):
        return False
    channels = graph.tensors[op.outputs[0]].shape[-1:]
    return values[0].shape[-1:] == channels != (1,) and (values[0].elements,) == channels


def _batch_norm(constants: Constants, graph: Subgraph, conv: Operator) -> Iterator[Finding]:
    """Scales and shifts of a constant a channel behind a convolution, with nothing else reading between."""
    if not conv.outputs or conv.activation != "NONE":
        return
    steps: list[Operator] = []
    tensor = conv.outputs[0]
    while len(steps) < STEPS:
        reader = _only_reader(graph, tensor)
        if reader is None or reader.name not in (*SCALES, *SHIFTS) or not _per_channel(constants, graph, reader):
            break
        steps.append(reader)
        tensor = reader.outputs[0]
        if reader.activation != "NONE":
            break
    names = {step.name for step in steps}
    if names.isdisjoint(SCALES) or names.isdisjoint(SHIFTS):
        return
    yield RULE.finding(
        place(graph, steps[0], (conv.outputs[0], tensor)),
        f"a BatchNorm behind {conv.name} at {conv.index} is not folded into its weights",
        advice="export in eval mode and fuse it (`torch.nn.utils.fusion.fuse_conv_bn_eval`): the same to rounding",
        confidence=Confidence.HEURISTIC,
    )
