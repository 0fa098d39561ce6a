"""Reductions and rankings: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, answers

from tflint.fixtures.probes.movement import SHAPES, integers
from tflint.fixtures.probes.reduction import REDUCTIONS, natural, simple
from tflint.fixtures.probes.single import BASE, constant, runtime, single

ALL = "2.1.2-2.3.0"


def plain(operator: str, type: str, shape: tuple[int, ...] = BASE, version: int = 1) -> Callable[[], bytes]:
    operands, keywords = simple(operator, shape, type)
    return single(operator, *operands, version=version, **keywords)


def test_softmax_version_4_since_2_1_6() -> None:
    assert answers(plain("SOFTMAX", "FLOAT32", version=2)) == ACCEPTED
    assert answers(plain("SOFTMAX", "FLOAT32", version=3)) == (
        "2.1.2-2.1.5 Max version supported: 2. Requested version 3.\n2.1.6-2.3.0 accepted"
    )


def test_top_k_version_1_only() -> None:
    assert answers(plain("TOPK_V2", "FLOAT32", version=1)) == ACCEPTED
    assert answers(plain("TOPK_V2", "FLOAT32", version=2)) == f"{ALL} Max version supported: 1. Requested version 2."


@pytest.mark.parametrize("operator", REDUCTIONS)
def test_every_axis_of_a_reduction_is_accepted(operator: str) -> None:
    data = runtime(BASE, natural(operator))
    for axes in ([0], [3], [-1], [1, 2], [0, 1, 2, 3]):
        for keep in (True, False):
            assert answers(single(operator, data, integers(axes), keep_dims=keep)) == ACCEPTED


@pytest.mark.parametrize("operator", REDUCTIONS)
@pytest.mark.parametrize(("axis", "said"), [(3, "accepted"), (-4, "accepted"), (4, "out"), (-5, "out")])
def test_axes_in_range(operator: str, axis: int, said: str) -> None:
    words = {"accepted": "accepted", "out": "Index for axis out of range"}[said]
    data = runtime(BASE, natural(operator))
    assert answers(single(operator, data, integers([axis]), keep_dims=True, out=BASE)) == f"{ALL} {words}"


@pytest.mark.parametrize("operator", ["MEAN", "SUM", "REDUCE_MAX"])
def test_axes_are_int32(operator: str) -> None:
    wide = single(operator, runtime(), integers([1], "INT64"), keep_dims=True, out=(1, 1, 4, 8))
    assert answers(wide) == f"{ALL} {operator} supports int32 tensor for axes. But node has INT64"


def test_integers_are_summed_since_2_1_3() -> None:
    assert answers(plain("SUM", "INT32")) == (
        "2.1.2 Tensor type(INT32) is not supported. input_0\n2.1.3-2.3.0 accepted"
    )
    assert answers(plain("REDUCE_MAX", "INT32")) == ACCEPTED
    assert answers(plain("MEAN", "INT32")) == f"{ALL} Tensor type(INT32) is not supported. input_0"


def test_logic_reductions_are_of_bool_only() -> None:
    assert answers(plain("REDUCE_ANY", "BOOL")) == ACCEPTED
    assert answers(plain("REDUCE_MAX", "BOOL")) != ACCEPTED


def test_arg_max_reads_int32_since_2_3_0_and_gives_int32() -> None:
    assert answers(plain("ARG_MAX", "FLOAT32")) == ACCEPTED
    assert answers(plain("ARG_MAX", "INT32")) == (
        "2.1.2-2.2.0 Tensor type(INT32) is not supported. input_0\n2.3.0 accepted"
    )
    assert answers(single("ARG_MAX", runtime(), integers(3), type="INT64")) == (
        f"{ALL} Tensor type(INT64) is not supported. arg_max_2"
    )
    assert answers(single("ARG_MAX", runtime(), integers(3, "INT64"), out=(1, 4, 4))) == f"{ALL} src has wrong size."


def test_cumsum_of_floats() -> None:
    assert answers(plain("CUMSUM", "FLOAT32")) == ACCEPTED
    assert answers(plain("CUMSUM", "INT32")) == (
        f"{ALL} Input/output must be float type and indices must be constant int32 type"
    )


def test_one_hot_of_vectors_and_of_more_since_2_2_0() -> None:
    def one_hot(shape: tuple[int, ...]) -> str:
        return answers(single("ONE_HOT", runtime(shape, "INT32"), integers(5), constant(()), constant(())))

    assert one_hot((4,)) == ACCEPTED
    assert one_hot((1, 4)) == ACCEPTED
    assert one_hot((2, 4)) == (
        "2.1.2-2.1.5 Unspported non-singleton dim at 0\n2.1.6 Unsupported non-singleton dim at 0\n2.2.0-2.3.0 accepted"
    )
    assert one_hot((1, 1, 1, 1)) == (
        '2.1.2-2.1.5 Tensor "one_hot_4" has bad input dims size: 5.\n'
        "2.1.6-2.3.0 Tensor dimensions must be less than 5. one_hot_4"
    )
    assert "2.2.0-2.3.0 OneHot indices channel dimension must be 1." in one_hot((1, 1, 1, 4))


@pytest.mark.parametrize(("beta", "said"), [(1.0, "accepted"), (0.5, "Softmax.beta != 1 is not supported.")])
def test_softmax_beta(beta: float, said: str) -> None:
    assert answers(single("SOFTMAX", runtime(), beta=beta)) == f"{ALL} {said}"


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        ("MEAN", '2.1.2-2.1.5 Tensor "input_0" has bad input dims size: 5.\n2.1.6-2.3.0 Unknown layout.'),
        ("ARG_MAX", f"{ALL} Unknown layout."),
        (
            "SOFTMAX",
            '2.1.2-2.1.5 Tensor "input_0" has bad input dims size: 5.\n'
            "2.1.6-2.3.0 Tensor dimensions must be less than 5. input_0",
        ),
    ],
)
def test_rank_5(operator: str, said: str) -> None:
    assert answers(plain(operator, "FLOAT32", SHAPES[5])) == said
    assert answers(plain(operator, "FLOAT32", SHAPES[4])) == ACCEPTED


def test_constants_are_counted_last_since_2_1_6() -> None:
    constants = "Expected 1 const input tensor(s), but node has 2 const input(s)."
    runtimes = "Expected 1 runtime input tensor(s), but node has 0 runtime input(s)."
    assert answers(single("MEAN", constant(), integers([1]))) == f"{ALL} {constants}"
    assert answers(single("SUM", constant(), integers([1]))) == f"2.1.2-2.1.5 {runtimes}\n2.1.6-2.3.0 {constants}"
    assert answers(single("ARG_MAX", constant(), integers(3))) == f"2.1.2-2.1.5 {constants}\n2.1.6-2.3.0 {runtimes}"
