"""How the delegate lays a tensor out: batch, height, width, channels, whatever its rank.

Source: CreateTensorShape and its neighbours in ml_drift_delegate/tflite, v2.2.0; measured on 2.1.2 to 2.3.0. The
first axis of a tensor of rank 1, 2 or 3 is the batch, which is what many faults come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Layout(NamedTuple):
    """Extents of the four axes."""

    batch: int
    height: int
    width: int
    channels: int


AXES = {0: "", 1: "b", 2: "bc", 3: "bwc", 4: "bhwc"}
"""Which of the four axes a tensor's own axes become, by rank."""


def layout(shape: Sequence[int]) -> Layout | None:
    """The extents that the delegate gives a shape; None for rank 5 and above, which it does not take."""
    letters = AXES.get(len(shape))
    if letters is None:
        return None
    extents = dict(zip(letters, shape, strict=True))
    return Layout(extents.get("b", 1), extents.get("h", 1), extents.get("w", 1), extents.get("c", 1))


def axis_letter(rank: int, axis: int) -> str | None:
    """Which of b, h, w, c an axis of a tensor of that rank is; None when it has no such axis."""
    letters = AXES.get(rank, "")
    position = axis + rank if axis < 0 else axis
    return letters[position] if 0 <= position < len(letters) else None
