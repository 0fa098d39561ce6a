"""Where every operator of a model runs on one release, and what the runtime prints about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias, TypeVar

from ..model import Model, Operator, Subgraph
from ..targets import Era
from .acceptance import refusal
from .creation import creation_failures
from .failure import Failure, Stage
from .in_place import left_out
from .loading import load_failures
from .node import Node, is_half_weight
from .partition import largest, partitions
from .prepare import Preparation, Prepared, prepare
from .refusal import Cause, Refusal
from .xnnpack import cpu_failures


class On(str, Enum):
    GPU = "gpu"
    CPU = "cpu"
    UNKNOWN = "unknown"


class Verdict(str, Enum):
    """FULL, PARTIAL, NONE: every, some or no operator on the GPU. FAILS: the CompiledModel cannot be created with the
    GPU, though the CPU alone works. UNLOADABLE: the CPU alone cannot run it either. UNKNOWN: not decidable from the
    file."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    FAILS = "fails"
    UNLOADABLE = "unloadable"
    UNKNOWN = "unknown"


class OpPlacement(NamedTuple):
    """Where one operator runs. `refusal` is None for an accepted one, also when it lies outside the partition that is
    kept."""

    subgraph: int
    index: int  # type: ignore[assignment]
    op: str
    on: On
    refusal: Refusal | None


class SubgraphPlacement(NamedTuple):
    """One subgraph: how many operators on each side, and the partitions that the accepted ones form."""

    index: int  # type: ignore[assignment]
    gpu: int
    cpu: int
    sentence: str | None
    """What the runtime prints for this subgraph, None where it prints nothing."""
    partitions: tuple[tuple[int, ...], ...]


class Placement(NamedTuple):
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

    def to_fix(self) -> dict[int, tuple[int, ...]]:
        """By subgraph, the refused operators that need a rewrite. FLOAT16 weights are accepted again as soon as nothing
        else is refused."""
        found: dict[int, list[int]] = {}
        for placed, why in self.refused():
            if why.cause is not Cause.HALF_WEIGHTS:
                found.setdefault(placed.subgraph, []).append(placed.index)
        return {subgraph: tuple(operators) for subgraph, operators in found.items()}


def sentence(gpu: int, cpu: int) -> str:
    """The runtime's words (GetOpsToReplaceWithOptions, ml_drift_delegate/tflite/model_builder.cc)."""
    if not gpu:
        return f"No operations will run on the GPU, and all {cpu} operations will run on the CPU."
    return f"{gpu} operations will run on the GPU, and the remaining {cpu} operations will run on the CPU."


Same = TypeVar("Same", bound="tuple[object, ...]")
Made = TypeVar("Made")


def shared(era: Era, known: list[tuple[Era, Made]], build: Callable[[Era], Made]) -> Made:
    """What `build` makes for a release; made once for all releases that give the same answers on the way."""
    for asked, made in known:
        if asked.covers(era.index):
            return made
    mine = Era(era.version)
    made = build(mine)
    known.append((mine, made))
    return made


class Placer:
    """Predicts a model's placement on any number of releases. What releases have in common is decided once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loads: list[tuple[Era, tuple[Failure, ...]]] = []
        self._preparations: list[tuple[Era, Preparation]] = []
        self._subgraphs: dict[int, _PreparedSubgraph] = {}
        self._made: list[tuple[object, ...]] = []

    def place(self, litert: str) -> Placement:
        era = Era(litert)
        model = self._model
        failures = self._load_failures(era)
        ops: list[OpPlacement] = []
        graphs: list[SubgraphPlacement] = []
        later: list[Failure] = []
        if not failures:
            preparation = self._preparation(era)
            for prepared in preparation.subgraphs:
                placed, summary, found, at_last = self._subgraph(prepared).place(era)
                ops += placed
                graphs.append(summary)
                failures += found
                later += at_last
                if found:
                    break
            else:
                failures += preparation.failures
                failures += later
        reached = {graph.index for graph in graphs}
        ops += [
            OpPlacement(graph.index, op.index, op.title, On.UNKNOWN, None)
            for graph in model.subgraphs
            if graph.index not in reached and failures
            for op in graph.operators
        ]
        return Placement(
            litert,
            _verdict(ops, failures),
            self._same_as_before(tuple(ops)),
            tuple(graphs),
            self._same_as_before(tuple(failures)),
        )

    def _load_failures(self, era: Era) -> list[Failure]:
        def build(mine: Era) -> tuple[Failure, ...]:
            return tuple(load_failures(self._model, mine))

        found: tuple[Failure, ...] = shared(era, self._loads, build)
        return list(found)

    def _preparation(self, era: Era) -> Preparation:
        def build(mine: Era) -> Preparation:
            made = prepare(self._model, mine)
            # The one of another release, when it came out the same: then the subgraphs and what was found in them are.
            return next((earlier for _, earlier in self._preparations if earlier == made), made)

        return shared(era, self._preparations, build)

    def _subgraph(self, prepared: Prepared) -> _PreparedSubgraph:
        key = id(prepared)
        if key not in self._subgraphs:
            self._subgraphs[key] = _PreparedSubgraph(self._model, prepared)
        return self._subgraphs[key]

    def _same_as_before(self, made: Same) -> Same:
        """The equal tuple of an earlier release, if there is one: identity then tells that nothing changed."""
        for earlier in self._made:
            if earlier == made:
                return earlier
        self._made.append(made)
        return made


_Placed: TypeAlias = "tuple[tuple[OpPlacement, ...], SubgraphPlacement, tuple[Failure, ...], tuple[Failure, ...]]"
"""Operators, summary, what fails there and then, and what fails once all subgraphs have been placed."""


class _PreparedSubgraph:
    """One subgraph as the delegate finds it, and what has been decided about it."""

    def __init__(self, model: Model, prepared: Prepared) -> None:
        self._model = model
        self._prepared = prepared
        self._refusals: list[list[tuple[Era, Refusal | None]]] = [[] for _ in prepared.graph.operators]
        self._partitions: dict[frozenset[int], tuple[tuple[int, ...], ...]] = {}
        self._placed: list[tuple[Era, _Placed]] = []
        self._weights = _half_weights(prepared.graph)
        self._left_out = frozenset(op.index for op in prepared.graph.operators if left_out(op))

    def place(self, era: Era) -> _Placed:
        return shared(era, self._placed, self._place)

    def _place(self, era: Era) -> _Placed:
        graph = self._prepared.graph
        refusals = {op.index: self._refusal(op, era) for op in graph.operators}
        accepted = frozenset(index for index, why in refusals.items() if why is None) - self._left_out
        companions = {index for index, why in refusals.items() if why is not None and why.cause is Cause.HALF_WEIGHTS}
        total = len(graph.operators) - len(self._left_out)
        if len(accepted) + len(companions) == total:
            # FP16GraphPartitionHelper: then the DEQUANTIZE operators go to the GPU with all the others.
            chosen = frozenset(refusals) - self._left_out
            refusals = dict.fromkeys(refusals)
            found: tuple[tuple[int, ...], ...] = (tuple(sorted(chosen)),) if chosen else ()
        else:
            if accepted not in self._partitions:
                self._partitions[accepted] = tuple(tuple(part) for part in partitions(graph, accepted))
            found = self._partitions[accepted]
            chosen = frozenset(largest(found))
        ops = tuple(
            [
                OpPlacement(
                    graph.index, op.index, op.title, On.GPU if op.index in chosen else On.CPU, refusals[op.index]
                )
                for op in graph.operators
            ]
        )
        printed = sentence(len(chosen), total - len(chosen)) if len(chosen) < total else None
        summary = SubgraphPlacement(graph.index, len(chosen), total - len(chosen), printed, found)
        failures = tuple(creation_failures(self._model, graph, chosen, era))
        return ops, summary, failures, tuple(cpu_failures(self._model, graph, chosen, era))

    def _refusal(self, op: Operator, era: Era) -> Refusal | None:
        """The delegate's word on an operator. `era` takes note of what it rests on."""
        known = self._refusals[op.index]
        for asked, why in known:
            if asked.covers(era.index):
                era.note(asked)
                return why
        mine = Era(era.version)
        prepared = self._prepared
        if is_half_weight(prepared.graph, op):
            why = Refusal(Cause.HALF_WEIGHTS, "")
        else:
            substitutes = self._weights.get(op.index, {})
            node = Node(self._model, prepared.graph, op, mine, substitutes, prepared.outside_arena, prepared.known)
            why = refusal(node)
        known.append((mine, why))
        era.note(mine)
        return why


def _half_weights(graph: Subgraph) -> dict[int, dict[int, int]]:
    """For every operator that reads one, the FLOAT16 constants behind its inputs.

    Only what stands before an operator in the plan has been recorded when it is checked."""
    recorded: dict[int, int] = {}
    by_operator: dict[int, dict[int, int]] = {}
    for op in graph.operators:
        if recorded and not recorded.keys().isdisjoint(op.inputs):
            by_operator[op.index] = {t: recorded[t] for t in op.inputs if t in recorded}
        if is_half_weight(graph, op):
            recorded[op.outputs[0]] = op.inputs[0]
    return by_operator


def _verdict(ops: list[OpPlacement], failures: list[Failure]) -> Verdict:
    if failures:
        # What the runtime meets first decides; what stands behind it would be met later.
        return Verdict.UNLOADABLE if failures[0].stage is Stage.LOAD else Verdict.FAILS
    if any(placed.on is On.UNKNOWN for placed in ops):
        return Verdict.UNKNOWN
    on_gpu = sum(placed.on is On.GPU for placed in ops)
    if on_gpu == len(ops):
        return Verdict.FULL
    return Verdict.PARTIAL if on_gpu else Verdict.NONE
