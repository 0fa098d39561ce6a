"""Where a value ends up as a mask."""

from __future__ import annotations

from ..linter.model import Subgraph
from ..linter.patterns import MOVES, REACH
from ..linter.ranges import Ranges


def leads_to_softmax(ranges: Ranges, graph: Subgraph, index: int) -> bool:
    """Whether a tensor is added to what SOFTMAX, or one written out, takes; it may be shaped and added on the way."""
    summed = False
    waiting = [(index, summed)]
    for _ in range(2 * REACH):
        if not waiting:
            return False
        index, summed = waiting.pop()
        for op in graph.readers(index):
            if op.name in ("SOFTMAX", "LOG_SOFTMAX") or (graph.index, op.index) in ranges.patterns.in_exp:
                if summed:
                    return True
            elif op.outputs and (op.name in MOVES or op.name in ("ADD", "SUB", "MAXIMUM", "REDUCE_MAX")):
                waiting.append((op.outputs[0], summed or op.name in ("ADD", "SUB")))
    return False
