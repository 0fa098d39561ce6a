"""Which values a tensor can hold: intervals, propagated once through every subgraph in execution order.

They start from what the file or the user says: functions with bounded results (LOGISTIC, SOFTMAX, TANH, RELU6, …),
quantization parameters, small constants and `--input-range`. Every tensor has two intervals. `worst` contains every
value that is possible. `likely` differs where many values are added: it takes them to be spread over their range
(standard deviation an eighth of its width) and independent, which bounds the sum by four standard deviations.
A fault that only `worst` allows needs values that all conspire."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .case import Case
from .constant_facts import LEVELS, Constants, Sums, contraction
from .constants import scales, zero_points
from .half import OVERFLOW
from .model import Model, Operator, Subgraph, Tensor
from .options import LeakyReluOptions
from .patterns import MOVES, Patterns, absorbed, find_patterns, origin, reduced_axes, terms_of

SPREAD = 8
"""Width of a range in standard deviations."""
UNIFORM = math.sqrt(12)
"""The same for values that are spread evenly, as those of an input may be."""
SMALL = 64.0
"""Of that magnitude 1e-3 is left over any value that passes the largest half."""
DEVIATIONS = 4
"""How many of them a sum may be away from what is expected."""


class Range(NamedTuple):
    """Lowest and highest value. Infinite ends are unknown ones."""

    lo: float
    hi: float

    @property
    def known(self) -> bool:
        return math.isfinite(self.lo) and math.isfinite(self.hi)

    @property
    def peak(self) -> float:
        """The greatest magnitude."""
        return max(abs(self.lo), abs(self.hi))

    @property
    def middle(self) -> float:
        return (self.lo + self.hi) / 2

    @property
    def deviation(self) -> float:
        """Assumed standard deviation of the values."""
        return (self.hi - self.lo) / SPREAD

    @property
    def certain(self) -> float:
        """The magnitude that every value has at least."""
        return 0.0 if self.lo <= 0 <= self.hi else min(abs(self.lo), abs(self.hi))

    def meet(self, other: Range) -> Range:
        """What both allow; the first where they contradict each other."""
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return Range(lo, hi) if lo <= hi else self

    def join(self, other: Range) -> Range:
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))


UNKNOWN = Range(-math.inf, math.inf)
UNIT = Range(0.0, 1.0)
SIGNED_UNIT = Range(-1.0, 1.0)


class Ranges:
    """Intervals of every tensor, by subgraph and index."""

    __slots__ = ("_likely", "_worst", "patterns", "products", "stated")

    def __init__(
        self,
        patterns: Patterns,
        worst: tuple[tuple[Range, ...], ...],
        likely: tuple[tuple[Range, ...], ...],
        stated: frozenset[tuple[int, int]],
        products: dict[tuple[int, int], Range],
    ) -> None:
        """`stated` are (graph, tensor) of the inputs whose range the user gave; `products` leads from (graph, operator)
        to what a sum of products likely is before its bias joins."""
        self.patterns = patterns
        self._worst = worst
        self._likely = likely
        self.stated = stated
        self.products = products

    @property
    def constants(self) -> Constants:
        return self.patterns.constants

    def absorbed(self, graph: Subgraph, index: int, sign: int, base: int | None = None) -> bool:
        """Whether an infinity of that sign in a tensor changes nothing (see `patterns.absorbed`)."""

        def small(divisor: int, other: int) -> bool:
            """Whether next to nothing is left of a tensor where the divisor is beyond the largest half, compared with
            where it is least."""
            if self.likely(graph, divisor).certain > OVERFLOW / 100:
                return False
            return self.constants.behind(graph, other) is not None or self.likely(graph, other).peak <= SMALL

        return absorbed(self.patterns, graph, index, sign, base, small)

    def worst(self, graph: Subgraph, index: int) -> Range:
        return self._worst[graph.index][index] if index >= 0 else UNKNOWN

    def likely(self, graph: Subgraph, index: int) -> Range:
        return self._likely[graph.index][index] if index >= 0 else UNKNOWN


class Propagation:
    """Makes the ranges of a model. Equal ones are the same to `Case.derive`."""

    __slots__ = ("inputs", "patterns")

    def __init__(self, inputs: tuple[tuple[str, float, float], ...], patterns: Patterns) -> None:
        self.inputs = inputs
        self.patterns = patterns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Propagation) and other.inputs == self.inputs

    def __hash__(self) -> int:
        return hash(self.inputs)

    def __call__(self, model: Model) -> Ranges:
        given = {name: Range(lo, hi) for name, lo, hi in self.inputs}
        worst: list[tuple[Range, ...]] = []
        likely: list[tuple[Range, ...]] = []
        stated: set[tuple[int, int]] = set()
        products: dict[tuple[int, int], Range] = {}
        for graph in model.subgraphs:
            start = {}
            for index in graph.inputs:
                if 0 <= index < len(graph.tensors):
                    for name in (graph.tensors[index].name, graph.label(index)):
                        if name in given:
                            start[index] = given[name]
            stated |= {(graph.index, index) for index in start}
            alone = _alone(model, graph, self.patterns.constants)
            worst.append(_Pass(model, graph, self.patterns, False).run(alone, start))
            walk = _Pass(model, graph, self.patterns, True)
            likely.append(walk.run(alone, start))
            products.update({(graph.index, index): made for index, made in walk.products.items()})
        return Ranges(self.patterns, tuple(worst), tuple(likely), frozenset(stated), products)


def patterns_of(case: Case) -> Patterns:
    """The patterns of the model, made once."""
    return case.derive(find_patterns)


def ranges_of(case: Case) -> Ranges:
    """The ranges of the model, made once."""
    return case.derive(Propagation(case.settings.input_ranges, patterns_of(case)))


# Arithmetic on intervals. An unknown end stays unknown; 0 times anything is 0.


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def product(a: Range, b: Range) -> Range:
    corners = (_times(a.lo, b.lo), _times(a.lo, b.hi), _times(a.hi, b.lo), _times(a.hi, b.hi))
    return Range(min(corners), max(corners))


def added(a: Range, b: Range) -> Range:
    lo, hi = a.lo + b.lo, a.hi + b.hi
    return Range(-math.inf if math.isnan(lo) else lo, math.inf if math.isnan(hi) else hi)


def negated(a: Range) -> Range:
    return Range(-a.hi, -a.lo)


def subtracted(a: Range, b: Range) -> Range:
    return added(a, negated(b))


def magnitude(a: Range) -> Range:
    return Range(a.certain, a.peak)


def squared(a: Range) -> Range:
    return power(magnitude(a), 2)


def power(a: Range, exponent: float) -> Range:
    """Of a range that is not negative."""
    ends = [_power(end, exponent) for end in (max(a.lo, 0.0), max(a.hi, 0.0))]
    return Range(min(ends), max(ends))


def _power(base: float, exponent: float) -> float:
    if base == 0:
        return 0.0 if exponent > 0 else 1.0 if exponent == 0 else math.inf
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def exponential(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)


def logistic(value: float) -> float:
    return 0.0 if value < -700 else 1 / (1 + math.exp(-value))


def reciprocal(a: Range) -> Range:
    if a.lo > 0 or a.hi < 0:
        return Range(1 / a.hi, 1 / a.lo)
    if a.lo == 0 and a.hi > 0:
        return Range(1 / a.hi, math.inf)
    return UNKNOWN


def _rising(function: Callable[[float], float]) -> Callable[[Range], Range]:
    return lambda a: Range(function(a.lo), function(a.hi))


def _root(value: float) -> float:
    return math.sqrt(max(value, 0.0))


def _logarithm(value: float) -> float:
    return -math.inf if value <= 0 else math.log(value)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: float(function(value)) if math.isfinite(value) else value


def _bump(depth: float) -> Callable[[Range], Range]:
    """GELU, SiLU and their like: nearly max(x, 0), with a dip below 0."""
    return lambda a: Range(-depth if a.lo < 0 else 0.0, max(a.hi, 0.0))


ELEMENTWISE: dict[str, Callable[[Range], Range]] = {
    "ABS": magnitude,
    "NEG": negated,
    "SQUARE": squared,
    "EXP": _rising(exponential),
    "LOG": _rising(_logarithm),
    "SQRT": _rising(_root),
    "RSQRT": lambda a: power(a, -0.5),
    "LOGISTIC": _rising(logistic),
    "TANH": _rising(math.tanh),
    "RELU": _rising(lambda value: max(value, 0.0)),
    "RELU6": _rising(lambda value: min(max(value, 0.0), 6.0)),
    "RELU_N1_TO_1": _rising(lambda value: min(max(value, -1.0), 1.0)),
    "RELU_0_TO_1": _rising(lambda value: min(max(value, 0.0), 1.0)),
    "ELU": _rising(lambda value: value if value > 0 else exponential(value) - 1),
    "GELU": _bump(0.17),
    "HARD_SWISH": _bump(0.375),
    "FLOOR": _rising(_whole(math.floor)),
    "CEIL": _rising(_whole(math.ceil)),
    "ROUND": _rising(_whole(round)),
    "SIN": lambda a: SIGNED_UNIT,
    "COS": lambda a: SIGNED_UNIT,
    "SIGN": lambda a: SIGNED_UNIT,
    "LOG_SOFTMAX": lambda a: Range(-math.inf, 0.0),
    "L2_NORMALIZATION": lambda a: SIGNED_UNIT,
    "ZEROS_LIKE": lambda a: Range(0.0, 0.0),
}
"""One operand, one result of the same kind."""

ACTIVATIONS = {"RELU": "RELU", "RELU6": "RELU6", "RELU_N1_TO_1": "RELU_N1_TO_1", "TANH": "TANH"}

SELECTS = MOVES | {
    "AVERAGE_POOL_2D", "BATCH_TO_SPACE_ND", "CAST", "DEPTH_TO_SPACE", "DEQUANTIZE", "GATHER", "GATHER_ND",
    "MAX_POOL_2D", "MIRROR_PAD", "QUANTIZE", "REDUCE_MAX", "REDUCE_MIN", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR",
    "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH", "SPLIT_V", "TOPK_V2", "UNPACK",
}  # fmt: skip
"""Their results lie within the range of the first operand."""

TRUTHS = frozenset(
    {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"}
    | {"LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT", "REDUCE_ANY", "REDUCE_ALL"}
)


class _Pass:
    """One walk over one subgraph."""

    def __init__(self, model: Model, graph: Subgraph, patterns: Patterns, likely: bool) -> None:
        self.model = model
        self.graph = graph
        self.patterns = patterns
        self.constants = patterns.constants
        self.likely = likely
        self.found: list[Range] = [UNKNOWN] * len(graph.tensors)
        self.products: dict[int, Range] = {}
        self.given: frozenset[int] = frozenset()
        self.limits = {
            (norm.final.outputs[0]): _norm_bound(norm.terms, norm.mean or norm.shrink != 1, likely)
            for norm in patterns.norms
            if norm.graph == graph.index and norm.final is not None and not norm.by_squares and _divides(norm.final)
        }

    def run(self, alone: list[Range], start: dict[int, Range]) -> tuple[Range, ...]:
        self.found = list(alone)
        self.given = frozenset(start)
        for index, given in start.items():
            self.found[index] = self.found[index].meet(given)
        for op in self.graph.operators:
            if op.outputs and all(self._quantized(index) for index in op.outputs):
                continue  # its quantization says what it can hold
            ranges = self._results(op)
            for position, index in enumerate(op.outputs):
                if 0 <= index < len(self.found):
                    made = ranges[min(position, len(ranges) - 1)] if ranges else UNKNOWN
                    self.found[index] = self.found[index].meet(made) if self.found[index] is not UNKNOWN else made
        return tuple(self.found)

    def _quantized(self, index: int) -> bool:
        return 0 <= index < len(self.found) and self.graph.tensors[index].quantized and self.found[index].known

    def at(self, op: Operator, position: int) -> Range:
        if position >= len(op.inputs) or op.inputs[position] < 0:
            return UNKNOWN
        return self.found[op.inputs[position]]

    def _results(self, op: Operator) -> list[Range]:
        if not op.inputs or not op.outputs:
            return [self._made(op)] if op.outputs else []
        made = self._made(op)
        activation = ACTIVATIONS.get(op.activation)
        if activation is not None:
            made = ELEMENTWISE[activation](made)
        bound = self.limits.get(op.outputs[0])
        if bound is not None:
            made = made.meet(bound)
        key = (self.graph.index, op.outputs[0])
        if key in self.patterns.below_max:
            taken = self.found[self.patterns.below_max[key]]
            made = Range(-max(taken.hi - taken.lo, 0.0) if taken.known else -math.inf, 0.0)
        if key in self.patterns.within_unit:
            made = made.meet(SIGNED_UNIT) if made.known else SIGNED_UNIT
        if op.name == "TOPK_V2":
            return [made, UNKNOWN]
        return [made]

    def _made(self, op: Operator) -> Range:
        name = op.name
        if name in ELEMENTWISE:
            return ELEMENTWISE[name](self.at(op, 0))
        if name in SELECTS:
            return self.at(op, 0)
        if name in TRUTHS:
            return UNIT
        rule = _RULES.get(name)
        return rule(self, op) if rule is not None else UNKNOWN

    # Two operands

    def add(self, op: Operator) -> Range:
        return added(self.at(op, 0), self.at(op, 1))

    def subtract(self, op: Operator) -> Range:
        return subtracted(self.at(op, 0), self.at(op, 1))

    def multiply(self, op: Operator) -> Range:
        if len(op.inputs) == 2 and op.inputs[0] == op.inputs[1]:
            return squared(self.at(op, 0))
        return product(self.at(op, 0), self.at(op, 1))

    def divide(self, op: Operator) -> Range:
        below = self.graph.producer(op.inputs[1]) if len(op.inputs) == 2 else None
        if below is not None and below.name == "ADD" and op.inputs[0] in below.inputs and self.at(op, 0).lo >= 0:
            rest = [index for index in below.inputs if index != op.inputs[0]]
            if rest and rest[0] >= 0 and self.found[rest[0]].lo >= 0:
                return UNIT  # x / (x + c)
        return product(self.at(op, 0), reciprocal(self.at(op, 1)))

    def difference(self, op: Operator) -> Range:
        return squared(self.subtract(op))

    def maximum(self, op: Operator) -> Range:
        a, b = self.at(op, 0), self.at(op, 1)
        return Range(max(a.lo, b.lo), max(a.hi, b.hi))

    def minimum(self, op: Operator) -> Range:
        a, b = self.at(op, 0), self.at(op, 1)
        return Range(min(a.lo, b.lo), min(a.hi, b.hi))

    def raised(self, op: Operator) -> Range:
        base, exponent = self.at(op, 0), self.at(op, 1)
        if base.lo == base.hi and 0 < base.lo < math.inf and exponent.known:
            ends = [_power(base.lo, end) for end in exponent]
            return Range(min(ends), max(ends))
        if exponent.lo != exponent.hi or not exponent.known:
            return UNKNOWN
        if exponent.lo == int(exponent.lo) and base.lo < 0:
            whole = power(magnitude(base), exponent.lo)
            return whole if int(exponent.lo) % 2 == 0 else Range(-whole.hi, whole.hi)
        return power(base, exponent.lo)

    def remainder(self, op: Operator) -> Range:
        peak = self.at(op, 1).peak
        return Range(0.0 if self.at(op, 1).lo >= 0 else -peak, peak)

    def quotient(self, op: Operator) -> Range:
        return ELEMENTWISE["FLOOR"](self.divide(op))

    # Selections

    def joined(self, op: Operator, positions: Iterable[int] | None = None) -> Range:
        chosen = range(len(op.inputs)) if positions is None else positions
        ranges = [self.at(op, position) for position in chosen]
        result = ranges[0]
        for other in ranges[1:]:
            result = result.join(other)
        return result

    def selected(self, op: Operator) -> Range:
        return self.joined(op, (1, 2))

    def updated(self, op: Operator) -> Range:
        return self.joined(op, (0, 1))

    def padded(self, op: Operator) -> Range:
        return self.at(op, 0).join(self.at(op, 2) if op.name == "PADV2" else Range(0.0, 0.0))

    def second(self, op: Operator) -> Range:
        return self.at(op, 1)

    def shares(self, op: Operator) -> Range:
        """SOFTMAX: no share is below that of the lowest logit among the highest."""
        logits, shape = self.at(op, 0), self.graph.tensors[op.inputs[0]].shape
        count = max(shape[-1], 1) if shape else 1
        return Range(exponential(logits.lo - logits.hi) / count, 1.0) if logits.known else UNIT

    def one_hot(self, op: Operator) -> Range:
        return self.joined(op, (2, 3))

    def counted(self, op: Operator) -> Range:
        """ARG_MAX, ARG_MIN: an index."""
        if op.inputs[0] < 0:
            return UNKNOWN
        return Range(0.0, float(max(self.graph.tensors[op.inputs[0]].shape, default=1) - 1))

    def sloped(self, op: Operator) -> Range:
        options, a = op.options_of(LeakyReluOptions), self.at(op, 0)
        slope = Range(options.alpha, options.alpha) if options else UNKNOWN
        if op.name == "PRELU":
            slope = self.at(op, 1)
        below = product(Range(min(a.lo, 0.0), min(a.hi, 0.0)), slope)
        return below.join(Range(max(a.lo, 0.0), max(a.hi, 0.0)))

    # Sums

    def total(self, op: Operator) -> Range:
        axes = reduced_axes(self.model, self.graph, op)
        values = self.at(op, 0)
        if axes is None:
            return UNKNOWN
        weighted = self._weighted_by_shares(op, axes)
        if weighted is not None:
            return weighted
        count = terms_of(self.graph, op, axes)
        made = self.sum_of(values, count, self.moments(op.inputs[0]))
        producer = self.graph.producer(op.inputs[0])
        if producer is not None and producer.name == "EXP" and self._shifted(producer):
            return Range(1.0, max(made.hi, 1.0))
        return made

    def _weighted_by_shares(self, op: Operator, axes: tuple[int, ...]) -> Range | None:
        """What a SUM of shares times values gives: shares add up to 1."""
        product = self.graph.producer(op.inputs[0])
        if product is None or product.name != "MUL" or len(product.inputs) != 2 or axes != (-1,):
            return None
        for position in (0, 1):
            shares = self.graph.producer(product.inputs[position])
            if shares is not None and shares.name == "SOFTMAX":
                return self.at(product, 1 - position)
        return None

    def _shifted(self, exp: Operator) -> bool:
        """Whether the greatest value was subtracted from what an EXP takes."""
        return (self.graph.index, exp.inputs[0]) in self.patterns.below_max

    def sum_of(self, values: Range, count: int, moments: tuple[float, float]) -> Range:
        if not self.likely or not values.known:
            return Range(_times(values.lo, count), _times(values.hi, count))
        centre, margin = moments[0] * count, DEVIATIONS * moments[1] * math.sqrt(count)
        return Range(centre - margin, centre + margin).meet(Range(values.lo * count, values.hi * count))

    def moments(self, index: int) -> tuple[float, float]:
        """Expected value and standard deviation of a tensor's values: not the middle of their range where they are
        squares or exponentials of what is spread evenly."""
        values, op = self.found[index], self.graph.producer(index)
        if op is None or not values.known:
            return values.middle, values.deviation
        base = self._squared(op)
        if base is not None and base.known:
            return self._square_moments(base, any(origin(self.graph, index) in self.given for index in op.inputs))
        if op.name == "EXP" and self.at(op, 0).known:
            base = self.at(op, 0)
            centre = min(exponential(base.middle + base.deviation**2 / 2), values.hi)
            return centre, min(centre * _root(exponential(base.deviation**2) - 1), values.hi)
        return values.middle, values.deviation

    def _square_moments(self, base: Range, given: bool) -> tuple[float, float]:
        """Expected value and standard deviation of the squares of values."""
        spread = (base.hi - base.lo) / UNIFORM if given else base.deviation
        return base.middle**2 + spread**2, 1.5 * spread**2 + 2 * abs(base.middle) * spread

    def _squared(self, op: Operator) -> Range | None:
        """The range of what an operator squares."""
        if op.name == "SQUARE" or (op.name == "MUL" and len(op.inputs) == 2 and op.inputs[0] == op.inputs[1]):
            return self.at(op, 0)
        if op.name == "POW" and self.at(op, 1) == (2.0, 2.0):
            return self.at(op, 0)
        return self.subtract(op) if op.name == "SQUARED_DIFFERENCE" else None

    def mean(self, op: Operator) -> Range:
        axes, values = reduced_axes(self.model, self.graph, op), self.at(op, 0)
        if not self.likely or not values.known or axes is None:
            return values
        centre, deviation = self.moments(op.inputs[0])
        # The mean need not be the middle: a quarter of a deviation is allowed for.
        margin = deviation * (0.25 + DEVIATIONS / math.sqrt(max(terms_of(self.graph, op, axes), 1)))
        return Range(centre - margin, centre + margin).meet(values)

    def running(self, op: Operator) -> Range:
        values = self.at(op, 0)
        if op.inputs[0] < 0:
            return UNKNOWN
        count = max(self.graph.tensors[op.inputs[0]].shape, default=1)
        return values.join(self.sum_of(values, count, self.moments(op.inputs[0])))

    def powers(self, op: Operator) -> Range:
        axes, values = reduced_axes(self.model, self.graph, op), self.at(op, 0)
        if axes is None or not values.known:
            return UNKNOWN
        count = terms_of(self.graph, op, axes)
        whole = power(magnitude(values), count)
        return whole if values.lo >= 0 else Range(-whole.hi, whole.hi)

    # Sums of products

    def dot(self, op: Operator) -> Range:
        found = contraction(self.graph, op)
        if found is None:
            return UNKNOWN
        position, terms, step = found
        data = 2 if op.name == "TRANSPOSE_CONV" else 1 - position
        values = self.at(op, data)
        weights = self.constants.behind(self.graph, op.inputs[position])
        if weights is None:
            return self._runtime_dot(op, values, self.at(op, position), terms)
        if not values.known:
            return UNKNOWN
        if op.name == "TRANSPOSE_CONV":
            channels = self.graph.tensors[op.inputs[1]].shape[3]
            terms = channels if terms == channels else weights.elements // max(weights.shape[0], 1)
        sums = self.constants.sums(self.graph, weights, terms, step)
        if not sums:
            return UNKNOWN
        made = _weighted(values, sums, self.likely)
        if op.name in ("CONV_2D", "DEPTHWISE_CONV_2D") or op.name == "TRANSPOSE_CONV":
            made = made.join(_weighted(values.join(Range(0.0, 0.0)), sums, self.likely))  # the padding
        self.products[op.index] = made
        bias = 3 if op.name == "TRANSPOSE_CONV" else 2
        if op.name != "BATCH_MATMUL" and len(op.inputs) > bias and op.inputs[bias] >= 0:
            stated = self.constants.behind(self.graph, op.inputs[bias])
            nothing = stated is not None and self.constants.facts(self.graph, stated) is None
            made = made if nothing else added(made, self.at(op, bias))
        return made

    def _runtime_dot(self, op: Operator, a: Range, b: Range, terms: int) -> Range:
        left = self.graph.producer(origin(self.graph, op.inputs[0]))
        if left is not None and left.name == "SOFTMAX" and op.name == "BATCH_MATMUL":
            return self.at(op, 1)  # weights that add up to 1
        one = product(a, b)
        if not one.known or not self.likely:
            return Range(_times(one.lo, terms), _times(one.hi, terms))
        centre = a.middle * b.middle * terms
        variance = (a.deviation * b.deviation) ** 2 + (a.middle * b.deviation) ** 2 + (b.middle * a.deviation) ** 2
        margin = DEVIATIONS * math.sqrt(variance * terms)
        source = origin(self.graph, op.inputs[0])
        if source == origin(self.graph, op.inputs[1]):  # on the diagonal every term is a square
            square, deviation = self._square_moments(a, source in self.given)
            margin = max(margin, square * terms + DEVIATIONS * deviation * math.sqrt(terms) - centre)
        made = Range(centre - margin, centre + margin).meet(Range(one.lo * terms, one.hi * terms))
        self.products[op.index] = made
        return made


def _alone(model: Model, graph: Subgraph, constants: Constants) -> list[Range]:
    """What every tensor says by itself: a constant's values, or what its quantization can express."""
    return [_stored(model, graph, constants, tensor) for tensor in graph.tensors]


def _stored(model: Model, graph: Subgraph, constants: Constants, tensor: Tensor) -> Range:
    if tensor.constant:
        facts = constants.facts(graph, tensor)
        if facts is not None:
            return Range(facts.lowest, facts.highest)
    levels = LEVELS.get(tensor.type)
    if levels is not None and tensor.quantized:
        steps, zeros = scales(model, tensor), zero_points(model, tensor)
        if steps and (len(steps) == 1 or not any(zeros)):
            zero, step = zeros[0] if zeros else 0, max(steps)
            return Range((levels[0] - zero) * step, (levels[1] - zero) * step)
    return UNIT if tensor.type == "BOOL" else UNKNOWN


def _weighted(values: Range, sums: Iterable[Sums], likely: bool) -> Range:
    low, high, middle, spread = values.lo, values.hi, values.middle, DEVIATIONS * values.deviation
    lowest, highest = math.inf, -math.inf
    for positive, negative, squares in sums:
        least, most = low * positive + high * negative, high * positive + low * negative
        if likely:
            centre, margin = middle * (positive + negative), spread * math.sqrt(squares)
            least, most = max(least, centre - margin), min(most, centre + margin)
        lowest, highest = min(lowest, least), max(highest, most)
    return Range(lowest, highest)


def _norm_bound(terms: int, mean: bool, likely: bool) -> Range:
    """What a norm gives: no value is further out than the root of their number, and hardly one than eight."""
    bound = math.sqrt(terms) if mean else 1.0
    bound = min(bound, 8.0) if likely else bound
    return Range(-bound, bound)


def _divides(final: Operator) -> bool:
    return final.name in ("MUL", "DIV") and bool(final.outputs)


_RULES: dict[str, Callable[[_Pass, Operator], Range]] = {
    "ADD": _Pass.add,
    "SUB": _Pass.subtract,
    "MUL": _Pass.multiply,
    "DIV": _Pass.divide,
    "SQUARED_DIFFERENCE": _Pass.difference,
    "MAXIMUM": _Pass.maximum,
    "MINIMUM": _Pass.minimum,
    "POW": _Pass.raised,
    "FLOOR_MOD": _Pass.remainder,
    "FLOOR_DIV": _Pass.quotient,
    "CONCATENATION": _Pass.joined,
    "PACK": _Pass.joined,
    "SELECT": _Pass.selected,
    "SELECT_V2": _Pass.selected,
    "DYNAMIC_UPDATE_SLICE": _Pass.updated,
    "PAD": _Pass.padded,
    "PADV2": _Pass.padded,
    "SPLIT": _Pass.second,
    "EMBEDDING_LOOKUP": _Pass.second,
    "FILL": _Pass.second,
    "SOFTMAX": _Pass.shares,
    "ONE_HOT": _Pass.one_hot,
    "ARG_MAX": _Pass.counted,
    "ARG_MIN": _Pass.counted,
    "LEAKY_RELU": _Pass.sloped,
    "PRELU": _Pass.sloped,
    "SUM": _Pass.total,
    "MEAN": _Pass.mean,
    "CUMSUM": _Pass.running,
    "REDUCE_PROD": _Pass.powers,
    "FULLY_CONNECTED": _Pass.dot,
    "CONV_2D": _Pass.dot,
    "DEPTHWISE_CONV_2D": _Pass.dot,
    "TRANSPOSE_CONV": _Pass.dot,
    "BATCH_MATMUL": _Pass.dot,
}
