"""Where operators run, one letter an operator: what strips and tables are drawn from."""

from __future__ import annotations

from collections.abc import Iterable

from ..linter.delegate.placement import On, OpPlacement, Placement
from ..linter.delegate.refusal import Cause

GPU, LEFT_OUT, REFUSED, UNKNOWN = "g", "l", "r", "u"

GRAVITY = GPU + UNKNOWN + LEFT_OUT + REFUSED
"""What one segment shows that stands for several operators: the last of these that is among them."""


def letter(placed: OpPlacement) -> str:
    if placed.on is On.GPU:
        return GPU
    if placed.on is On.UNKNOWN:
        return UNKNOWN
    # FLOAT16 weights stay behind only because something else is refused: no fault of theirs.
    left_out = placed.refusal is None or placed.refusal.cause is Cause.HALF_WEIGHTS
    return LEFT_OUT if left_out else REFUSED


def letters(placement: Placement, subgraph: int) -> str:
    """The operators of a subgraph in execution order."""
    return "".join(letter(placed) for placed in placement.ops if placed.subgraph == subgraph)


def condensed(codes: str, most: int) -> str:
    """At most so many letters: each stands for equally many operators, and shows the gravest of them."""
    step = max(1, -(-len(codes) // most))
    return "".join(max(codes[at : at + step], key=GRAVITY.index) for at in range(0, len(codes), step))


def subgraphs(placement: Placement) -> Iterable[int]:
    return dict.fromkeys(placed.subgraph for placed in placement.ops)
