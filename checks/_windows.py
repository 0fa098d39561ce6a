"""What the windows of a pool or convolution read of a padding before it."""

from __future__ import annotations

from typing import NamedTuple


class Reads(NamedTuple):
    """Of the windows along one axis: whether one reads padding, and whether one reads nothing else."""

    some: bool
    only: bool


def reads(extent: int, padding: tuple[int, int], kernel: int, stride: int, *, same: bool, dilation: int = 1) -> Reads:
    """`extent` is the axis before padding, `padding` what lies before and after. With `same` the windows start where
    SAME padding of the padded axis puts them."""
    before, after = padding
    whole = extent + before + after
    span = (kernel - 1) * dilation + 1
    stride = max(1, stride)
    if same:
        count = -(-whole // stride)
        start = -(max((count - 1) * stride + span - whole, 0) // 2)
    else:
        count = max(0, (whole - span) // stride + 1)
        start = 0
    some = only = False
    for window in range(count):
        first = start + window * stride
        if first >= before and first + span <= before + extent:
            continue
        taps = range(first, first + span, dilation)
        inside = [tap for tap in taps if 0 <= tap < whole]
        padded = [tap for tap in inside if tap < before or tap >= before + extent]
        some = some or bool(padded)
        only = only or (bool(padded) and len(padded) == len(inside))
        if some and only:
            break
    return Reads(some, only)
