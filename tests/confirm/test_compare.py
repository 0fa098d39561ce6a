"""Figures and limits of a comparison, each limit from both sides."""

from __future__ import annotations

import numpy as np
import pytest

from tflint.linter.confirm.compare import Difference, Rounding, difference, parity, score, tolerance


def compare(array: object, reference: object, rounding: Rounding = "fp32", *, dtype: str = "float32") -> Difference:
    left, right = np.asarray(array, dtype), np.asarray(reference, dtype)
    return difference(left, right, tolerance(right, rounding))


def test_figures() -> None:
    found = compare([1.0, 2.0, 3.0, 8.0], [1.0, 2.0, 3.0, 4.0])
    assert (found.max_abs, found.mean_abs, found.rmse) == (4.0, 1.0, 2.0)
    assert found.scale == 4.0
    assert found.exceeding == 1
    assert found.correlation == pytest.approx(np.corrcoef([1, 2, 3, 8], [1, 2, 3, 4])[0, 1])
    assert not found.identical
    assert not found.within


def test_identical() -> None:
    found = compare([1.0, -2.0], [1.0, -2.0])
    assert found.identical
    assert found.within
    assert found.correlation == pytest.approx(1.0)


def test_negative_zero_is_equal_and_not_identical() -> None:
    found = compare([0.0], [-0.0])
    assert found.within
    assert not found.identical


def test_constant_has_no_correlation() -> None:
    assert compare([1.0, 1.0], [1.0, 2.0]).correlation is None


@pytest.mark.parametrize(
    ("rounding", "off", "within"),
    [
        ("fp32", 0.99e-3, True),
        ("fp32", 1.1e-3, False),
        ("fp16", 1.9e-2, True),
        ("fp16", 2.3e-2, False),
        ("quantized", 4.9e-2, True),
        ("quantized", 5.3e-2, False),
    ],
)
def test_float_limits(rounding: Rounding, off: float, within: bool) -> None:
    reference = np.full(100, 1.0)
    assert compare(reference + off, reference, rounding).within is within


@pytest.mark.parametrize(("off", "within"), [(0.9e-3, True), (2e-3, False)])
def test_one_far_element_is_enough(off: float, within: bool) -> None:
    reference = np.ones(10_000)
    array = reference.copy()
    array[17] += off
    assert compare(array, reference).within is within


@pytest.mark.parametrize(
    ("dtype", "values", "steps", "within"),
    [
        pytest.param("int8", [3, 4], 1, True, id="one step always"),
        pytest.param("int8", [3, 4], 2, False, id="two of a narrow range"),
        pytest.param("int8", [-100, 100], 10, True, id="a twentieth of a wide range"),
        pytest.param("uint8", [0, 200], 11, False, id="more than that"),
    ],
)
def test_quantized_steps(dtype: str, values: list[int], steps: int, within: bool) -> None:
    array = np.array(values, dtype)
    assert compare(array + np.array([steps, steps], dtype), array, dtype=dtype).within is within


@pytest.mark.parametrize(
    ("rounding", "size", "changed", "within"),
    [
        ("fp32", 999, 1, False),
        ("fp32", 1000, 1, True),
        ("fp32", 1000, 2, False),
        ("fp16", 99, 1, False),
        ("fp16", 100, 1, True),
        ("fp16", 100, 2, False),
    ],
)
def test_integers_are_equal_but_for_few(rounding: Rounding, size: int, changed: int, within: bool) -> None:
    reference = np.zeros(size, np.int64)
    array = reference.copy()
    array[:changed] = 5
    assert compare(array, reference, rounding, dtype="int64").within is within


def test_nan_where_the_cpu_has_none() -> None:
    found = compare([float("nan"), 1.0], [0.0, 1.0])
    assert (found.nan, found.reference_nan, found.unmatched) == (1, 0, 1)
    assert not found.within


def test_nan_on_the_cpu_asks_nothing() -> None:
    found = compare([7.0, 1.0], [float("nan"), 1.0])
    assert (found.reference_nan, found.unmatched) == (1, 0)
    assert found.within


def test_infinity_on_the_cpu_alone() -> None:
    assert not compare([65504.0, 1.0], [float("inf"), 1.0]).within


def test_infinity_on_both_sides() -> None:
    found = compare([float("inf"), float("nan"), 1.0], [float("inf"), float("nan"), 1.0])
    assert (found.nan, found.inf, found.unmatched) == (1, 1, 0)
    assert found.within


def test_infinity_of_the_other_sign() -> None:
    assert compare([float("inf")], [float("-inf")]).unmatched == 1


def test_all_zero() -> None:
    found = compare([0.0, 0.0], [1.0, 2.0])
    assert found.all_zero
    assert not found.reference_all_zero
    assert not found.within


def test_empty_output() -> None:
    found = compare([], [])
    assert found.within
    assert not found.all_zero


def test_parity_goes_by_the_mean() -> None:
    rng = np.random.default_rng(0)
    dump = rng.uniform(-1, 1, 100_000).astype(np.float32)
    array = dump + np.float32(1e-4)
    array[5] += 1
    found = parity(array, dump, "fp32")
    assert found.passes
    assert found.far == 1
    assert found.difference.max_abs > 0.9
    assert not parity(dump + np.float32(1e-3), dump, "fp32").passes
    assert parity(dump + np.float32(1e-3), dump, "fp16").passes


def test_argmax() -> None:
    logits = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [5.0, 4.0]])
    other = logits.copy()
    other[0] = [9.0, 1.0]
    assert score("argmax", other, logits) == 0.75


def test_iou_of_classes_and_of_a_mask() -> None:
    logits = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    other = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    # class 0: 2 of 3, class 1: 1 of 2
    assert score("iou", other, logits) == pytest.approx((2 / 3 + 1 / 2) / 2)
    mask = np.array([[0.9], [0.9], [0.1], [0.1]])
    assert score("iou", np.array([[0.9], [0.1], [0.1], [0.1]]), mask) == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_cosine() -> None:
    assert score("cosine", np.array([1.0, 0.0]), np.array([1.0, 1.0])) == pytest.approx(np.sqrt(0.5))
    assert score("cosine", np.array([0.0]), np.array([1.0])) is None
