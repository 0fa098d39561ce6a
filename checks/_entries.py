"""The subgraphs that an application calls."""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.model import Model, Subgraph


def entries(model: Model) -> Iterator[Subgraph]:
    """Those of signatures, or the first one where there are none; not the bodies of loops, branches and composites."""
    called = {signature.subgraph for signature in model.signatures} or {0}
    for graph in model.subgraphs:
        if graph.index in called:
            yield graph
