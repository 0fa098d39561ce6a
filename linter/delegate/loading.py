"""What happens before the delegate is asked: the load, the CPU's Prepare, and which subgraphs are shown to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..model import Model, Operator, Subgraph
from ..targets import Era
from .failure import Failure


def load_failures(model: Model, era: Era) -> Iterator[Failure]:
    """Failures before the delegate reports anything."""
    yield from ()


def precomputed_tensors(model: Model, graph: Subgraph) -> frozenset[int]:
    """Tensors whose value a CPU kernel knows after Prepare (kTfLitePersistentRo)."""
    return frozenset()


def skipped_subgraphs(model: Model, accepted: Callable[[Subgraph, Operator], bool], era: Era) -> frozenset[int]:
    """Subgraphs that the delegate is not applied to, or of which the runtime says nothing."""
    return frozenset()
