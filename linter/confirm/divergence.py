"""The first operator whose result is wrong, found on copies of the model that end early.

An operator is judged by a prefix: a copy that ends at it and holds only what it is computed from, so that no tensor
is both output and consumed (which alone can change the result). An operator whose prefix is wrong while those of its
inputs are right is the first. Where the prefix of a wrong output is right, the fault needs what comes after: then
copies that also keep one consumer tell which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import reader
from ..model import Model, Operator, Subgraph
from . import compare, runner
from .answers import Divergence, Suspect
from .compare import Difference
from .truncate import CannotTruncate, NoInputs, ancestors, truncate


def first_divergence(
    data: bytes,
    worker: runner.Worker,
    options: runner.Options,
    wrong: Sequence[tuple[str, str]],
    suspects: Sequence[Suspect],
    rounding: compare.Rounding,
) -> Divergence:
    """Trace the earliest of the `wrong` outputs, given as (signature, output name). Raises CannotTruncate."""
    model = reader.read(data)
    located = [_locate(model, key, name) for key, name in wrong]
    graph, tensor, key = min(located, key=lambda found: (found[0].index, found[0].producers.get(found[1], -1)))
    producer = graph.producer(tensor)
    if producer is None:
        raise CannotTruncate(f"the wrong output {graph.label(tensor)} is not computed by any operator")
    search = _Search(data, model, graph, key, worker, options, rounding)
    operator = producer
    consumers: tuple[Operator, ...] = ()
    difference = search.wrong(producer)
    if difference is None:
        consumers, difference = search.consumers(tensor)
    else:
        operator = search.first(producer)
        difference = search.wrong(operator)
        tensor = tensor if operator is producer else operator.outputs[0]
    return Divergence(
        signature=key,
        subgraph=graph.index,
        index=operator.index,
        op=operator.title,
        tensor=graph.label(tensor),
        consumers=tuple((consumer.index, consumer.title) for consumer in consumers),
        difference=difference,
        rule=_rule(suspects, graph, operator, consumers),
        copies=search.copies,
        unusable=search.unusable,
    )


def _locate(model: Model, key: str, name: str) -> tuple[Subgraph, int, str]:
    for signature in model.signatures:
        if signature.key == key:
            tensors = dict(signature.outputs)
            return model.subgraphs[signature.subgraph], tensors[name], key
    graph = model.subgraphs[0]
    for tensor in graph.outputs:
        if graph.tensors[tensor].name == name:
            return graph, tensor, key
    raise CannotTruncate(f"output {name} is not found in the file")


class _Search:
    """Runs copies of one subgraph, and remembers what they showed."""

    def __init__(
        self,
        data: bytes,
        model: Model,
        graph: Subgraph,
        key: str,
        worker: runner.Worker,
        options: runner.Options,
        rounding: compare.Rounding,
    ) -> None:
        self.data = data
        self.model = model
        self.graph = graph
        self.key = key
        self.worker = worker
        self.options = replace(options, accelerators="gpu,cpu", outputs=True, reference=True, signature=key)
        self.rounding = rounding
        self.copies = 0
        self.unusable = 0
        self._known: dict[int, Difference | None] = {}

    def wrong(self, operator: Operator) -> Difference | None:
        """How the prefix that ends at this operator is wrong; None where it is right, or cannot be run."""
        if operator.index not in self._known:
            self._known[operator.index] = _worst(self._differences(operator.outputs))
        return self._known[operator.index]

    def first(self, last: Operator) -> Operator:
        """The first wrong operator on a way to `last`, which is wrong.

        Halving its ancestors in execution order gives a wrong operator with a right one before it; one of its inputs
        may still be wrong, on another branch, and then the search goes on from there.
        """
        while True:
            order = sorted(ancestors(self.graph, last.outputs))
            right, wrong = -1, len(order) - 1
            while wrong - right > 1:
                middle = (right + wrong) // 2
                if self.wrong(self.graph.operators[order[middle]]):
                    wrong = middle
                else:
                    right = middle
            found = self.graph.operators[order[wrong]]
            before = next((source for source in self._sources(found) if self.wrong(source)), None)
            if before is None:
                return found
            last = before

    def consumers(self, tensor: int) -> tuple[tuple[Operator, ...], Difference | None]:
        """The consumers that make a tensor wrong which is right without them: the first that does alone, else all."""
        readers = self.graph.readers(tensor)
        for reading in readers:
            outputs = (tensor, *(output for output in reading.outputs if output != tensor))
            if difference := _worst(self._differences(outputs)[:1]):
                return (reading,), difference
        return readers, None

    def _sources(self, operator: Operator) -> list[Operator]:
        producers = (self.graph.producer(tensor) for tensor in operator.inputs)
        return [producer for producer in producers if producer is not None]

    def _differences(self, outputs: tuple[int, ...]) -> list[Difference]:
        """Run a copy that computes `outputs`; a difference for each, in order. Empty where it says nothing."""
        try:
            copy = truncate(self.data, self.model, self.graph, outputs)
        except NoInputs:
            self.unusable += 1
            return []
        self.copies += 1
        run = self.worker.run(copy, self.options)
        if run.exit.kind != "ok" or run.reports or len(run.outputs) != len(outputs):
            self.unusable += 1
            return []
        found = []
        for output in run.outputs:
            if output.compiled is None or output.reference is None:
                self.unusable += 1
                return []
            limits = compare.tolerance(output.reference, self.rounding)
            found.append(compare.difference(output.compiled, output.reference, limits))
        return found


def _worst(differences: Sequence[Difference]) -> Difference | None:
    wrong = [difference for difference in differences if not difference.within]
    return max(wrong, key=lambda difference: difference.rmse, default=None)


def _rule(
    suspects: Sequence[Suspect], graph: Subgraph, operator: Operator, consumers: Sequence[Operator]
) -> str | None:
    """A finding at the operator itself, else at a consumer that takes part."""
    for index in (operator.index, *(consumer.index for consumer in consumers)):
        for suspect in suspects:
            if suspect.subgraph == graph.index and suspect.index == index:
                return suspect.rule
    return None
