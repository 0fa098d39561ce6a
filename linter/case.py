"""What a check looks at: one model on one target."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from .delegate.failure import Failure, Fault
from .delegate.placement import On, OpPlacement, Placement
from .delegate.refusal import Refusal
from .findings import Confidence, Evidence, Finding, Place, Rule, Severity
from .model import Model, Operator, Subgraph
from .settings import Settings
from .targets import Era, Target

T = TypeVar("T")

Ops = tuple[OpPlacement, ...]


class Case:
    """One model on one target, and nothing else: no bytes, no flags, no output.

    It notes what a check asks about the target, so that what the check found is used again for every target with
    the same answers."""

    __slots__ = (
        "_asked_backend",
        "_asked_placement",
        "_era",
        "_placement",
        "_places",
        "_shared",
        "_target",
        "model",
        "settings",
    )

    def __init__(
        self,
        model: Model,
        target: Target,
        placement: Placement,
        settings: Settings,
        shared: dict[Hashable, Any] | None = None,
    ) -> None:
        """`shared` holds what has been derived from the model, for all targets."""
        self.model = model
        self.settings = settings
        self._target = target
        self._placement = placement
        self._shared: dict[Hashable, Any] = {} if shared is None else shared
        self._era = Era(target.litert)
        self._asked_backend = False
        self._asked_placement = False
        self._places: Mapping[tuple[int, int], On] | None = None

    # The target

    def since(self, version: str) -> bool:
        """Whether the target's release is `version` or later."""
        return self._era.since(version)

    def before(self, version: str) -> bool:
        return not self._era.since(version)

    def within(self, first: str, last: str) -> bool:
        """Whether the target's release lies in `first` … `last`, both included."""
        return self._era.within(first, last)

    @property
    def litert(self) -> str:
        """The release itself. Prefer `since`: what was found by it can be shared between releases."""
        return self._era.pinned()

    @property
    def backend(self) -> str:
        self._asked_backend = True
        return self._target.backend

    @property
    def fp32(self) -> bool:
        """Whether the application enforces fp32 on the GPU. The same for all targets of a run."""
        return self._target.precision == "fp32"

    @property
    def cpu_allowed(self) -> bool:
        """Whether what the GPU refuses may run on the CPU. The same for all targets of a run."""
        return self._target.accelerators != "gpu"

    # The model

    def operators(self, *names: str) -> Sequence[tuple[Subgraph, Operator]]:
        """The operators of every subgraph, in execution order; where `names` are given, those of these names."""
        return self.derive(_all).named(names)

    def derive(self, build: Callable[[Model], T]) -> T:
        """What `build` makes of the model; made once, whatever the number of checks and targets."""
        if build not in self._shared:
            self._shared[build] = build(self.model)
        return cast(T, self._shared[build])

    # The placement

    @property
    def placement(self) -> Placement:
        self._asked_placement = True
        return self._placement

    def on_gpu(self, graph: Subgraph, op: Operator) -> bool:
        """Whether an operator runs on the GPU, or would if the model loaded. Refused and left-out operators do not."""
        if self._places is None:
            self._places = self.derive_placed(_places)
        return self._places.get((graph.index, op.index)) is not On.CPU

    def gpu_operators(self, *names: str) -> Sequence[tuple[Subgraph, Operator]]:
        """The operators that run on the GPU, or would if the model loaded; where `names` are given, those of these
        names."""
        return self.derive_placed(_on_gpu).named(names)

    def derive_placed(self, build: Callable[[Model, Ops], T]) -> T:
        """What `build` makes of the model and of where its operators run; made once a placement."""
        ops = self.placement.ops
        key = (build, id(ops))
        if key not in self._shared:
            # `ops` is kept beside it, so that its identity stays its own.
            self._shared[key] = (ops, build(self.model, ops))
        return cast(T, self._shared[key][1])

    def refused(self) -> Iterator[tuple[Subgraph, Operator, OpPlacement, Refusal]]:
        """Every operator that the delegate refuses, with its words."""
        for placed, why in self.placement.refused():
            graph = self.model.subgraphs[placed.subgraph]
            yield graph, graph.operators[placed.index], placed, why

    def failures(self, *faults: Fault) -> Iterator[Failure]:
        """What makes the model fail, by kind of fault."""
        for failure in self.placement.failures:
            if failure.fault in faults:
                yield failure

    # Findings

    def refusal_severity(self) -> Severity:
        """A refused operator fails a GPU-only model; where the CPU is allowed it only runs there."""
        return Severity.WARNING if self.cpu_allowed else Severity.ERROR

    def hazard(
        self,
        rule: Rule,
        place: Place | None,
        message: str,
        *,
        advice: str,
        evidence: tuple[Evidence, ...],
        severity: Severity = Severity.ERROR,
    ) -> Finding:
        """A fault measured on WebGPU: there of the given severity. On the other backends, where nothing was run, at
        most a warning: the cause lies in code that they share (fusion and layout in the ML Drift model builder,
        v2.2.0)."""
        if self.backend == "webgpu":
            return rule.finding(place, message, advice=advice, evidence=evidence, severity=severity)
        lower = Severity.INFO if severity is Severity.INFO else Severity.WARNING
        return rule.finding(
            place,
            message,
            advice=advice,
            evidence=evidence,
            severity=lower,
            confidence=Confidence.HEURISTIC,
        )

    # For the engine: which targets get the same answers

    def answers_for(self, other: Target, placement: Placement) -> bool:
        """Whether everything asked so far is answered the same for another target of the same run."""
        return (
            self._era.covers(Era(other.litert).index)
            and (not self._asked_backend or other.backend == self._target.backend)
            and (
                not self._asked_placement
                or (
                    placement.ops is self._placement.ops
                    and placement.failures is self._placement.failures
                    and placement.verdict is self._placement.verdict
                )
            )
        )


class _Operators:
    """Operators with their subgraphs, in execution order. Most rules ask for those of one name."""

    __slots__ = ("_all", "_by_name")

    def __init__(self, operators: Iterable[tuple[Subgraph, Operator]]) -> None:
        self._all = tuple(operators)
        self._by_name: dict[str, list[tuple[Subgraph, Operator]]] = {}
        for graph, op in self._all:
            self._by_name.setdefault(op.name, []).append((graph, op))

    def named(self, names: tuple[str, ...]) -> Sequence[tuple[Subgraph, Operator]]:
        if not names:
            return self._all
        there = [self._by_name[name] for name in names if name in self._by_name]
        if len(there) < 2:
            return there[0] if there else ()
        wanted = frozenset(names)
        return [entry for entry in self._all if entry[1].name in wanted]


def _all(model: Model) -> _Operators:
    return _Operators((graph, op) for graph in model.subgraphs for op in graph.operators)


def _on_gpu(model: Model, ops: Ops) -> _Operators:
    places = _places(model, ops)
    return _Operators(
        (graph, op)
        for graph in model.subgraphs
        for op in graph.operators
        if places.get((graph.index, op.index)) is not On.CPU
    )


def _places(_: Model, ops: Ops) -> dict[tuple[int, int], On]:
    return {(placed.subgraph, placed.index): placed.on for placed in ops}
