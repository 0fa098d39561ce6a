"""The graph as the delegate sees it after its own rewrites: what it unites with what, and which tensors are then
never written.

The delegate rewrites what it has accepted, in passes, before it builds kernels: it drops operators that change
nothing, folds padding, scales and biases into their neighbours, and unites chains of elementwise operators. The
passes are named in the released binaries (merge_padding_with_pooling, merge_convolution_with_mul, …; 2.1.2 to
2.3.0); what each takes was measured on all seven releases. They do not ask whether the tensor between two united
operators is an output: such an output is never written.

A tensor that leaves the kept partition for the CPU is an output of the delegate's graph like any other (measured
from 2.1.4 on)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from itertools import islice
from typing import NamedTuple

from ..constants import all_zero, scalar, values
from ..model import Model, Operator, Subgraph, Tensor
from ..options import (
    ConcatenationOptions,
    Conv2DOptions,
    DepthwiseConv2DOptions,
    PackOptions,
    Pool2DOptions,
    ReducerOptions,
    UnpackOptions,
)
from .layout import Layout, axis_letter, layout
from .node import is_half_weight
from .quantized import MATRIX_TYPES

UNARY = frozenset({
    "ABS", "CAST", "CEIL", "COS", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "GELU", "HARD_SWISH", "LEAKY_RELU",
    "LOG", "LOGICAL_NOT", "LOGISTIC", "NEG", "PRELU", "QUANTIZE", "RELU", "RELU6", "RELU_0_TO_1",
    "RELU_N1_TO_1", "ROUND", "RSQRT", "SIGN", "SIN", "SQRT", "SQUARE", "TANH",
})  # fmt: skip
COMMUTATIVE = frozenset({"ADD", "ADD_N", "MUL"})
"""The delegate unites these with the producer of the operand made last; every other binary operator with that of
its first one."""
BINARY = COMMUTATIVE | {
    "ATAN2", "BITWISE_XOR", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS",
    "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "NOT_EQUAL", "POW", "RIGHT_SHIFT",
    "SQUARED_DIFFERENCE", "SUB",
}  # fmt: skip
ELEMENTWISE = UNARY | BINARY
"""Operators that the delegate computes inside the kernel of the operator before them."""

POOLS = frozenset({"AVERAGE_POOL_2D", "MAX_POOL_2D"})
REDUCTIONS = frozenset({"SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"})
CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "MATRIX"})
"""Operators with constant weights into which a scale can go. MATRIX is a BATCH_MATMUL with a constant of rank 2."""
SPLITS = frozenset({"SPLIT", "SPLIT_V", "UNPACK"})
JOINS = frozenset({"CONCATENATION", "PACK"})


SHOWN = 4
"""Readers of a tensor that are named beside a fault."""


class By(Enum):
    """What unites two operators."""

    IDENTITY = "the second operator changes nothing and is dropped"
    PADDING = "the padding is folded into the next operator"
    SCALE = "the constant is folded into the weights"
    SUM_AND_REDUCTION = "the sum and the reduction become one kernel"
    NORMALIZATION = "the whole normalisation becomes one kernel"
    MISH = "x * tanh(log(1 + exp(x))) becomes one kernel"
    PARTS = "split and concatenation are taken for an identity"
    ELEMENTWISE = "an elementwise operator is computed in the kernel before it"
    MOVES = "two data movements become one kernel"


class Merge(NamedTuple):
    """Two operators that become one. `tensor` lay between them and is not written any more."""

    by: By
    producer: Operator
    consumer: Operator
    tensor: int
    until: str | None = None
    """The last release that loses the tensor when it is an output; None where all of them do."""


class Padding(NamedTuple):
    """A padding that is folded into the operator behind it. `amounts` are (before, after) of height, width and
    channels."""

    operator: Operator
    consumer: Operator
    height: tuple[int, int]
    width: tuple[int, int]
    channels: tuple[int, int]
    value: float | None
    """None where it cannot be read from the file."""
    other: int | None = None
    """For ADD: its other operand."""


class Sum(NamedTuple):
    """An ADD whose result is only reduced: one kernel computes both."""

    operator: Operator
    reduction: Operator
    operands: tuple[int, int]


class FoldedScale(NamedTuple):
    """A constant scale or bias that goes into the weights of a convolution or matrix product, where it comes out
    wrong."""

    operator: Operator
    """The MUL or ADD."""
    convolution: Operator
    groups: int
    """Above 1: a scale for each channel before a grouped convolution."""
    widened: tuple[int, int] | None
    """Channels of the tensor and of the constant, where the constant has more."""


class JoinedParts(NamedTuple):
    """An elementwise operator that ends up in the kernel of a SPLIT and reads another part of it."""

    split: Operator
    consumer: Operator
    first: int
    """The part whose chain of operators ends in the consumer."""
    other: int
    until: str | None = None


class Identity(Enum):
    """What becomes of a SPLIT and a CONCATENATION that are taken for an identity."""

    RIGHT = "same axis and order"
    ORDER = "same axis, other order"
    AXIS = "another axis"
    INPUT = "the split tensor enters the delegate's graph: creation fails"


class SplitConcat(NamedTuple):
    """A SPLIT all of whose used parts go into one CONCATENATION or PACK and nothing else does."""

    split: Operator
    join: Operator
    identity: Identity
    shared: tuple[Operator, ...]
    """Other operators that read the tensor that is split: they read what is never written."""
    tensor: int


class SquaredMeans(NamedTuple):
    """A normalisation over the channels whose variance is written mean(x²) - mean(x)²."""

    operator: Operator
    """The MUL that ends it."""
    tensors: tuple[int, int, int]
    """What is normalised, its mean, and the variance."""


class _Node:
    """One operator of the delegate's graph while it is rewritten. `inputs` are runtime values only; numbers below 0
    are values that no tensor of the file stands for, such as the one between an operator and its fused
    activation."""

    __slots__ = (
        "alone",
        "constant",
        "elementwise",
        "gone",
        "groups",
        "inputs",
        "kind",
        "op",
        "outputs",
        "padded",
        "padding",
        "scale",
        "slot",
        "uniform",
    )

    def __init__(self, kind: str, op: Operator, inputs: list[int], outputs: list[int]) -> None:
        self.kind = kind
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.slot = 0
        self.gone = False
        self.elementwise = kind in ELEMENTWISE
        self.alone = False
        """A CONCATENATION of one tensor."""
        self.constant: float | None = None
        """The value of a scalar operand."""
        self.scale: str | None = None
        """What a constant operand looks like: scalar, channels or full."""
        self.uniform = False
        """A constant of one value throughout."""
        self.padded = False
        """A convolution that reads beyond its input."""
        self.padding: Padding | None = None
        self.groups = 1


def zeros_beside(model: Model, graph: Subgraph, op: Operator) -> tuple[int, int] | None:
    """How many constant zeros a CONCATENATION puts in front of one tensor and behind it, which the delegate takes for a
    padding: of rank 4, along another axis than the batch."""
    options = op.options_of(ConcatenationOptions)
    if options is None or len(op.inputs) != 2 or min(op.inputs) < 0:
        return None
    first, second = (graph.tensors[index] for index in op.inputs)
    if first.constant == second.constant:
        return None
    zeros = first if first.constant else second
    if zeros.rank != 4 or axis_letter(4, options.axis) in (None, "b") or not all_zero(model, zeros):
        return None
    extent = zeros.shape[options.axis]
    return (extent, 0) if first.constant else (0, extent)


class DelegateGraph:
    """One subgraph's kept partition after the delegate's rewrites. Time and space are linear in its operators."""

    def __init__(self, model: Model, graph: Subgraph, chosen: Collection[int]) -> None:
        """`chosen` are the indices of the operators that run on the GPU."""
        self._model = model
        self.graph = graph
        self.returned: frozenset[int] = frozenset()
        """Tensors that the delegate must hand out: outputs of the subgraph, and what the CPU reads."""
        self.merges: list[Merge] = []
        self.paddings: list[Padding] = []
        self.sums: list[Sum] = []
        self.folded_scales: list[FoldedScale] = []
        self.joined_parts: list[JoinedParts] = []
        self.split_concats: list[SplitConcat] = []
        self.lone_concats: list[Operator] = []
        """CONCATENATION of one tensor that is not dropped."""
        self.identity_slices: list[Operator] = []
        """Slices of everything, dropped although a reader reads the sliced tensor as well: creation fails."""
        self.shifted_parts: list[tuple[Operator, Operator]] = []
        """An operator of several outputs, and the copy of one of them that is dropped and takes the last place."""
        self.squared_means: list[SquaredMeans] = []
        self.inside: set[int] = set()
        """Tensors that no kernel writes on any release, because their only reader is an elementwise operator that is
        computed in the kernel of their producer."""
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._nodes: list[_Node] = []
        self._readers: dict[int, dict[_Node, None]] = {}
        """By value, each node that reads it once, in order; dictionaries, because nodes leave them often."""
        self._joined: set[int] = set()
        self._writers: dict[int, _Node] = {}
        self._order: dict[int, int] = {}
        """Where each value is first written, before any rewrite."""
        self._halves: dict[int, Tensor] = {}
        self._adjusted: dict[int, int] = {}
        self._parse(frozenset(chosen))
        self._rewrite()
        self._shapes.clear()
        self._nodes.clear()
        self._readers.clear()
        self._writers.clear()
        self._order.clear()
        self._halves.clear()
        self._adjusted.clear()

    def lost(self) -> Iterator[Merge]:
        """The merges that leave a tensor unwritten that must be handed out, one a tensor: the one that holds on
        most releases."""
        worst: dict[int, Merge] = {}
        for merge in self.merges:
            if merge.tensor not in self.returned:
                continue
            known = worst.get(merge.tensor)
            if known is None or (known.until is not None and merge.until is None):
                worst[merge.tensor] = merge
        yield from worst.values()

    # Reading the operators

    def _parse(self, chosen: frozenset[int]) -> None:
        graph = self.graph
        returned = set(graph.outputs)
        for op in graph.operators:
            # FLOAT16 weights behind a DEQUANTIZE are constants to the delegate, wherever the DEQUANTIZE runs.
            if is_half_weight(graph, op):
                self._halves[op.outputs[0]] = graph.tensors[op.inputs[0]]
        for op in graph.operators:
            if op.index not in chosen:
                returned.update(op.inputs)
        self.returned = frozenset(returned)
        operators = [
            op for op in graph.operators if op.index in chosen and not (op.outputs and op.outputs[0] in self._halves)
        ]
        read = {index for op in operators for index in op.inputs}
        for op in operators:
            self._add(op)
            if op.name != "QUANTIZE":
                self._adjust(op, read)
        for slot, node in enumerate(self._nodes):
            node.slot = slot
            for value in dict.fromkeys(node.inputs):
                self._readers.setdefault(value, {})[node] = None
            for value in node.outputs:
                self._writers[value] = node
                self._order[value] = slot

    def _add(self, op: Operator) -> None:
        inputs = [
            self._adjusted.get(index, index) for index in op.inputs if index >= 0 and self._constant(index) is None
        ]
        outputs = [index for index in op.outputs if index >= 0]
        if not inputs or not outputs:
            self._nodes.append(_Node("OTHER", op, inputs, outputs))
            return
        activation = op.activation
        before = outputs
        if activation != "NONE" and len(outputs) == 1:
            before = [self._value(self._shape(outputs[0]))]
        node = _Node(str(op.name), op, inputs, before)
        _READERS.get(op.name, DelegateGraph._plain)(self, node)
        if before is not outputs:
            self._nodes.append(_Node("RELU", op, [node.outputs[0]], outputs))

    def _adjust(self, op: Operator, read: set[int]) -> None:
        """Behind an operator with a quantized result the delegate rounds to the result's scale, in a node of its
        own; all readers read what that node gives (add_quant_adjustments)."""
        for index in op.outputs:
            if (
                index in read
                and self.graph.tensors[index].quantized
                and self.graph.tensors[index].type in ("INT8", "UINT8")
            ):
                self._adjusted[index] = self._value(self._shape(index))
                self._nodes.append(_Node("QUANTIZE", op, [index], [self._adjusted[index]]))

    def _value(self, shape: tuple[int, ...]) -> int:
        """A new value that no tensor of the file stands for."""
        value = -2 - len(self._shapes)
        self._shapes[value] = shape
        return value

    def _shape(self, value: int) -> tuple[int, ...]:
        return self.graph.tensors[value].shape if value >= 0 else self._shapes[value]

    def _layout(self, value: int) -> Layout | None:
        return layout(self._shape(value))

    def _constant(self, index: int) -> Tensor | None:
        """The constant behind an input, None for a runtime tensor."""
        tensor = self.graph.tensors[index]
        return tensor if tensor.constant else self._halves.get(index)

    def _plain(self, node: _Node) -> None:
        self._nodes.append(node)

    def _binary(self, node: _Node) -> None:
        if len(node.inputs) == 1 and len(node.op.inputs) == 2 and node.outputs:
            for index in node.op.inputs:
                constant = self._constant(index) if index >= 0 else None
                if constant is None:
                    continue
                node.scale = _scale_of(constant)
                if node.scale == "scalar":
                    found = scalar(self._model, constant)
                    node.constant = None if found is None else float(found)
                elif node.scale == "channels":
                    each = values(self._model, constant)
                    node.uniform = each is not None and len(set(each)) == 1
        elif node.kind == "ADD_N":
            node.kind = "ADD" if len(node.inputs) == 2 else node.kind
        if node.kind == "ADD" and len(node.inputs) == 2 and node.inputs[0] == node.inputs[1]:
            # The delegate reads x + x as 2 * x.
            node.kind, node.scale, node.inputs = "MUL", "scalar", node.inputs[:1]
        self._nodes.append(node)

    def _convolution(self, node: _Node) -> None:
        weights = node.op.inputs[1] if len(node.op.inputs) > 1 else -1
        constant = self._constant(weights) if weights >= 0 else None
        data = self._layout(node.inputs[0]) if node.inputs else None
        if constant is None or constant.rank != 4 or data is None or len(node.inputs) != 1:
            node.kind = "OTHER"
        elif node.kind == "CONV_2D":
            options = node.op.options_of(Conv2DOptions)
            if _matrix(constant) and constant.shape[1:3] == (1, 1):
                node.kind = "QUANTIZED_MATRIX"
            elif options is not None:
                # One channel a group is a depthwise convolution to the delegate.
                node.groups = data.channels // constant.shape[3] if constant.shape[3] > 1 else 1
                node.padded = options.padding == "SAME" and _reads_beyond(options, constant, data)
        elif node.kind == "DEPTHWISE_CONV_2D":
            depthwise = node.op.options_of(DepthwiseConv2DOptions)
            if depthwise is not None:
                node.padded = depthwise.padding == "SAME" and _reads_beyond(depthwise, constant, data)
        self._nodes.append(node)

    def _transpose_conv(self, node: _Node) -> None:
        if len(node.inputs) != 1:
            node.kind = "OTHER"
        self._nodes.append(node)

    def _fully_connected(self, node: _Node) -> None:
        weights = node.op.inputs[1] if len(node.op.inputs) > 1 else -1
        constant = self._constant(weights) if weights >= 0 else None
        if constant is None or len(node.inputs) != 1:
            node.kind = "OTHER"
        elif _matrix(constant):
            node.kind = "QUANTIZED_MATRIX"
        self._nodes.append(node)
        before, after = (self._layout(node.inputs[0]) if node.inputs else None), self._layout(node.outputs[0])
        if before is not None and after is not None and before[:3] != after[:3]:
            # The product keeps the input's layout; a reshape makes it the output's.
            result = node.outputs[0]
            product = self._value((before.batch, before.height, before.width, after.channels))
            node.outputs = [product]
            self._nodes.append(_Node("RESHAPE", node.op, [product], [result]))

    def _batch_matmul(self, node: _Node) -> None:
        right = node.op.inputs[1] if len(node.op.inputs) > 1 else -1
        constant = self._constant(right) if right >= 0 else None
        if constant is not None and constant.rank == 2 and len(node.inputs) == 1:
            node.kind = "MATRIX"
        self._nodes.append(node)

    def _pad(self, node: _Node) -> None:
        self._nodes.append(node)
        if len(node.inputs) != 1 or not node.outputs or len(node.op.inputs) < 2 or node.op.inputs[1] < 0:
            return
        found = values(self._model, self.graph.tensors[node.op.inputs[1]])
        # At rank 3 the delegate pads the batch as well (see rank-three-pad), and nothing is folded.
        if found is None or len(found) != 8 or any(found[:2]):
            return
        amounts = [(int(found[i]), int(found[i + 1])) for i in (2, 4, 6)]
        value: float | None = 0.0
        if node.kind == "PADV2":
            constant = (
                self.graph.tensors[node.op.inputs[2]] if len(node.op.inputs) > 2 and node.op.inputs[2] >= 0 else None
            )
            given = None if constant is None else scalar(self._model, constant)
            value = None if given is None else float(given)
        node.kind = "PAD"
        node.padding = Padding(node.op, node.op, amounts[0], amounts[1], amounts[2], value)

    def _concatenation(self, node: _Node) -> None:
        self._nodes.append(node)
        options = node.op.options_of(ConcatenationOptions)
        inputs = node.op.inputs
        if len(inputs) == 1:
            node.alone = True
            return
        beside = zeros_beside(self._model, self.graph, node.op)
        if beside is None or options is None or not node.outputs:
            return
        letter = axis_letter(4, options.axis)
        none = (0, 0)
        node.kind = "PAD"
        node.padding = Padding(
            node.op,
            node.op,
            beside if letter == "h" else none,
            beside if letter == "w" else none,
            beside if letter == "c" else none,
            0.0,
        )

    def _unpack(self, node: _Node) -> None:
        """A split, and a reshape of each part. The reshape is dropped where the part already lies as the result
        does."""
        options = node.op.options_of(UnpackOptions)
        self._nodes.append(node)
        if options is None or len(node.inputs) != 1:
            return
        piece = _piece(self._shape(node.inputs[0]), options.axis)
        if piece is None:
            return
        results = node.outputs
        node.outputs = []
        for result in results:
            if layout(piece) == self._layout(result):
                node.outputs.append(result)
                continue
            part = self._value(piece)
            node.outputs.append(part)
            self._nodes.append(_Node("RESHAPE", node.op, [part], [result]))

    def _pack(self, node: _Node) -> None:
        """A reshape of each operand, and a concatenation."""
        options = node.op.options_of(PackOptions)
        piece = _piece(self._shape(node.outputs[0]), options.axis) if options is not None and node.outputs else None
        if piece is not None:
            parts = []
            for operand in node.inputs:
                if layout(piece) == self._layout(operand):
                    parts.append(operand)
                    continue
                part = self._value(piece)
                self._nodes.append(_Node("RESHAPE", node.op, [operand], [part]))
                parts.append(part)
            node.inputs = parts
        self._nodes.append(node)

    # The graph while it is rewritten

    def _live(self, *kinds: str) -> Iterator[_Node]:
        for node in self._nodes:
            if not node.gone and (not kinds or node.kind in kinds):
                yield node

    def _sole(self, value: int) -> _Node | None:
        """The only node that reads a value."""
        readers = self._readers.get(value)
        return next(iter(readers)) if readers is not None and len(readers) == 1 else None

    def _enters(self, value: int) -> bool:
        """Whether a value comes from outside the delegate's graph."""
        return value not in self._writers

    def _note(self, by: By, second: _Node, value: int, until: str | None = None) -> None:
        producer = self.graph.producer(value) if value >= 0 else None
        if producer is not None:
            self.merges.append(Merge(by, producer, second.op, value, until))

    def _into_first(self, by: By, first: _Node, second: _Node, until: str | None = None) -> None:
        """The second node is computed in the first, which now writes the second's result."""
        between = first.outputs[0]
        self._note(by, second, between, until)
        first.outputs[0] = second.outputs[0]
        self._writers[second.outputs[0]] = first
        for value in dict.fromkeys(second.inputs):
            if value == between:
                continue
            first.inputs.append(value)
            self._swap_reader(value, second, first)
        self._forget(between)
        second.gone = True

    def _into_second(self, by: By, first: _Node, second: _Node) -> None:
        """The first node is computed in the second, which now reads what the first read."""
        between = first.outputs[0]
        self._note(by, second, between)
        second.inputs = [first.inputs[0] if value == between else value for value in second.inputs]
        self._swap_reader(first.inputs[0], first, second)
        self._forget(between)
        first.gone = True

    def _swap_reader(self, value: int, old: _Node, new: _Node) -> None:
        readers = self._readers[value]
        del readers[old]
        readers[new] = None

    def _forget(self, value: int) -> None:
        self._readers.pop(value, None)
        self._writers.pop(value, None)

    # The passes, in the delegate's order

    def _rewrite(self) -> None:
        self._drop_splits()
        self._drop_identities()
        self._fold_paddings()
        self._name_global_pools()
        self._fold_scales_behind("MUL")
        self._fold_scales_behind("ADD")
        self._fold_scales_before("ADD")
        self._fold_scales_before("MUL")
        self._find_squared_means()
        self._fuse_normalizations()
        self._fuse_mish()
        self._fuse_sums()
        for until in (None, "2.1.5"):
            self._fold_diamonds(until)
            self._link(until)

    def _drop_identities(self) -> None:
        self._drop("CONCATENATION", "RESHAPE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
        self._drop("SLICE", "STRIDED_SLICE")

    def _drop(self, *kinds: str) -> None:
        for node in self._live(*kinds):
            if not self._changes_nothing(node):
                continue
            source, result = node.inputs[0], node.outputs[0]
            # Behind a concatenation or resize the result takes the source's place, whoever reads it.
            handed_out = node.alone or node.kind.startswith("RESIZE") or result in self.returned
            if self._kept(node, handed_out):
                extents = self._layout(source)
                if node.alone and extents is not None and extents.batch == 1:
                    self.lone_concats.append(node.op)
                continue
            if handed_out:
                writer = self._writers[source]
                if writer.outputs[-1] != source:
                    self.shifted_parts.append((writer.op, node.op))
                self._note(By.IDENTITY, node, source)
                writer.outputs[writer.outputs.index(source)] = result
                self._forget(source)
                self._writers[result] = writer
            else:
                readers = self._readers.get(result, {})
                del self._readers[source][node]
                for reader in readers:
                    reader.inputs = [source if value == result else value for value in reader.inputs]
                    if reader not in self._readers[source]:
                        self._readers[source][reader] = None
                    elif node.kind in ("SLICE", "STRIDED_SLICE"):
                        self.identity_slices.append(node.op)
                self._note(By.IDENTITY, node, result)
                self._forget(result)
            node.gone = True

    def _kept(self, node: _Node, handed_out: bool) -> bool:
        """Whether an operator that changes nothing stays all the same."""
        source = node.inputs[0]
        return handed_out and (node.kind == "RESHAPE" or self._enters(source) or len(self._readers[source]) > 1)

    def _changes_nothing(self, node: _Node) -> bool:
        if len(node.inputs) != 1 or len(node.outputs) != 1:
            return False
        if node.kind == "CONCATENATION":
            return node.alone
        if node.kind == "STRIDED_SLICE":
            strides = self._constant(node.op.inputs[3]) if len(node.op.inputs) > 3 else None
            found = None if strides is None else values(self._model, strides)
            if found is None or any(step != 1 for step in found):
                return False
        before = self._layout(node.inputs[0])
        return before is not None and before == self._layout(node.outputs[0])

    def _fold_paddings(self) -> None:
        for node in reversed(list(self._live("PAD"))):  # a padding behind another one goes first
            if node.padding is None:
                continue
            consumer = self._sole(node.outputs[0])
            if consumer is None:
                continue
            padding = node.padding
            other: int | None = None
            if consumer.kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED") or (
                consumer.kind in POOLS and len(consumer.inputs) == 1
            ):
                if padding.channels != (0, 0) or len(self._shape(node.outputs[0])) != 4:
                    continue
                consumer.padded = consumer.padded or padding.height != (0, 0) or padding.width != (0, 0)
            elif consumer.kind == "ADD" and len(consumer.inputs) == 2:
                if padding.height != (0, 0) or padding.width != (0, 0) or padding.channels[0]:
                    continue
                other = self._beside(node, consumer)
                if other is None:
                    continue
            else:
                continue
            self.paddings.append(
                Padding(node.op, consumer.op, padding.height, padding.width, padding.channels, padding.value, other)
            )
            self._into_second(By.PADDING, node, consumer)

    def _beside(self, node: _Node, consumer: _Node) -> int | None:
        """The other operand of an ADD, as the file has it: it may have been padded as well."""
        found = [index for index in consumer.op.inputs if index not in node.op.outputs]
        return found[0] if len(consumer.op.inputs) == 2 and len(found) == 1 else None

    def _name_global_pools(self) -> None:
        """An average over the whole map is a MEAN to the delegate."""
        for node in self._live("AVERAGE_POOL_2D"):
            options = node.op.options_of(Pool2DOptions)
            before = self._layout(node.inputs[0]) if len(node.inputs) == 1 else None
            after = self._layout(node.outputs[0]) if node.outputs else None
            if options is None or before is None or after is None or node.padded:
                continue
            if (options.filter_height, options.filter_width) == (before.height, before.width) and after[1:3] == (1, 1):
                node.kind = "MEAN"

    def _fold_scales_behind(self, kind: str) -> None:
        """A constant scale or bias behind a convolution goes into its weights."""
        for node in self._live(*CONVOLUTIONS):
            scale = self._sole(node.outputs[0])
            while scale is not None and scale.kind == kind and scale.scale in ("scalar", "channels"):
                self._check_scale(scale, node, 1)
                self._into_first(By.SCALE, node, scale)
                scale = self._sole(node.outputs[0])

    def _fold_scales_before(self, kind: str) -> None:
        """A constant scale or bias before a convolution goes into its weights; a bias only where no zero is read beyond
        the edge."""
        takers = ("CONV_2D", "FULLY_CONNECTED") if kind == "ADD" else tuple(CONVOLUTIONS)
        for node in self._live(*takers):
            if kind == "ADD" and (node.padded or node.groups > 1):
                continue
            scale = self._writers.get(node.inputs[0])
            while scale is not None and scale.kind == kind and scale.scale in ("scalar", "channels"):
                if self._sole(node.inputs[0]) is not node:
                    break
                self._check_scale(scale, node, node.groups)
                self._into_second(By.SCALE, scale, node)
                scale = self._writers.get(node.inputs[0])

    def _check_scale(self, scale: _Node, convolution: _Node, groups: int) -> None:
        before, after = self._layout(scale.inputs[0]), self._layout(scale.outputs[0])
        widened = None
        if before is not None and after is not None and before.channels != after.channels:
            widened = (before.channels, after.channels)
        grouped = groups if scale.scale == "channels" and not scale.uniform else 1
        if widened is not None or grouped > 1:
            self.folded_scales.append(FoldedScale(scale.op, convolution.op, grouped, widened))

    def _drop_splits(self) -> None:
        for split in self._live(*SPLITS):
            if len(split.inputs) != 1 or len(split.outputs) < 2:
                continue
            used = [part for part in split.outputs if self._readers.get(part)]
            join = self._sole(used[0]) if used else None
            if join is None or join.kind not in JOINS | {"ADD"} or any(self._sole(part) is not join for part in used):
                continue
            if sorted(join.inputs) != sorted(used):
                continue
            if join.kind == "ADD":
                if len(join.inputs) != 2:
                    continue  # one part and a constant: computed as it is written
                self._joined.add(join.op.index)
                self.joined_parts.append(JoinedParts(split.op, join.op, join.inputs[0], join.inputs[1]))
            elif len(join.op.inputs) == len(join.inputs):
                self._drop_split(split, join, used)

    def _drop_split(self, split: _Node, join: _Node, used: list[int]) -> None:
        source, result = split.inputs[0], join.outputs[0]
        same_axis = self._extents_grow(split, source) == self._extents_grow(join, result)
        if not same_axis:
            identity = Identity.AXIS
        elif self._enters(source):
            identity = Identity.INPUT
        elif join.inputs != split.outputs:
            identity = Identity.ORDER
        else:
            identity = Identity.RIGHT
        shared: tuple[Operator, ...] = ()
        if same_axis and not self._enters(source):
            readers = islice((reader.op for reader in self._readers[source] if reader is not split), SHOWN)
            shared = tuple(readers)
            self._note(By.PARTS, join, source)
        self.split_concats.append(SplitConcat(split.op, join.op, identity, shared, source))

    def _extents_grow(self, node: _Node, whole: int) -> str | None:
        """Along which of the delegate's axes a split cuts or a join puts together."""
        part = self._layout(node.outputs[0] if node.kind in SPLITS else node.inputs[0])
        total = self._layout(whole)
        if part is None or total is None:
            return None
        axes = [letter for letter, small, large in zip("bhwc", part, total, strict=True) if small != large]
        return axes[0] if len(axes) == 1 else None

    def _over_channels(self, node: _Node) -> bool:
        """Whether a MEAN is over the channels alone and keeps its rank."""
        options = node.op.options_of(ReducerOptions)
        if node.kind != "MEAN" or options is None or not options.keep_dims or len(node.op.inputs) != 2:
            return False
        axes = values(self._model, self.graph.tensors[node.op.inputs[1]])
        rank = len(self._shape(node.inputs[0]))
        return axes is not None and len(axes) == 1 and axis_letter(rank, int(axes[0])) == "c"

    def _only(self, value: int, kind: str) -> _Node | None:
        """The only node that reads a value, when it is of that kind."""
        node = self._sole(value)
        return node if node is not None and node.kind == kind else None

    def _inverse_root(self, variance: int) -> tuple[_Node, _Node] | None:
        """ADD of a scalar constant, then RSQRT, each read once."""
        add = self._only(variance, "ADD")
        if add is None or add.scale != "scalar":
            return None
        root = self._only(add.outputs[0], "RSQRT")
        return None if root is None else (add, root)

    def _squared(self, value: int, node: _Node) -> bool:
        """Whether a node is value * value or value squared."""
        if node.kind == "SQUARE":
            return node.inputs == [value]
        return node.kind == "MUL" and node.inputs == [value, value]

    def _find_squared_means(self) -> None:
        """MEAN(x * x) - MEAN(x)², then RSQRT(… + constant) * (x - MEAN(x)), over the channels, nothing of it read
        elsewhere."""
        for mean in self._live("MEAN"):
            x = mean.inputs[0]
            if not self._over_channels(mean):
                continue
            readers = self._readers.get(mean.outputs[0], {})
            square = next((node for node in readers if self._squared(mean.outputs[0], node)), None)
            centre = next(
                (node for node in readers if node.kind == "SUB" and set(node.inputs) == {x, mean.outputs[0]}), None
            )
            if len(readers) != 2 or square is None or centre is None:
                continue
            difference = self._sole(square.outputs[0])
            if difference is None or difference.kind != "SUB" or len(difference.inputs) != 2:
                continue
            of_squares = difference.inputs[difference.inputs[0] == square.outputs[0]]
            squares = self._writers.get(of_squares)
            if squares is None or not self._over_channels(squares) or self._sole(of_squares) is not difference:
                continue
            product = self._writers.get(squares.inputs[0])
            if product is None or not self._squared(x, product) or self._sole(squares.inputs[0]) is not squares:
                continue
            root = self._inverse_root(difference.outputs[0])
            last = None if root is None else self._sole(root[1].outputs[0])
            if root is None or last is None or last is not self._sole(centre.outputs[0]) or last.kind != "MUL":
                continue
            tensors = (x, mean.outputs[0], difference.outputs[0])
            self.squared_means.append(SquaredMeans(last.op, tensors))

    def _fuse_normalizations(self) -> None:
        """x - MEAN(x), squared by MUL or SQUARE, MEAN, + constant, RSQRT, product: one kernel when it is over the
        channels."""
        for mean in self._live("MEAN"):
            if not self._over_channels(mean):
                continue
            x = mean.inputs[0]
            centre = self._only(mean.outputs[0], "SUB")
            if centre is None or centre.inputs != [x, mean.outputs[0]]:
                continue
            difference = centre.outputs[0]
            readers = self._readers.get(difference, {})
            square = next((node for node in readers if self._squared(difference, node)), None)
            if len(readers) != 2 or square is None:
                continue
            variance = self._only(square.outputs[0], "MEAN")
            if variance is None or not self._over_channels(variance):
                continue
            root = self._inverse_root(variance.outputs[0])
            if root is None:
                continue
            add, rsqrt = root
            last = self._only(rsqrt.outputs[0], "MUL")
            if last is None or last not in readers or set(last.inputs) != {difference, rsqrt.outputs[0]}:
                continue
            inside = (mean, centre, square, variance, add, rsqrt)
            for node in inside:
                self._note(By.NORMALIZATION, last, node.outputs[0])
            self._replace(inside, last, x)

    def _fuse_mish(self) -> None:
        for first in self._live("EXP"):
            chain = [first]
            for kind in ("ADD", "LOG", "TANH"):
                found = self._only(chain[-1].outputs[0], kind)
                if found is None:
                    break
                chain.append(found)
            if len(chain) != 4 or chain[1].constant != 1.0:
                continue
            last = self._only(chain[3].outputs[0], "MUL")
            if last is None or set(last.inputs) != {first.inputs[0], chain[3].outputs[0]}:
                continue
            for node in chain:
                self._note(By.MISH, last, node.outputs[0])
            self._replace(tuple(chain), last, first.inputs[0])

    def _replace(self, nodes: tuple[_Node, ...], last: _Node, x: int) -> None:
        """One kernel instead of `nodes` and `last`: it reads `x` and stands where the last one did."""
        for node in nodes:
            for value in dict.fromkeys(node.inputs):
                self._readers.get(value, {}).pop(node, None)
        for node in nodes:
            self._forget(node.outputs[0])
            node.gone = True
        last.kind, last.inputs, last.elementwise = "KERNEL", [x], False
        self._readers.setdefault(x, {})[last] = None

    def _fuse_sums(self) -> None:
        for node in self._live("ADD"):
            if len(node.inputs) != 2 or self._shape(node.inputs[0]) != self._shape(node.inputs[1]):
                continue
            reduction = self._sole(node.outputs[0])
            if reduction is None or reduction.kind not in REDUCTIONS or len(reduction.inputs) != 1:
                continue
            self.sums.append(Sum(node.op, reduction.op, (node.inputs[0], node.inputs[1])))
            self._into_first(By.SUM_AND_REDUCTION, node, reduction)
            node.kind, node.elementwise = "KERNEL", False

    def _fold_diamonds(self, until: str | None) -> None:
        """An elementwise expression of one value, however branched, becomes one operator with that value as its
        operand.

        f(g(x)); h(f(x), g(x)) where x is written by an operator; h(x, f(x)) where x is written by one that is not
        elementwise and has one result. Up to 2.1.5 even where a value between is an output."""
        for root in self._live():
            if root.elementwise and len(root.outputs) == 1:
                while self._fold_diamond(root, until):
                    pass
        self._nodes.sort(key=lambda node: node.slot)

    def _fold_diamond(self, root: _Node, until: str | None) -> bool:
        """Takes what makes an operator's operands into it, where that leaves it with one operand."""
        operands = list(dict.fromkeys(root.inputs))
        if len(operands) > 2:
            return False
        inner = [self._inner(value, root, until) for value in operands]
        first = inner[0]
        if len(operands) == 1:
            if first is None:
                return False
            self._absorb(root, [first], first.inputs[0], until)
            return True
        second = inner[1]
        if first is not None and second is not None:
            x = first.inputs[0]
            if second.inputs[0] != x or x not in self._writers:
                return False
            self._absorb(root, [first, second], x, until)
            return True
        branch, x = (second, operands[0]) if first is None else (first, operands[1])
        writer = self._writers.get(x)
        if branch is None or branch.inputs[0] != x or writer is None or writer.elementwise or len(writer.outputs) != 1:
            return False
        self._absorb(root, [branch], x, until)
        return True

    def _inner(self, value: int, root: _Node, until: str | None) -> _Node | None:
        """The elementwise operator of one operand that makes a value which only `root` reads."""
        node = self._writers.get(value)
        if node is None or node is root:  # which a damaged model may say of an operator
            return None
        if not node.elementwise or len(node.inputs) != 1 or len(node.outputs) != 1:
            return None
        if self._sole(value) is not root or (value in self.returned and until is None):
            return None
        if self._shape(node.inputs[0]) != self._shape(value) or self._shape(value) != self._shape(root.outputs[0]):
            return None
        return node

    def _absorb(self, root: _Node, inner: list[_Node], x: int, until: str | None) -> None:
        for node in inner:
            if until is None:
                self.inside.add(node.outputs[0])
            else:
                self._note(By.ELEMENTWISE, root, node.outputs[0], until)
            node.gone = True
            del self._readers[x][node]
            self._forget(node.outputs[0])
        root.inputs = [x]
        root.scale = None
        root.slot = min(node.slot for node in inner)
        self._readers[x][root] = None

    def _link(self, until: str | None) -> None:
        """Elementwise operators move into the kernel before them: the first operand's producer, where all other
        operands are ready by then and the shape stays. Up to 2.1.5 this happened even when the value between was an
        output (`until`).

        A SPLIT counts by its first part, and its other parts are taken for ready although the united kernel writes
        them itself."""
        ready = {value for node in self._live() for value in node.inputs if value not in self._writers}
        gone: set[int] = set()
        for node in self._live():
            if id(node) in gone:
                continue
            ready.update(node.outputs)
            value, parts = (node.outputs[0] if node.outputs else -1), frozenset(node.outputs)
            if node.outputs and node.kind in ("RESHAPE", "TRANSPOSE") and until is not None:
                self._note_moves(node, until)
            while node.outputs:
                follower = self._sole(value)
                if follower is None or not follower.elementwise or len(follower.outputs) != 1 or id(follower) in gone:
                    break
                if value in self.returned and until is None:
                    break
                others = [operand for operand in follower.inputs if operand != value]
                if value != self._leading(follower):
                    break
                shape = self._shape(value)
                if any(operand not in ready or len(self._shape(operand)) != len(shape) for operand in others):
                    break  # an operand of another rank is reshaped just before it is used
                if self._shape(follower.outputs[0]) != shape:
                    break
                if node.kind in SPLITS:
                    self._note_join(node, follower, value, others, parts, until)
                if until is None:
                    self.inside.add(value)
                else:
                    self._note(By.ELEMENTWISE, follower, value, until)
                gone.add(id(follower))
                value = follower.outputs[0]
                ready.add(value)

    def _leading(self, node: _Node) -> int:
        """The operand whose producer an elementwise operator is united with: of ADD and MUL the one that is made
        last."""
        if node.kind not in COMMUTATIVE or len(node.inputs) != 2:
            return node.inputs[0]
        first, second = node.inputs
        return first if self._order.get(first, -1) > self._order.get(second, -1) else second

    def _note_join(
        self, node: _Node, follower: _Node, value: int, others: list[int], parts: frozenset[int], until: str | None
    ) -> None:
        for other in others:
            if other in parts and follower.op.index not in self._joined:
                self._joined.add(follower.op.index)
                self.joined_parts.append(JoinedParts(node.op, follower.op, value, other, until))

    def _note_moves(self, node: _Node, until: str) -> None:
        """RESHAPE and TRANSPOSE in a row are united up to 2.1.5, where blocks of four channels stay whole."""
        follower = self._sole(node.outputs[0])
        if follower is None or not self._keeps_blocks(node) or not self._keeps_blocks(follower):
            return
        self._note(By.MOVES, follower, node.outputs[0], until)

    def _keeps_blocks(self, node: _Node) -> bool:
        if len(node.inputs) != 1 or len(node.outputs) != 1:
            return False
        before, after = self._layout(node.inputs[0]), self._layout(node.outputs[0])
        if before is None or after is None:
            return False
        if node.kind == "RESHAPE":
            return before.channels % 4 == 0 and after.channels % 4 == 0
        if node.kind != "TRANSPOSE" or len(node.op.inputs) < 2:
            return False
        order = values(self._model, self.graph.tensors[node.op.inputs[1]])
        return bool(order) and order is not None and order[-1] == len(order) - 1


_READERS: dict[str, Callable[[DelegateGraph, _Node], None]] = {
    **dict.fromkeys(BINARY, DelegateGraph._binary),
    "CONV_2D": DelegateGraph._convolution,
    "DEPTHWISE_CONV_2D": DelegateGraph._convolution,
    "TRANSPOSE_CONV": DelegateGraph._transpose_conv,
    "FULLY_CONNECTED": DelegateGraph._fully_connected,
    "BATCH_MATMUL": DelegateGraph._batch_matmul,
    "PAD": DelegateGraph._pad,
    "PADV2": DelegateGraph._pad,
    "CONCATENATION": DelegateGraph._concatenation,
    "UNPACK": DelegateGraph._unpack,
    "PACK": DelegateGraph._pack,
}


def _piece(whole: tuple[int, ...], axis: int) -> tuple[int, ...] | None:
    """One element of a shape along an axis. None where it has no such axis."""
    axis += len(whole) if axis < 0 else 0
    return (*whole[:axis], 1, *whole[axis + 1 :]) if 0 <= axis < len(whole) else None


def _scale_of(constant: Tensor) -> str:
    """scalar, channels (one value a channel) or full."""
    if constant.elements == 1:
        return "scalar"
    found = layout(constant.shape)
    if constant.rank == 1 or (found is not None and found[:3] == (1, 1, 1)):
        return "channels"
    return "full"


def _matrix(weights: Tensor) -> bool:
    """Whether weights are kept quantized, for a kernel of their own."""
    return weights.quantized and weights.type in MATRIX_TYPES


def _reads_beyond(options: Conv2DOptions | DepthwiseConv2DOptions, weights: Tensor, data: Layout) -> bool:
    """Whether SAME padding adds anything at all."""
    return any(
        (-(-extent // max(1, stride)) - 1) * stride + (kernel - 1) * dilation + 1 > extent
        for extent, kernel, stride, dilation in (
            (data.height, weights.shape[1], options.stride_h, options.dilation_h_factor),
            (data.width, weights.shape[2], options.stride_w, options.dilation_w_factor),
        )
    )
