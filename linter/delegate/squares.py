"""A normalization whose variance is written as a mean of squares minus a squared mean.

    m = mean(x);  v = mean(x * x) - m * m;  y = (x - m) * rsqrt(v + epsilon)

over the last axis. The delegate recognizes it, makes one operator of it, and dies; swapped operands of a subtraction or
of the last product make no difference. Measured on every release. So were the neighbours that are fine: another axis,
no epsilon or one that is no constant, SQRT and a division, POW, SUM, the centred variance, x * r - m * r.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..constants import integers
from ..model import Model, Operator, Subgraph
from ..options import ReducerOptions


def variance_by_squares(model: Model, graph: Subgraph, chosen: frozenset[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """For each such normalization among the operators `chosen`: the index of its last multiplication, and the tensors
    x, m and v."""
    for op in graph.operators:
        if op.name == "RSQRT" and op.index in chosen:
            yield from _Pattern(model, graph, chosen).around(op)


class _Pattern:
    __slots__ = ("chosen", "graph", "model")

    def __init__(self, model: Model, graph: Subgraph, chosen: frozenset[int]) -> None:
        self.model = model
        self.graph = graph
        self.chosen = chosen

    def around(self, rsqrt: Operator) -> Iterator[tuple[int, tuple[int, ...]]]:
        variance = self.variance(rsqrt.inputs[0])
        if variance is None:
            return
        data, mean, tensor = variance
        for last in self.graph.readers(rsqrt.outputs[0]):
            if last.name == "MUL" and last.index in self.chosen:
                for factor in last.inputs:
                    centred = self.made(factor, "SUB")
                    if centred is not None and centred.inputs == (data, mean):
                        yield last.index, (data, mean, tensor)
                        return

    def variance(self, shifted: int) -> tuple[int, int, int] | None:
        """What `shifted` adds a constant epsilon to, if it is a variance by squares: of which tensor, its mean, and
        the variance."""
        add = self.made(shifted, "ADD")
        if add is None:
            return None
        for tensor, epsilon in (add.inputs, add.inputs[::-1]):
            difference = self.made(tensor, "SUB")
            if difference is None or epsilon < 0 or not self.graph.tensors[epsilon].constant:
                continue
            for squares, squared_mean in (difference.inputs, difference.inputs[::-1]):
                of_squares = self.mean_of(squares)
                mean = self.square_of(squared_mean)
                data = None if of_squares is None else self.square_of(of_squares)
                if data is not None and mean is not None and self.mean_of(mean) == data:
                    return data, mean, tensor
        return None

    def made(self, tensor: int, by: str) -> Operator | None:
        """The operator that makes a tensor, when it is of that kind and on the GPU."""
        op = self.graph.producer(tensor)
        return op if op is not None and op.name == by and op.index in self.chosen else None

    def square_of(self, tensor: int) -> int | None:
        op = self.made(tensor, "SQUARE") or self.made(tensor, "MUL")
        return op.inputs[0] if op is not None and len(set(op.inputs)) == 1 else None

    def mean_of(self, tensor: int) -> int | None:
        """What a tensor is the mean of, over the last axis and with that axis kept."""
        op = self.made(tensor, "MEAN")
        if op is None:
            return None
        options = op.options_of(ReducerOptions)
        data, axes = (self.graph.tensors[index] for index in op.inputs)
        if options is None or not options.keep_dims or data.rank < 2:
            return None
        return data.index if integers(self.model, axes) in ((data.rank - 1,), (-1,)) else None
