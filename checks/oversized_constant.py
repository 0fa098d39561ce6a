"""A constant that takes more bytes than it says anything with.

## What it reports
A constant of 16 KiB or more that repeats one slice along an axis and feeds an input that broadcasts by itself; a
large computed-looking constant at an input that is not a weight; and constants stored more than once.

## Why it matters
A converter folds `parameter * constant` and `expand` into one tensor at full size. The file grows by the factor of
the repetition, the GPU uploads and keeps all of it, and a fp16 conversion leaves such a constant in FLOAT32.
Nothing breaks until a limit is reached: 2 GB for a flatbuffer, 128 MiB for a WebGPU buffer binding.

## What to do
```python
self.register_buffer("bias", bias)              # keep [c] or [1, 1, 1, c] and let ADD or MUL broadcast
y = x + self.bias                               # not x + self.bias.expand(n, h, w, c)
```

A product of two constants that is far larger than its factors is best fed with one factor as a runtime input, so
that the product cannot be folded. Tie duplicated weights to one module before export.

## What it cannot see
Large constants are compared in samples, so the finding says what a constant looks like. Weights of convolutions and
matrix products are never called folded."""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Model, Operator, Subgraph, Tensor
from ..linter.repetition import repeated_axes, same_bytes, uniform

RULE = Rule(
    id="oversized-constant",
    summary="a constant takes more bytes than it says anything with",
    kind=Kind.SIZE,
    severity=Severity.INFO,
    since="0.1.0",
)

WEIGHTS = {
    "CONV_2D": (1, 2),
    "DEPTHWISE_CONV_2D": (1, 2),
    "TRANSPOSE_CONV": (1, 3),
    "CONV_3D": (1, 2),
    "CONV_3D_TRANSPOSE": (1, 3),
    "FULLY_CONNECTED": (1, 2),
    "BATCH_MATMUL": (0, 1),
    "EMBEDDING_LOOKUP": (1,),
    "GATHER": (0,),
    "GATHER_ND": (0,),
    "SVDF": (1, 2, 3),
}
"""Inputs that are weights by position; recurrent operators are left out as a whole."""

RECURRENT = ("LSTM", "RNN")

BROADCASTS = frozenset(
    {"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD"}
    | {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR"}
)
"""Operators that broadcast an operand by themselves, so that a repetition need not be stored."""

LARGE = 1 << 20
"""Bytes from which a constant at an input that is not a weight is named although it repeats nothing."""


def check(case: Case) -> Iterator[Finding]:
    yield from case.derive(_Found)(case.settings.limits.oversized_constant)


class _Found:
    """The findings for a limit; made once a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __call__(self, limit: int) -> Iterator[Finding]:
        yield from self._folded(limit)
        yield from self._duplicates(limit)

    def _folded(self, limit: int) -> Iterator[Finding]:
        model = self._model
        seen: set[int] = set()
        for graph in model.subgraphs:
            for op in graph.operators:
                for position, tensor in _constants(graph, op):
                    size = model.constant_size(tensor)
                    if size < limit or tensor.buffer in seen or _is_weight(op, position):
                        continue
                    seen.add(tensor.buffer)
                    yield from self._judge(graph, op, tensor, size)

    def _judge(self, graph: Subgraph, op: Operator, tensor: Tensor, size: int) -> Iterator[Finding]:
        axes = repeated_axes(self._model, tensor)
        kept = [1 if axis in axes else extent for axis, extent in enumerate(tensor.shape)]
        where = place(graph, op, (tensor.index,))
        said = f"constant {graph.label(tensor.index)} {list(tensor.shape)} takes {_bytes(size)}"
        if axes and op.name in BROADCASTS:
            saved = size
            for axis in axes:
                saved //= tensor.shape[axis]
            saved = size - saved
            yield RULE.finding(
                where,
                f"{said} and looks folded from {kept}: it repeats along axis {', '.join(map(str, axes))}",
                advice=f"store it as {kept} and let {op.name} broadcast: saves {_bytes(saved)}",
                confidence=Confidence.HEURISTIC,
            )
        elif size >= LARGE and op.name in BROADCASTS:
            yield RULE.finding(
                where,
                f"{said} at an input of {op.name} that is not a weight: it looks computed at conversion",
                advice="if it is a product of smaller tensors, feed one factor as a runtime input, "
                "so that it cannot be folded",
                confidence=Confidence.HEURISTIC,
            )

    def _duplicates(self, limit: int) -> Iterator[Finding]:
        model = self._model
        by_size: dict[int, list[tuple[Subgraph, Operator, Tensor]]] = {}
        seen: set[int] = set()
        for graph in model.subgraphs:
            for op in graph.operators:
                for _, tensor in _constants(graph, op):
                    size = model.constant_size(tensor)
                    if size >= limit and tensor.buffer not in seen:
                        seen.add(tensor.buffer)
                        by_size.setdefault(size, []).append((graph, op, tensor))
        for size, entries in by_size.items():
            if len(entries) < 2:
                continue
            firsts: list[tuple[Subgraph, Tensor]] = []
            for graph, op, tensor in entries:
                if uniform(model, tensor):
                    continue  # initial zeros or ones say nothing about sharing
                same = next((entry for entry in firsts[:MOST_COMPARED] if same_bytes(model, entry[1], tensor)), None)
                if same is None:
                    firsts.append((graph, tensor))
                    continue
                other_graph, other = same
                yield RULE.finding(
                    place(graph, op, (tensor.index, other.index if other_graph is graph else -1)),
                    f"constant {graph.label(tensor.index)} ({_bytes(size)}) holds the same bytes as "
                    f"{other_graph.label(other.index)}",
                    advice=f"share one tensor between the modules before export: saves {_bytes(size)}",
                    confidence=Confidence.HEURISTIC,
                )


MOST_COMPARED = 8
"""Different constants of one size that a further one is compared with."""


def _constants(graph: Subgraph, op: Operator) -> Iterator[tuple[int, Tensor]]:
    for position, index in enumerate(op.inputs):
        if index >= 0 and graph.tensors[index].constant:
            yield position, graph.tensors[index]


def _is_weight(op: Operator, position: int) -> bool:
    return op.name == "DEQUANTIZE" or position in WEIGHTS.get(op.name, ()) or op.name.endswith(RECURRENT)


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
