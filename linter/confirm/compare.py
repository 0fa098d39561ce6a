"""How far two arrays for the same output are apart, and whether that is too far.

The tolerances are this project's: in fp32 only the order of summation differs, in fp16 a value carries 11 bits and
rounding adds up over layers. A fault of logic is far beyond both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, Any]

Metric = Literal["argmax", "iou", "cosine"]

Rounding = Literal["fp32", "fp16", "quantized"]
"""What rounds the values on the way: the GPU's precision, or the model's own quantization."""

_LIMITS: dict[Rounding, tuple[float, float, float]] = {
    "fp32": (1e-3, 1e-3, 1e-6),
    "fp16": (5e-2, 2e-2, 1e-3),
    "quantized": (1e-1, 5e-2, 1e-3),
}
"""For one element, for the root mean square, and what is added to both."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits for one output, absolute: worst element, root mean square, and how many elements may exceed `max_abs`.

    `exceeding` is 0 for floating-point outputs.
    """

    max_abs: float
    rmse: float
    exceeding: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One array against its reference. Differences are taken where both are finite.

    `unmatched` counts elements where one is NaN or infinite and the other is not the same; where the reference is NaN
    (an input outside an operator's domain) nothing is asked of the array. `correlation` is
    Pearson's, None where an array is constant. `identical` is equality bit by bit.
    """

    elements: int
    max_abs: float
    mean_abs: float
    rmse: float
    correlation: float | None
    scale: float
    """Largest finite magnitude of the reference."""
    nan: int
    inf: int
    reference_nan: int
    reference_inf: int
    unmatched: int
    exceeding: int
    """Elements beyond the tolerance's `max_abs`."""
    all_zero: bool
    reference_all_zero: bool
    identical: bool
    tolerance: Tolerance

    @property
    def within(self) -> bool:
        """Whether the array passes for the reference."""
        if self.unmatched or self.exceeding > self.tolerance.exceeding:
            return False
        return self.rmse <= self.tolerance.rmse or self.tolerance.exceeding > 0


def tolerance(reference: Array, rounding: Rounding) -> Tolerance:
    """The limits for an output with this reference.

    Floating point: relative to the output's largest magnitude for one element, and to its root mean square for all:
    1e-3 and 1e-3 in fp32, 5e-2 and 2e-2 in fp16, 1e-1 and 5e-2 in a quantized model. Integers of 8 and 16 bits are
    quantized values: as in a quantized model, relative to the range they span, but at least one step. Other integers
    and booleans are equal, but for one element in a thousand (fp32) or a hundred, where a tie or a threshold was
    decided the other way.
    """
    import numpy

    one, all_, floor = _LIMITS[rounding]
    if reference.dtype.kind == "f":
        finite = numpy.abs(reference[numpy.isfinite(reference)].astype(numpy.float64))
        largest = float(finite.max(initial=0.0))
        mean_square = math.sqrt(float(numpy.mean(finite**2))) if finite.size else 0.0
        return Tolerance(one * largest + floor, all_ * mean_square + floor, 0)
    if reference.dtype.kind in "iu" and reference.dtype.itemsize <= 2:
        one, all_, _ = _LIMITS["quantized"]
        span = float(reference.max(initial=0)) - float(reference.min(initial=0))
        return Tolerance(max(1.0, one * span), max(1.0, all_ * span), 0)
    share = 1000 if rounding == "fp32" else 100
    return Tolerance(0.0, 0.0, reference.size // share)


def difference(array: Array, reference: Array, limits: Tolerance) -> Difference:
    """Compare two arrays of one shape."""
    import numpy

    left = array.astype(numpy.float64)
    right = reference.astype(numpy.float64)
    finite = numpy.isfinite(left) & numpy.isfinite(right)
    same = (left == right) | (numpy.isnan(left) & numpy.isnan(right))
    distance = numpy.abs(left[finite] - right[finite])
    count = distance.size
    return Difference(
        elements=array.size,
        max_abs=float(distance.max(initial=0.0)),
        mean_abs=float(distance.mean()) if count else 0.0,
        rmse=math.sqrt(float(numpy.mean(distance**2))) if count else 0.0,
        correlation=_correlation(left[finite], right[finite]),
        scale=float(numpy.abs(right[numpy.isfinite(right)]).max(initial=0.0)),
        nan=int(numpy.isnan(left).sum()),
        inf=int(numpy.isinf(left).sum()),
        reference_nan=int(numpy.isnan(right).sum()),
        reference_inf=int(numpy.isinf(right).sum()),
        unmatched=int((~finite & ~same & ~numpy.isnan(right)).sum()),
        exceeding=int((distance > limits.max_abs).sum()),
        all_zero=array.size > 0 and not left.any(),
        reference_all_zero=array.size > 0 and not right.any(),
        identical=array.dtype == reference.dtype and array.tobytes() == reference.tobytes(),
        tolerance=limits,
    )


def _correlation(left: Array, right: Array) -> float | None:
    import numpy

    if left.size < 2:
        return None
    left, right = left - left.mean(), right - right.mean()
    norm = math.sqrt(float(left @ left) * float(right @ right))
    if norm == 0 or not math.isfinite(norm):
        return None
    return float(numpy.clip(float(left @ right) / norm, -1.0, 1.0))


def score(metric: Metric, array: Array, reference: Array) -> float | None:
    """A task's own figure, between 0 and 1 (cosine: -1 and 1); None where it has no meaning.

    `argmax`: share of positions whose largest entry along the last axis is the same. `iou`: mean intersection over
    union of the classes, which are the largest entries along the last axis, or the elements above 0.5 where that axis
    has one entry. `cosine`: of the flattened arrays.
    """
    import numpy

    left, right = array.astype(numpy.float64), reference.astype(numpy.float64)
    if metric == "cosine":
        norm = math.sqrt(float((left * left).sum()) * float((right * right).sum()))
        return float((left * right).sum()) / norm if norm and math.isfinite(norm) else None
    if not left.size or not left.ndim:
        return None
    if metric == "argmax":
        return float((left.argmax(-1) == right.argmax(-1)).mean())
    if left.shape[-1] > 1:
        left_classes, right_classes = left.argmax(-1), right.argmax(-1)
    else:
        left_classes, right_classes = left > 0.5, right > 0.5
    shares = []
    for label in numpy.union1d(left_classes, right_classes):
        both = (left_classes == label) & (right_classes == label)
        either = (left_classes == label) | (right_classes == label)
        shares.append(float(both.sum()) / float(either.sum()))
    return sum(shares) / len(shares)


@dataclass(frozen=True, slots=True)
class Parity:
    """An output against a dump from the source model.

    `passes` is by the mean: about 1e-4 of the output's size is what a faithful conversion leaves in fp32. A few far
    elements do not change it, so `far` counts those beyond a hundred times the limit, to be pointed out.
    """

    difference: Difference
    limit: float
    far: int

    @property
    def passes(self) -> bool:
        return not self.difference.unmatched and self.difference.mean_abs <= self.limit


def parity(array: Array, dump: Array, rounding: Rounding) -> Parity:
    """Compare with the source model's output: mean absolute difference at most 5e-4 (fp16: 5e-3, quantized: 5e-2) of
    the output's size, but never less than that of an output of size 1."""
    import numpy

    finite = numpy.abs(dump[numpy.isfinite(dump)].astype(numpy.float64))
    limit = {"fp32": 5e-4, "fp16": 5e-3, "quantized": 5e-2}[rounding] * max(1.0, float(finite.max(initial=0.0)))
    limits = Tolerance(100 * limit, limit, 0)
    found = difference(array, dump, limits)
    return Parity(found, limit, found.exceeding)
