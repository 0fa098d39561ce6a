"""What the CPU kernels' Prepare functions make of a model before the delegate looks at it.

The runtime prepares every operator of a subgraph on the CPU first, whatever the accelerators: shapes are inferred anew,
values that are known by then are computed, and a kernel may refuse its operator. Preparing ends at the first operator
with an output of unknown size, and then no delegate is applied (Subgraph::ModifyGraphWithDelegateImpl,
tflite/core/subgraph.cc, v2.2.0). So for every subgraph, in the order in which delegates come to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...model import Model, Operator, Subgraph
from ...targets import Era
from ..failure import Failure, Fault, Stage, measured
from . import contraction, control, custom, elementwise, movement, reduction
from .state import Call, Memory, PrepareError, Preparer, Slot, Slots, Step

PREPARERS: dict[str, Preparer] = {
    **contraction.PREPARERS,
    **control.PREPARERS,
    **elementwise.PREPARERS,
    **movement.PREPARERS,
    **reduction.PREPARERS,
}
"""Builtin operator to what its CPU kernel does in Prepare. The outputs of others stay as the file says."""

VALIDATION = "VALIDATION:"
"""Subgraphs whose names start so are left alone by delegates (IsValidationSubgraph, tflite/core/subgraph.h)."""


class Prepared(NamedTuple):
    """One subgraph as the delegate finds it."""

    graph: Subgraph
    """The subgraph of the file; with other tensors where Prepare changed a shape or a type."""
    outside_arena: frozenset[int]
    """Tensors that are no ordinary activations (not kTfLiteArenaRw), besides constants and variables."""
    known: Mapping[int, tuple[int, ...] | None]
    """Of these, the ones whose value is there already (kTfLitePersistentRo): the integers where we can tell them."""


class Preparation(NamedTuple):
    """All subgraphs that delegates come to, in order. It ends at the first one that cannot be prepared."""

    subgraphs: tuple[Prepared, ...]
    failures: tuple[Failure, ...]
    """Why it ended: first what stops it, then unresolved operators that would be met later."""


def prepare(model: Model, era: Era) -> Preparation:
    run = _Run(model, era)
    done: list[Prepared] = []
    failures: list[Failure] = []
    for graph in model.subgraphs:
        if graph.name.startswith(VALIDATION):
            continue
        stop = run.prepare(graph)
        if stop is not None:
            failures = [stop, *run.unresolved_besides(stop)]
            break
        done.append(run.prepared(graph))
    return Preparation(tuple(done), tuple(failures))


class _StoppedError(Exception):
    """A called subgraph cannot be prepared."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class _CallingStep(Step):
    """A step that can prepare other subgraphs."""

    __slots__ = ("_run",)

    def __init__(self, run: _Run, graph: Subgraph, op: Operator, slots: Slots) -> None:
        super().__init__(run.model, graph, op, run.era, slots)
        self._run = run

    def call(self, index: int, given: Sequence[Slot | None]) -> Call:
        return self._run.call(index, given)


class _Run:
    """The state of all subgraphs while they are prepared."""

    def __init__(self, model: Model, era: Era) -> None:
        self.model = model
        self.era = era
        self._slots = [Slots(model, graph) for graph in model.subgraphs]
        self._calls: dict[int, tuple[object, bool]] = {}
        self._active: set[int] = set()

    def prepare(self, graph: Subgraph) -> Failure | None:
        """Why a subgraph cannot be prepared with its sizes known; None when it can."""
        try:
            dynamic = self._run(graph)
        except _StoppedError as stopped:
            return stopped.failure
        if dynamic is None:
            return None
        operator, tensor = dynamic
        # RESHAPE says only that its shape is not known (kTfLiteOutputShapeNotKnown), not of which tensor.
        said = -1 if operator is not None and graph.operators[operator].name == "RESHAPE" else tensor
        return Failure(
            Fault.DYNAMIC_SHAPE,
            Stage.BEFORE_CHECK,
            "Attempting to use a delegate that only supports static-sized tensors with a graph that has dynamic-sized "
            f"tensors (tensor#{said} is a dynamic-sized tensor).",
            graph.index,
            operator,
            (tensor,),
            measured("creation fails, with the CPU allowed too"),
        )

    def prepared(self, graph: Subgraph) -> Prepared:
        changed = {}
        outside: set[int] = set()
        known: dict[int, tuple[int, ...] | None] = {}
        for index, slot in self._slots[graph.index].made().items():
            tensor = slot.tensor
            if slot.shape != tensor.shape or slot.type != tensor.type:
                changed[index] = tensor._replace(shape=slot.shape, type=slot.named_type())
            if slot.memory is not Memory.ARENA and slot.memory is not Memory.CONSTANT:
                outside.add(index)
            if slot.memory is Memory.COMPUTED:
                known[index] = slot.integers()
        if changed:
            graph = graph._replace(tensors=tuple(changed.get(t.index, t) for t in graph.tensors))
        return Prepared(graph, frozenset(outside), known)

    def call(self, index: int, given: Sequence[Slot | None]) -> Call:
        """Subgraph::AllocateTensors of a subgraph that an operator calls, with its operands' shapes and types."""
        graph = self.model.subgraphs[index]
        slots = self._slots[index]
        if index in self._active:
            raise PrepareError(f"subgraph {index} calls itself")
        inputs = [slots[tensor] for tensor in graph.inputs if tensor >= 0]
        for slot, operand in zip(inputs, given, strict=False):
            if operand is None:
                continue
            slot.shape, slot.type = operand.shape, operand.type
            if slot.type not in ("RESOURCE", "VARIANT"):
                slot.memory = Memory.CALLER
        signature = tuple((slot.shape, slot.type) for slot in inputs)
        known = self._calls.get(index)
        if known is None or known[0] != signature:
            known = self._calls[index] = (signature, self._run(graph) is not None)
        return Call(inputs, [slots[tensor] for tensor in graph.outputs if tensor >= 0], known[1])

    def _run(self, graph: Subgraph) -> tuple[int | None, int] | None:
        """Subgraph::PrepareOpsStartingAt. The operator and the tensor where sizes become unknown, None where never."""
        slots = self._slots[graph.index]
        dynamic = next((t for t in graph.outputs if t >= 0 and slots[t].memory is Memory.DYNAMIC), None)
        self._active.add(graph.index)
        for op in graph.operators:
            self._step(graph, op, slots)
            for tensor in op.outputs:
                if tensor >= 0 and slots[tensor].memory is Memory.DYNAMIC:
                    self._active.discard(graph.index)
                    return op.index, tensor
        self._active.discard(graph.index)
        return None if dynamic is None else (None, dynamic)

    def _step(self, graph: Subgraph, op: Operator, slots: Slots) -> None:
        step = _CallingStep(self, graph, op, slots)
        if op.name == "CUSTOM":
            if not custom.resolved(step):
                raise _StoppedError(unresolved(graph, op))
            preparer = custom.PREPARERS.get(op.custom_code or "")
        else:
            preparer = PREPARERS.get(op.name)
        if preparer is None:
            return
        try:
            preparer(step)
        except PrepareError as refusal:
            raise _StoppedError(
                Failure(
                    Fault.PREPARE,
                    refusal.stage,
                    f"Node number {op.index} ({op.title.removeprefix('CUSTOM ')}) failed to prepare: {refusal}",
                    graph.index,
                    op.index,
                    evidence=measured("the CPU kernel refuses the operator"),
                )
            ) from None

    def unresolved_besides(self, stop: Failure) -> Iterator[Failure]:
        """Custom operators that no kernel stands for, wherever they are: the runtime would stop at each of them."""
        for graph in self.model.subgraphs:
            for op in graph.operators:
                if op.name != "CUSTOM" or (graph.index, op.index) == (stop.subgraph, stop.operator):
                    continue
                if not custom.resolved(Step(self.model, graph, op, self.era, self._slots[graph.index])):
                    yield unresolved(graph, op)


def unresolved(graph: Subgraph, op: Operator) -> Failure:
    """Subgraph::OpPrepare and IsFlexOp, tflite/core/subgraph.cc, v2.2.0."""
    name = op.custom_code or ""
    if name == "DISPATCH_OP":
        fault, message = Fault.NPU_MODEL, "No usable Dispatch runtime found"
    elif name.startswith("Flex"):
        fault = Fault.FLEX_OP
        message = (
            "Select TensorFlow op(s), included in the given model, is(are) not supported by this interpreter. "
            f"Node number {op.index} ({name}) failed to prepare."
        )
    else:
        fault, message = Fault.CUSTOM_OP, f"Encountered unresolved custom op: {name}."
    evidence = measured("the CPU alone fails at its first run")
    return Failure(fault, Stage.LOAD, message, graph.index, op.index, evidence=evidence)
