"""SELECT and SPLIT: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, answers

from tflint.fixtures.probes.elementwise import CHANNEL_SCALES, ONE_SCALE, SPARSE, shaped
from tflint.fixtures.probes.single import BASE, Operand, constant, runtime, single

ALL = "2.1.2-2.3.0"
SHAPES = f"{ALL} Cond must be float or bool type, if, else tensors must be either be same the shape as output or constant, scalar."
CHANNELS = (1, 4, 4, 4)


def condition(shape: tuple[int, ...] = BASE) -> Operand:
    return runtime(shape, "BOOL")


def select(first: Operand, second: Operand, operator: str = "SELECT_V2", **keywords: object) -> str:
    return answers(single(operator, condition(), first, second, **keywords))


@pytest.mark.parametrize("operator", ["SELECT", "SELECT_V2"])
def test_select_is_taken_in_version_1(operator: str) -> None:
    assert select(runtime(), runtime(), operator) == ACCEPTED
    words = "Max version supported: 1. Requested version 2."
    assert select(runtime(), runtime(), operator, version=2) == f"{ALL} {words}"


@pytest.mark.parametrize("make", [runtime, constant])
def test_branches_are_scalars_or_have_the_shape_of_the_output(make: Callable[..., Operand]) -> None:
    for shape in ((), (1,), BASE):
        assert select(make(shape), runtime()) == ACCEPTED
        assert select(runtime(), make(shape)) == ACCEPTED
    for other in ((8,), (1, 1), (1, 1, 1, 8), (1, 1, 1, 1)):
        assert select(make(other), runtime(), out=BASE) == SHAPES
        assert select(runtime(), make(other), out=BASE) == SHAPES


@pytest.mark.parametrize("shape", [(), (1,), (1, 4, 4, 1)])
def test_the_shape_of_the_condition_is_not_asked(shape: tuple[int, ...]) -> None:
    assert answers(single("SELECT_V2", condition(shape), runtime(), runtime(), out=BASE)) == ACCEPTED


@pytest.mark.parametrize(("taken", "refused"), [("INT32", "INT64"), ("BOOL", "FLOAT64"), ("UINT16", "UINT64")])
def test_types_of_branches(taken: str, refused: str) -> None:
    said = select(runtime(type=refused), runtime(type=refused)).splitlines()[-1]
    assert said.endswith(f"2.3.0 Tensor type({refused}) is not supported. input_1")
    assert select(runtime(type=taken), runtime(type=taken)).splitlines()[-1].endswith("2.3.0 accepted")


def test_nothing_but_constants_is_taken() -> None:
    assert answers(single("SELECT_V2", constant(type="BOOL"), constant(), constant())) == ACCEPTED


def test_what_cannot_be_read_may_be_a_constant() -> None:
    def of_rank(rank: int, first: Callable[..., Operand]) -> str:
        shape = shaped(rank)
        return answers(single("SELECT_V2", first(shape, "BOOL"), runtime(shape), runtime(shape)))

    assert of_rank(4, runtime) == of_rank(4, constant) == ACCEPTED
    assert of_rank(5, runtime) == (
        "2.1.2-2.1.5 src has no data.\n2.1.6-2.3.0 Tensor dimensions must be less than 5. input_0"
    )
    assert of_rank(5, constant) == (
        '2.1.2-2.1.5 Tensor "nullptr" has bad input dims size: 5.\n'
        "2.1.6-2.3.0 Tensor dimensions must be less than 5. const_0"
    )
    assert of_rank(6, runtime) == f"{ALL} src has no data."
    assert of_rank(6, constant) == f'{ALL} Tensor "nullptr" has bad input dims size: 6.'
    many = runtime(type="INT8", quant=CHANNEL_SCALES)
    said = select(many, runtime(type="INT8", quant=ONE_SCALE), quant=ONE_SCALE)
    assert said == f"{ALL} Unsupported tensor type in NewConstNode: INT8"


def test_a_sparse_branch_is_not_noticed() -> None:
    sparse = constant((2, 2), data=bytes(8), sparsity=SPARSE)
    assert answers(single("SELECT_V2", condition((2, 2)), runtime((2, 2)), sparse)) == ACCEPTED


def split(data: Operand, **keywords: object) -> str:
    return answers(single("SPLIT", constant((), "INT32", data=b"\3\0\0\0"), data, out=[CHANNELS] * 2, **keywords))


def split_v(data: Operand, **keywords: object) -> str:
    sizes, axis = constant((2,), "INT32", data=b"\4\0\0\0" * 2), constant((), "INT32", data=b"\3\0\0\0")
    return answers(single("SPLIT_V", data, sizes, axis, out=[CHANNELS] * 2, **keywords))


@pytest.mark.parametrize(("divide", "version"), [(split, 4), (split_v, 2)])
def test_split_has_no_version_test(divide: Callable[..., str], version: int) -> None:
    """Up to the highest version that every release registers."""
    assert divide(runtime(), version=version) == ACCEPTED


@pytest.mark.parametrize("divide", [split, split_v])
def test_split_takes_floats_and_8_bits(divide: Callable[..., str]) -> None:
    assert divide(runtime(type="INT8"), type="INT8") == ACCEPTED
    assert divide(runtime(type="INT32"), type="INT32") == f"{ALL} Tensor type(INT32) is not supported. input_0"


def test_split_v_wants_one_runtime_operand() -> None:
    """Up to 2.1.5 the constants are counted first."""
    assert split(constant()) == ACCEPTED
    assert split_v(constant()) == (
        "2.1.2-2.1.5 Expected 2 const input tensor(s), but node has 3 const input(s).\n"
        "2.1.6-2.3.0 Expected 1 runtime input tensor(s), but node has 0 runtime input(s)."
    )


def of_rank_5(operator: str, axis: int) -> str:
    whole, part = (1, 1, 4, 4, 8), [1, 1, 4, 4, 8]
    part[axis] //= 2
    where = constant((), "INT32", data=axis.to_bytes(4, "little", signed=True))
    sizes = constant((2,), "INT32", data=part[axis].to_bytes(4, "little") * 2)
    operands = (where, runtime(whole)) if operator == "SPLIT" else (runtime(whole), sizes, where)
    return answers(single(operator, *operands, out=[tuple(part)] * 2))


@pytest.mark.parametrize("axis", [-1, 2])
def test_rank_5(axis: int) -> None:
    assert of_rank_5("SPLIT", axis) == f"{ALL} Unknown layout."
    assert of_rank_5("SPLIT_V", axis) == (
        '2.1.2-2.1.5 Tensor "input_0" has bad input dims size: 5.\n2.1.6-2.3.0 Unknown layout.'
    )


def test_one_output_of_split_reads_the_axis_instead_of_the_data() -> None:
    """So a rank of 5 in the data is only met with the other tensors, and scales by channel never are."""
    axis = constant((), "INT32", data=b"\3\0\0\0")
    assert answers(single("SPLIT", axis, runtime(), out=[BASE])) == ACCEPTED
    many = runtime(type="INT8", quant=CHANNEL_SCALES)
    assert answers(single("SPLIT", axis, many, out=[BASE], type="INT8", quant=ONE_SCALE)) == ACCEPTED
    said = answers(single("SPLIT", axis, many, out=[CHANNELS] * 2, type="INT8", quant=ONE_SCALE))
    assert said == f"{ALL} Unsupported quantization scale size"
