"""What a number of half precision holds: the GPU stores every float tensor so by default.

Measured on the WebGPU delegate with real fp16 (2.1.3, 2.1.5, 2.1.6, 2.2.0, 2.3.0): inputs, constants and intermediates
are rounded to the nearest, beyond the largest they are infinite, below the smallest they are 0."""

from __future__ import annotations

import math
import struct

LARGEST = 65504.0
OVERFLOW = 65520.0
"""From this magnitude on a value rounds to infinity."""
SMALLEST = 2.0**-24
"""5.96e-8: below 6.1e-5 values lie on a grid of this."""
VANISHING = 2.0**-25
"""2.98e-8: values up to this magnitude round to 0."""
INTEGERS = 2048
"""Integers up to this magnitude are exact, and beyond it not all of them."""


def rounded(value: float) -> float:
    """The nearest half."""
    if math.isnan(value):
        return value
    if abs(value) >= OVERFLOW:
        return math.copysign(math.inf, value)
    return float(struct.unpack("<e", struct.pack("<e", value))[0])


def spacing(value: float) -> float:
    """The distance between neighbouring halves at a magnitude."""
    value = abs(value)
    if not value < OVERFLOW:
        return math.inf
    if value == 0:
        return SMALLEST
    return float(2.0 ** max(math.frexp(value)[1] - 11, -24))


def loss(value: float) -> float:
    """The relative error of a value that is not 0 when it is rounded: 0.013 is 1.3 %, infinite when it overflows."""
    return abs(rounded(value) - value) / abs(value)


def running(term: float, count: int) -> float:
    """What a running sum of equal terms comes to when it is rounded at every one."""
    total = 0.0
    for _ in range(count):
        following = rounded(total + term)
        if following == total or math.isinf(following):
            return following
        total = following
    return total
