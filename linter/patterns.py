"""Chains of operators that mean one thing: norms, softmax written out, attention. Recognised by their shape on the
graph, never by a name.

`find_patterns` walks every operator once; each walk along a chain has a fixed length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from .constant_facts import Constants
from .constants import integers
from .half import OVERFLOW
from .model import Model, Operator, Subgraph
from .targets import VERSIONS

MOVES = frozenset(
    {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "TRANSPOSE", "BROADCAST_TO", "TILE", "SLICE", "STRIDED_SLICE", "REVERSE_V2"}
)
"""Operators whose first output holds values of the first input and no others."""
REACH = 8
"""How many operators of one chain are followed."""


class Form(str, Enum):
    """What becomes of an EXP."""

    SOFTMAX = "softmax"
    LOG_SUM_EXP = "log-sum-exp"
    SOFTPLUS = "softplus"
    TANH = "tanh"


class Norm(NamedTuple):
    """Division by the root of a sum or mean of squares. Operators are those of subgraph `graph`."""

    graph: int
    source: int
    """The tensor that is squared, or whose difference from its mean is."""
    centred: bool
    """Whether the mean is subtracted first: LayerNorm, InstanceNorm, GroupNorm, against RMSNorm and L2."""
    square: Operator
    reduction: Operator
    axes: tuple[int, ...]
    """Counted from the end; axes of extent 1 are left out."""
    terms: int
    """Values a sum or mean is taken of."""
    shrink: float
    """Constant factor between the reduction and the root, such as 1/n behind a SUM."""
    epsilon: float | None
    epsilon_op: Operator | None
    root: Operator
    late_epsilon: float | None
    """A constant that joins behind the square root."""
    final: Operator | None
    """The operator that divides what was squared; None where the root goes elsewhere."""
    by_squares: bool
    """Whether the variance is the mean of squares minus the square of the mean."""
    fused_since: str | None
    """The release from which on the delegate makes one kernel of it, with fp32 inside; None where none does."""

    @property
    def title(self) -> str:
        if not self.centred:
            return "RMSNorm" if self.reduction.name == "MEAN" or self.shrink != 1 else "L2 norm"
        return "LayerNorm" if self.axes == (-1,) else "normalization"

    @property
    def mean(self) -> bool:
        """Whether the squares are averaged in the reduction itself."""
        return self.reduction.name == "MEAN"


class WrittenExp(NamedTuple):
    """A function written out with an EXP."""

    graph: int
    form: Form
    exp: Operator
    last: Operator
    shifted: bool
    """Whether the greatest value is subtracted first, so that nothing overflows."""


class Angle(NamedTuple):
    """SIN or COS of positions times constant frequencies."""

    graph: int
    op: Operator
    product: Operator
    positions: int
    frequencies: int


class Patterns:
    """What was found in a model."""

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.norms: list[Norm] = []
        self.exps: list[WrittenExp] = []
        self.angles: list[Angle] = []
        self.variances: list[tuple[int, Operator, int]] = []
        """Graph, SUB and source of every mean of squares minus the square of the mean."""
        self.below_max: dict[tuple[int, int], int] = {}
        """(graph, tensor) of a value minus the greatest of it, to the tensor it was taken from: never above 0."""
        self.within_unit: set[tuple[int, int]] = set()
        """(graph, tensor) of a value over the greatest magnitude of it: between -1 and 1."""
        self.means: dict[tuple[int, int], int] = {}
        """(graph, tensor) of a mean to the tensor it was taken of."""
        self.in_norm: dict[tuple[int, int], Norm] = {}
        """(graph, operator) of the square, the reduction, the epsilon and the root of a norm."""
        self.in_exp: dict[tuple[int, int], WrittenExp] = {}
        """(graph, operator) of the EXP and the last operator."""


def find_patterns(model: Model) -> Patterns:
    """The patterns of a model."""
    found = Patterns(Constants(model))
    for graph in model.subgraphs:
        finder = _Finder(model, graph, found)
        for op in graph.operators:
            finder.look(op)
    return found


def origin(graph: Subgraph, index: int) -> int:
    """The tensor whose values a tensor holds, before they were moved about."""
    for _ in range(REACH):
        producer = graph.producer(index)
        if producer is None or producer.name not in MOVES or not producer.inputs or producer.inputs[0] < 0:
            break
        index = producer.inputs[0]
    return index


def scaled(patterns: Patterns, graph: Subgraph, index: int) -> tuple[int, float]:
    """Where a tensor comes from, and by what constant it was multiplied on the way."""
    factor = 1.0
    for _ in range(REACH):
        op = graph.producer(index)
        if op is None or not op.inputs or op.inputs[0] < 0:
            break
        if op.name in MOVES:
            index = op.inputs[0]
            continue
        if op.name not in ("MUL", "DIV") or len(op.inputs) != 2 or min(op.inputs) < 0:
            break
        values = [patterns.constants.scalar(graph, operand) for operand in op.inputs]
        if values[1] and values[0] is None:
            factor *= values[1] if op.name == "MUL" else 1 / values[1]
            index = op.inputs[0]
        elif values[0] and values[1] is None and op.name == "MUL":
            factor *= values[0]
            index = op.inputs[1]
        else:
            break
    return index, factor


FLOORS = frozenset(
    {"SOFTMAX", "EXP", "LOGISTIC", "TANH", "RELU", "RELU6", "ELU", "MAXIMUM", "REDUCE_MAX", "ARG_MAX", "TOPK_V2"}
    | {"MAX_POOL_2D", "RELU_0_TO_1", "RELU_N1_TO_1"}
)
"""Operators to which minus infinity is as good as a very low value."""
CEILINGS = frozenset({"LOGISTIC", "TANH", "RELU6", "MINIMUM", "REDUCE_MIN", "ARG_MIN", "RELU_0_TO_1", "RELU_N1_TO_1"})
CARRIERS = MOVES | {"ADD", "SUB", "SELECT_V2", "SELECT", "PAD", "CONCATENATION"}
"""Operators that hand an infinity on."""
LEVEL = 32.0
"""From here on every function that levels off has done so."""
COMPARISONS = frozenset({"LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"})


def absorbed(
    patterns: Patterns,
    graph: Subgraph,
    index: int,
    sign: int,
    base: int | None,
    small: Callable[[int, int], bool],
    height: float = OVERFLOW,
    reach: int = REACH,
) -> bool:
    """Whether an infinity of that sign in a tensor changes nothing: every reader clips it or takes it for a very low or
    high value. `base` is a tensor that is not 0 where the infinity is, `small` tells of a divisor and a dividend
    whether next to nothing is left of the one over the other, and `height` is the magnitude that is the least in place
    of the infinity."""
    readers = graph.readers(index)
    if index in graph.outputs or not readers or len(readers) > REACH or height < LEVEL:
        return False
    for op in readers:
        other = op.inputs[1 - op.inputs.index(index)] if len(op.inputs) == 2 and index in op.inputs else None
        bound = patterns.constants.scalar(graph, other) if other is not None else None
        if op.name in ("MAXIMUM", "MINIMUM") and bound is not None and abs(bound) > height:
            return False
        if op.name in (FLOORS if sign < 0 else CEILINGS) or op.name in COMPARISONS:
            continue
        if other is not None and op.name == "DIV" and op.inputs[1] == index:
            if small(index, other):
                continue
            return False
        turned, least = sign, height
        if op.name == "NEG" or (op.name == "SUB" and op.inputs[-1] == index):
            turned = -sign
        elif op.name in ("MUL", "DIV") and other is not None:
            if bound is None and (base is None or other != base):
                return False
            if bound is not None:
                if not bound or not -1e30 < bound < 1e30:
                    return False
                turned = sign if bound > 0 else -sign
                least *= abs(bound) if op.name == "MUL" else 1 / abs(bound)
        elif op.name not in CARRIERS and (op.name != "LOG_SOFTMAX" or sign > 0):
            return False
        clipped = op.activation
        if (turned < 0 and clipped in FLOORS) or (turned > 0 and clipped in CEILINGS):
            continue
        if reach == 0 or not op.outputs:
            return False
        if not absorbed(patterns, graph, op.outputs[0], turned, base, small, least, reach - 1):
            return False
    return True


def reduced_axes(model: Model, graph: Subgraph, op: Operator) -> tuple[int, ...] | None:
    """The axes of a reduction, counted from the end (-1 is the last); None when they are not constant."""
    if len(op.inputs) < 2 or min(op.inputs[:2]) < 0:
        return None
    axes, data = graph.tensors[op.inputs[1]], graph.tensors[op.inputs[0]]
    known = integers(model, axes) if axes.constant else None
    if known is None or not all(-data.rank <= axis < data.rank for axis in known):
        return None
    return tuple(sorted({axis - data.rank if axis >= 0 else axis for axis in known}))


def terms_of(graph: Subgraph, op: Operator, axes: tuple[int, ...]) -> int:
    """How many values a reduction takes together."""
    shape = graph.tensors[op.inputs[0]].shape
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


class _Finder:
    """Looks at one subgraph."""

    def __init__(self, model: Model, graph: Subgraph, found: Patterns) -> None:
        self.model = model
        self.graph = graph
        self.found = found
        self.outputs = set(graph.outputs)

    def look(self, op: Operator) -> None:
        if not op.outputs or op.outputs[0] < 0 or not op.inputs or op.inputs[0] < 0:
            return
        if op.name in ("MEAN", "SUM"):
            self._mean(op)
            self._norm(op)
        elif op.name in ("SUB", "DIV") and len(op.inputs) > 1 and op.inputs[1] >= 0:
            self._by_maximum(op)
            self._variance(op)
        elif op.name == "EXP":
            self._exp(op)
        elif op.name in ("SIN", "COS"):
            self._angle(op)

    # Small steps

    def readers(self, index: int) -> list[Operator]:
        """The operators that read a tensor and make another of it."""
        return [op for op in self.graph.readers(index) if op.outputs and op.outputs[0] >= 0]

    def scalar(self, index: int) -> float | None:
        return self.found.constants.scalar(self.graph, index)

    def constant(self, index: int) -> bool:
        return self.found.constants.behind(self.graph, index) is not None

    def other(self, op: Operator, index: int) -> int | None:
        """The other operand of a two-operand operator."""
        if len(op.inputs) != 2:
            return None
        return op.inputs[1] if op.inputs[0] == index else op.inputs[0]

    def only(self, index: int, *readers: Operator) -> bool:
        """Whether a tensor is read by these operators alone, and is no output."""
        if index in self.outputs:
            return False
        return {op.index for op in self.graph.readers(index)} == {op.index for op in readers}

    # Means, and what is relative to a maximum

    def _mean(self, op: Operator) -> None:
        """MEAN, or SUM times 1/n."""
        axes = reduced_axes(self.model, self.graph, op)
        if not axes:
            return
        result, count = op.outputs[0], terms_of(self.graph, op, axes)
        if op.name == "MEAN":
            self.found.means[self.graph.index, result] = op.inputs[0]
            return
        for reader in self.readers(result):
            factor = self._factor(reader, result)
            if factor is not None and count and abs(factor * count - 1) < 1e-3 and reader.outputs:
                self.found.means[self.graph.index, reader.outputs[0]] = op.inputs[0]

    def _factor(self, op: Operator, index: int) -> float | None:
        """The constant that an operator multiplies a tensor by."""
        other = self.other(op, index)
        if other is None or op.name not in ("MUL", "DIV") or other == index:
            return None
        value = self.scalar(other)
        if value is None or (op.name == "DIV" and (op.inputs[0] != index or value == 0)):
            return None
        return value if op.name == "MUL" else 1 / value

    def mean_of(self, index: int) -> int | None:
        """The tensor that a tensor is the mean of, however it was reshaped."""
        return self.found.means.get((self.graph.index, origin(self.graph, index)))

    def _by_maximum(self, op: Operator) -> None:
        value, base = op.inputs[0], origin(self.graph, op.inputs[1])
        producer = self.graph.producer(base)
        if op.name == "DIV" and producer is not None and producer.name == "MAXIMUM":
            least = [self.scalar(index) for index in producer.inputs]
            if not any(known is not None and known > 0 for known in least):
                return
            rest = [index for index, known in zip(producer.inputs, least, strict=True) if known is None]
            producer = self.graph.producer(origin(self.graph, rest[0])) if rest and rest[0] >= 0 else None
        if producer is None or producer.name != "REDUCE_MAX" or producer.inputs[0] < 0:
            return
        taken = producer.inputs[0]
        if op.name == "SUB" and taken == value:
            self.found.below_max[self.graph.index, op.outputs[0]] = value
        magnitude = self.graph.producer(taken)
        if op.name == "DIV" and magnitude is not None and magnitude.name == "ABS" and magnitude.inputs[0] == value:
            self.found.within_unit.add((self.graph.index, op.outputs[0]))

    def _variance(self, op: Operator) -> None:
        if op.name != "SUB" or not self._square_of_mean(op, op.inputs[0]):
            return
        taken = self.mean_of(op.inputs[0])
        square = self.graph.producer(taken) if taken is not None else None
        squared = self._squared(square) if square is not None else None
        if squared is not None:
            self.found.variances.append((self.graph.index, op, squared[0]))

    # Norms

    def _squared(self, op: Operator) -> tuple[int, bool] | None:
        """What an operator squares, and whether its mean is subtracted: (source, centred)."""
        if op.name == "SQUARED_DIFFERENCE" and len(op.inputs) == 2:
            for value, mean in (op.inputs, op.inputs[::-1]):
                if self.mean_of(mean) == value:
                    return value, True
            return None
        if not op.inputs or op.inputs[0] < 0:
            return None
        base = op.inputs[0]
        if op.name == "POW":
            if len(op.inputs) != 2 or self.scalar(op.inputs[1]) != 2:
                return None
        elif op.name == "MUL":
            if len(op.inputs) != 2:
                return None
            if op.inputs[1] != base and self._difference(op.inputs[1]) != self._difference(base):
                return None
            if op.inputs[1] != base and self._difference(base) is None:
                return None
        elif op.name != "SQUARE":
            return None
        source = self._difference(base)
        return (base, False) if source is None else (source, True)

    def _difference(self, index: int) -> int | None:
        """The tensor that a tensor is, with its mean subtracted."""
        producer = self.graph.producer(index)
        if producer is None or producer.name != "SUB" or len(producer.inputs) != 2:
            return None
        value, mean = producer.inputs
        return value if self.mean_of(mean) == value else None

    def _norm(self, reduction: Operator) -> None:
        square = self.graph.producer(reduction.inputs[0])
        axes = reduced_axes(self.model, self.graph, reduction)
        squared = self._squared(square) if square is not None else None
        if square is None or not axes or squared is None:
            return
        source, centred = squared
        shrink, epsilon, epsilon_op, by_squares = 1.0, None, None, False
        root: Operator | None = None
        current = reduction.outputs[0]
        for _ in range(REACH):
            step = self._towards_root(current)
            if step is None:
                return
            if step.name in ("RSQRT", "SQRT", "POW"):
                root = step
                break
            other = self.other(step, current)
            if step.name in ("MUL", "DIV"):
                shrink *= self._factor(step, current) or 1.0
            elif step.name in ("ADD", "MAXIMUM") and other is not None:
                epsilon, epsilon_op = self.scalar(other), step
            elif step.name == "SUB":
                by_squares = centred = True
            current = step.outputs[0]
        if root is None:
            return
        final, late = self._division(root, source, centred)
        shape = self.graph.tensors[reduction.inputs[0]].shape
        norm = Norm(
            graph=self.graph.index,
            source=source,
            centred=centred,
            square=square,
            reduction=reduction,
            axes=tuple(axis for axis in axes if shape[axis] != 1) or axes,
            terms=terms_of(self.graph, reduction, axes),
            shrink=shrink,
            epsilon=epsilon,
            epsilon_op=epsilon_op,
            root=root,
            late_epsilon=late,
            final=final,
            by_squares=by_squares,
            fused_since=self._fused(square, reduction, epsilon_op, root, final, shrink, by_squares),
        )
        self.found.norms.append(norm)
        for op in (square, reduction, epsilon_op, root):
            if op is not None:
                self.found.in_norm.setdefault((self.graph.index, op.index), norm)

    def _towards_root(self, index: int) -> Operator | None:
        """The next operator on the way from a sum of squares to its root."""
        chosen: Operator | None = None
        for op in self.readers(index):
            other = self.other(op, index)
            if op.name in ("RSQRT", "SQRT"):
                return op
            if op.name == "POW" and other is not None and self.scalar(other) in (-0.5, 0.5):
                return op
            plain = op.name in ("ADD", "MAXIMUM", "MUL", "DIV") and other is not None and other != index
            if plain and other is not None and self.scalar(other) is not None:
                chosen = op
            elif op.name in MOVES or (op.name == "SUB" and self._square_of_mean(op, index)):
                chosen = chosen or op
        return chosen

    def _square_of_mean(self, op: Operator, index: int) -> bool:
        """Whether a SUB takes the square of a mean away."""
        if len(op.inputs) != 2 or op.inputs[0] != index:
            return False
        square = self.graph.producer(op.inputs[1])
        if square is None or square.name not in ("MUL", "SQUARE", "POW"):
            return False
        if square.name == "MUL" and square.inputs[0] != square.inputs[-1]:
            return False
        return self.mean_of(square.inputs[0]) is not None

    def _division(self, root: Operator, source: int, centred: bool) -> tuple[Operator | None, float | None]:
        """The operator that divides what was squared by the root, and the constant that joins on the way. In other
        forms (the mean divided too, as Keras writes it) there is none, and the result is not bounded."""
        late: float | None = None
        current = root.outputs[0]
        for _ in range(3):
            following: int | None = None
            for op in self.readers(current):
                other = self.other(op, current)
                if other is None or other == current:
                    continue
                value = self.scalar(other)
                divides = op.name == "DIV" and op.inputs[1] == current
                if divides or op.name == "MUL":
                    if (self._difference(other) if centred else other) == source:
                        return op, late
                    if divides and value is not None:
                        following = op.outputs[0]  # 1 / root
                elif op.name in ("ADD", "MAXIMUM") and value is not None:
                    late, following = value, op.outputs[0]
            if following is None:
                break
            current = following
        return None, late

    def _fused(
        self,
        square: Operator,
        reduction: Operator,
        epsilon_op: Operator | None,
        root: Operator,
        final: Operator | None,
        shrink: float,
        by_squares: bool,
    ) -> str | None:
        """Since when a LayerNorm is one kernel of the delegate. Its form, each condition measured on 2.1.5 and 2.3.0:
        MEAN, SUB, MUL(d, d) or SQUARE(d), MEAN, ADD epsilon, RSQRT, MUL(d, ·), the means over the last axis, and
        nothing in between read by anything else. A RESHAPE right behind a MEAN may bring the axis back on 2.3.0."""
        if by_squares or shrink != 1 or final is None or epsilon_op is None or epsilon_op.name != "ADD":
            return None
        if square.name not in ("MUL", "SQUARE") or root.name != "RSQRT" or final.name != "MUL":
            return None
        difference = self.graph.producer(square.inputs[0])
        if difference is None or difference.name != "SUB" or set(square.inputs) != set(difference.outputs):
            return None
        mean = self.graph.producer(difference.inputs[1])
        if mean is not None and mean.name == "RESHAPE":
            mean = self.graph.producer(mean.inputs[0])
        variances = self._over_last(reduction)
        if mean is None or variances is None or self._over_last(mean) != difference.inputs[1]:
            return None
        if mean.inputs[0] != difference.inputs[0]:
            return None
        if set(final.inputs) != {difference.outputs[0], root.outputs[0]}:
            return None
        alone = (
            self.only(difference.inputs[1], difference)
            and self.only(difference.outputs[0], square, final)
            and self.only(square.outputs[0], reduction)
            and self.only(variances, epsilon_op)
            and self.only(epsilon_op.outputs[0], root)
            and self.only(root.outputs[0], final)
        )
        plain = difference.inputs[1] == mean.outputs[0] and variances == reduction.outputs[0]
        return (VERSIONS[0] if plain else "2.3.0") if alone else None

    def _over_last(self, op: Operator) -> int | None:
        """The tensor that holds the means over the last axis, which is still there: what a MEAN makes, or the RESHAPE
        that is its only reader."""
        rank, made = self.graph.tensors[op.inputs[0]].rank, op.outputs[0]
        if op.name != "MEAN" or not 2 <= rank <= 4 or reduced_axes(self.model, self.graph, op) != (-1,):
            return None
        for reader in self.readers(made):
            if reader.name == "RESHAPE" and self.only(made, reader):
                made = reader.outputs[0]
        kept = (*self.graph.tensors[op.inputs[0]].shape[:-1], 1)
        return made if self.graph.tensors[made].shape == kept else None

    # EXP

    def _exp(self, exp: Operator) -> None:
        key = (self.graph.index, exp.inputs[0])
        shifted = key in self.found.below_max
        for form, last in self._forms(exp.outputs[0]):
            found = WrittenExp(self.graph.index, form, exp, last, shifted)
            self.found.exps.append(found)
            self.found.in_exp[self.graph.index, exp.index] = found
            return

    def _forms(self, result: int) -> Iterator[tuple[Form, Operator]]:
        plus: set[int] = set()
        minus: set[int] = set()
        for op in self.readers(result):
            other = self.other(op, result)
            value = self.scalar(other) if other is not None else None
            if op.name == "SUM":
                for moved in self._moved(op.outputs[0]):
                    for reader in self.readers(moved):
                        if reader.name == "DIV" and reader.inputs[0] == result:
                            yield Form.SOFTMAX, reader
                        if reader.name == "LOG":
                            yield Form.LOG_SUM_EXP, reader
            elif op.name == "ADD" and value == 1:
                plus.add(op.outputs[0])
                for reader in self.readers(op.outputs[0]):
                    if reader.name == "LOG":
                        yield Form.SOFTPLUS, reader
            elif (op.name == "SUB" and value == 1) or (op.name == "ADD" and value == -1):
                minus.add(op.outputs[0])
        for tensor in minus:
            for reader in self.readers(tensor):
                if reader.name == "DIV" and len(reader.inputs) == 2 and reader.inputs[1] in plus:
                    yield Form.TANH, reader

    def _moved(self, index: int) -> Iterator[int]:
        """A tensor, and what holds the same values in another shape."""
        yield index
        for op in self.readers(index):
            if op.name in MOVES and op.outputs:
                yield op.outputs[0]

    # Angles

    def _angle(self, op: Operator) -> None:
        index = op.inputs[0]
        for _ in range(REACH):
            producer = self.graph.producer(index)
            if producer is None or not producer.inputs:
                return
            if producer.name in MOVES or producer.name == "CONCATENATION":
                index = producer.inputs[0]
                if index < 0:
                    return
                continue
            break
        else:
            return
        one_term = producer.name == "BATCH_MATMUL" and 1 in (
            self.graph.tensors[producer.inputs[0]].shape[-1:] + self.graph.tensors[producer.inputs[1]].shape[-2:-1]
        )
        if (producer.name != "MUL" and not one_term) or len(producer.inputs) != 2 or min(producer.inputs) < 0:
            return
        for positions, frequencies in (producer.inputs, producer.inputs[::-1]):
            if self.constant(frequencies) and not self.constant(positions):
                if self.graph.tensors[origin(self.graph, frequencies)].elements > 1:
                    self.found.angles.append(Angle(self.graph.index, op, producer, positions, frequencies))
                return
