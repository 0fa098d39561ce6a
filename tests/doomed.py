"""Models that the runtime does not survive."""

from __future__ import annotations

from tflint.fixtures.builder import Graph


def aborts() -> bytes:
    """SPLIT with one output: accepted, then `Check failed: CanReadValue` (2.1.6, 2.3.0)."""
    g = Graph()
    g.output(*g.op("SPLIT", 1, g.input([1, 4]), num_splits=1, out=[[1, 4]]))
    return g.build()


def hangs() -> bytes:
    """A loop without end: 0 is always below 1."""
    g = Graph()
    condition = g.subgraph("condition")
    condition.output(condition.op("LESS", condition.op("MUL", condition.input([1]), [0.0]), [1.0]))
    body = g.subgraph("body")
    body.output(body.op("NEG", body.input([1])))
    g.output(*g.op("WHILE", g.input([1]), cond_subgraph_index=condition, body_subgraph_index=body))
    return g.build()
