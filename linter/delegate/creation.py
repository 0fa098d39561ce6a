"""Accepted is not created: what still fails while kernels are built."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Model, Subgraph
from ..targets import Era
from .failure import Failure


def creation_failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    """Failures that the operators on the GPU (`chosen`, by index) cause."""
    yield from ()
