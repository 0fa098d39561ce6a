"""Where every operator of a model runs on one release, and what the runtime prints about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar, cast

from ..model import Model, Operator, Subgraph
from ..targets import Era
from .acceptance import refusal
from .creation import creation_failures
from .failure import Failure, Stage
from .loading import load_failures, precomputed_tensors, skipped_subgraphs
from .node import Node
from .partition import largest, partitions
from .refusal import Cause, Refusal


class On(str, Enum):
    GPU = "gpu"
    CPU = "cpu"
    UNKNOWN = "unknown"


class Verdict(str, Enum):
    """FULL, PARTIAL, NONE: every, some or no operator on the GPU. FAILS: the CompiledModel cannot be created with the GPU, though the CPU
    alone works. UNLOADABLE: the CPU alone cannot run it either. UNKNOWN: not decidable from the file."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    FAILS = "fails"
    UNLOADABLE = "unloadable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OpPlacement:
    """Where one operator runs. `refusal` is None for an accepted one, also when it lies outside the partition that is kept."""

    subgraph: int
    index: int
    op: str
    on: On
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class SubgraphPlacement:
    """One subgraph: how many operators on each side, and the partitions that the accepted ones form."""

    index: int
    gpu: int
    cpu: int
    sentence: str | None
    """What the runtime prints for this subgraph, None where it prints nothing."""
    partitions: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """The prediction for one release."""

    litert: str
    verdict: Verdict
    ops: tuple[OpPlacement, ...]
    subgraphs: tuple[SubgraphPlacement, ...]
    failures: tuple[Failure, ...]

    @property
    def gpu_ops(self) -> int:
        return sum(placed.on is On.GPU for placed in self.ops)

    @property
    def cpu_ops(self) -> int:
        return sum(placed.on is On.CPU for placed in self.ops)

    @property
    def line(self) -> str | None:
        """The residency sentences that the runtime prints, one a subgraph, in order."""
        return "\n".join(graph.sentence for graph in self.subgraphs if graph.sentence) or None

    def refused(self) -> Iterator[tuple[OpPlacement, Refusal]]:
        for placed in self.ops:
            if placed.refusal is not None:
                yield placed, placed.refusal


def sentence(gpu: int, cpu: int) -> str:
    """The runtime's words (GetOpsToReplaceWithOptions, ml_drift_delegate/tflite/model_builder.cc)."""
    if not gpu:
        return f"No operations will run on the GPU, and all {cpu} operations will run on the CPU."
    return f"{gpu} operations will run on the GPU, and the remaining {cpu} operations will run on the CPU."


Same = TypeVar("Same", bound="tuple[object, ...]")


class Placer:
    """Predicts a model's placement on any number of releases. Decisions are shared between releases that answer the same."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._refusals: dict[tuple[int, int], list[tuple[Era, Refusal | None]]] = {}
        self._partitions: dict[tuple[int, frozenset[int]], tuple[tuple[int, ...], ...]] = {}
        self._made: list[tuple[object, ...]] = []
        self._context: dict[int, tuple[dict[int, dict[int, int]], frozenset[int]]] = {}

    def place(self, litert: str) -> Placement:
        era = Era(litert)
        model = self._model
        failures = list(load_failures(model, era))
        silent = any(failure.stage in (Stage.LOAD, Stage.BEFORE_CHECK) for failure in failures)
        ops: list[OpPlacement] = []
        graphs: list[SubgraphPlacement] = []
        if silent:
            ops = [
                OpPlacement(graph.index, op.index, op.title, On.UNKNOWN, None)
                for graph in model.subgraphs
                for op in graph.operators
            ]
        else:
            skipped = skipped_subgraphs(model, lambda graph, op: self._refusal(graph, op, era) is None, era)
            for graph in model.subgraphs:
                if graph.index in skipped:
                    continue
                placed, summary, chosen = self._place_subgraph(graph, era)
                ops += placed
                graphs.append(summary)
                failures += creation_failures(model, graph, chosen, era)
        return Placement(
            litert,
            _verdict(ops, failures),
            self._same_as_before(tuple(ops)),
            tuple(graphs),
            self._same_as_before(tuple(failures)),
        )

    def _same_as_before(self, made: Same) -> Same:
        """The equal tuple of an earlier release, if there is one: identity then tells that nothing changed between releases."""
        for earlier in self._made:
            if earlier == made:
                return earlier
        self._made.append(made)
        return made

    def _place_subgraph(self, graph: Subgraph, era: Era) -> tuple[list[OpPlacement], SubgraphPlacement, frozenset[int]]:
        refusals = {op.index: self._refusal(graph, op, era) for op in graph.operators}
        accepted = frozenset(index for index, why in refusals.items() if why is None)
        companions = {index for index, why in refusals.items() if why is not None and why.cause is Cause.HALF_WEIGHTS}
        total = len(graph.operators)
        if len(accepted) + len(companions) == total:
            # FP16GraphPartitionHelper: then the DEQUANTIZE operators go to the GPU with all the others, whatever the partitions.
            chosen = frozenset(refusals)
            refusals = dict.fromkeys(refusals)
            found: tuple[tuple[int, ...], ...] = (tuple(sorted(chosen)),) if chosen else ()
        else:
            key = (graph.index, accepted)
            if key not in self._partitions:
                self._partitions[key] = tuple(tuple(part) for part in partitions(graph, accepted))
            found = self._partitions[key]
            chosen = frozenset(largest([list(part) for part in found]))
        ops = [
            OpPlacement(
                graph.index,
                op.index,
                op.title,
                On.GPU if op.index in chosen else On.CPU,
                refusals[op.index],
            )
            for op in graph.operators
        ]
        printed = sentence(len(chosen), total - len(chosen)) if len(chosen) < total else None
        return (
            ops,
            SubgraphPlacement(graph.index, len(chosen), total - len(chosen), printed, found),
            chosen,
        )

    def _refusal(self, graph: Subgraph, op: Operator, era: Era) -> Refusal | None:
        """The delegate's word on an operator, decided once for all releases that give the same answers on the way."""
        known = self._refusals.setdefault((graph.index, op.index), [])
        for asked, why in known:
            if asked.covers(era.index):
                return why
        mine = Era(era.version)
        substitutes, precomputed = self._graph_context(graph)
        half = substitutes.get(op.index, {})
        if is_half_weight(graph, op):
            why = Refusal(Cause.HALF_WEIGHTS, "")
        else:
            why = refusal(Node(self._model, graph, op, mine, half, precomputed))
        known.append((mine, why))
        return why

    def _graph_context(self, graph: Subgraph) -> tuple[dict[int, dict[int, int]], frozenset[int]]:
        """For every operator that reads one, the FLOAT16 constants behind its inputs; and the precomputed tensors."""
        context = self._context.get(graph.index)
        if context is None:
            recorded: dict[int, int] = {}
            by_operator: dict[int, dict[int, int]] = {}
            for op in graph.operators:
                # Only what stands before an operator in the plan has been recorded when it is checked.
                if recorded and not recorded.keys().isdisjoint(op.inputs):
                    by_operator[op.index] = {t: recorded[t] for t in op.inputs if t in recorded}
                if is_half_weight(graph, op):
                    recorded[op.outputs[0]] = op.inputs[0]
            context = self._context[graph.index] = (
                by_operator,
                precomputed_tensors(self._model, graph),
            )
        return context


def is_half_weight(graph: Subgraph, op: Operator) -> bool:
    """A DEQUANTIZE of a constant FLOAT16 tensor (FP16GraphPartitionHelper::IsNodeSupported, tflite/delegates/utils.cc, v2.2.0)."""
    if op.name != "DEQUANTIZE" or not op.inputs or op.inputs[0] < 0 or not op.outputs:
        return False
    weights = graph.tensors[op.inputs[0]]
    return weights.type == "FLOAT16" and weights.constant


def _verdict(ops: list[OpPlacement], failures: list[Failure]) -> Verdict:
    if any(failure.stage is Stage.LOAD for failure in failures):
        return Verdict.UNLOADABLE
    if failures:
        return Verdict.FAILS
    if any(placed.on is On.UNKNOWN for placed in ops):
        return Verdict.UNKNOWN
    on_gpu = sum(placed.on is On.GPU for placed in ops)
    if on_gpu == len(ops):
        return Verdict.FULL
    return Verdict.PARTIAL if on_gpu else Verdict.NONE
