"""Operators that move data: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, answers

from tflint.fixtures.probes.movement import CHANNEL_SCALES, ONE_SCALE, SHAPES, integers, simple
from tflint.fixtures.probes.single import constant, runtime, single

ALL = "2.1.2-2.3.0"


def plain(
    operator: str, shape: tuple[int, ...] = (1, 4, 4, 8), type: str = "FLOAT32", version: int = 1
) -> Callable[[], bytes]:
    operands, keywords = simple(operator, shape, type)
    return single(operator, *operands, version=version, **keywords)


@pytest.mark.parametrize(
    ("operator", "ceiling", "raised"),
    [("SLICE", 2, 8), ("TRANSPOSE", 5, 9), ("CONCATENATION", 2, 6)],
)
def test_versions_above_the_old_ceiling_are_accepted_since_2_1_6(operator: str, ceiling: int, raised: int) -> None:
    assert answers(plain(operator, version=ceiling)) == ACCEPTED
    for version in (ceiling + 1, raised):
        assert answers(plain(operator, version=version)) == (
            f"2.1.2-2.1.5 Max version supported: {ceiling}. Requested version {version}.\n2.1.6-2.3.0 accepted"
        )


@pytest.mark.parametrize(
    ("operator", "ceiling"), [("PAD", 5), ("PADV2", 5), ("STRIDED_SLICE", 2), ("SPACE_TO_DEPTH", 2)]
)
def test_versions_above_a_fixed_ceiling(operator: str, ceiling: int) -> None:
    assert answers(plain(operator, version=ceiling)) == ACCEPTED
    assert answers(plain(operator, version=ceiling + 1)) == (
        f"{ALL} Max version supported: {ceiling}. Requested version {ceiling + 1}."
    )


@pytest.mark.parametrize(
    ("operator", "highest"),
    [("PACK", 4), ("UNPACK", 4), ("GATHER", 7), ("TILE", 3), ("REVERSE_V2", 3), ("DYNAMIC_UPDATE_SLICE", 5)],
)
def test_no_version_test(operator: str, highest: int) -> None:
    """Up to the highest version that every release registers."""
    assert answers(plain(operator, SHAPES[3], version=highest)) == ACCEPTED


@pytest.mark.parametrize(
    ("operator", "type_"),
    [("RESHAPE", "INT32"), ("CONCATENATION", "UINT16"), ("TILE", "INT32"), ("UNPACK", "BOOL")],
)
def test_types_that_are_taken(operator: str, type_: str) -> None:
    said = answers(plain(operator, type=type_))
    assert said == ACCEPTED or (type_ == "BOOL" and "Tensor type(BOOL) is not supported. unpack_" in said)


@pytest.mark.parametrize(
    ("operator", "type_"),
    [
        ("RESHAPE", "INT64"),
        ("TILE", "UINT32"),
        ("UNPACK", "INT32"),
        ("MIRROR_PAD", "INT32"),
        ("DEPTH_TO_SPACE", "INT16"),
    ],
)
def test_types_that_are_refused(operator: str, type_: str) -> None:
    assert answers(plain(operator, type=type_)) == f"{ALL} Tensor type({type_}) is not supported. input_0"


def test_reshape_wants_a_constant_shape_and_a_runtime_tensor() -> None:
    words = "Expected 1 runtime input tensor(s), but node has {} runtime input(s)."
    assert answers(single("RESHAPE", runtime(), integers([1, 128]))) == ACCEPTED
    assert answers(single("RESHAPE", runtime(), runtime((2,), "INT32"), out=(1, 128))) == f"{ALL} {words.format(2)}"
    assert answers(single("RESHAPE", constant(), integers([1, 128]))) == f"{ALL} {words.format(0)}"


def test_slice_parameters_are_read_as_int32() -> None:
    begin, size = [0, 0, 0, 0], [1, 4, 4, 4]
    for first, second in (("INT64", "INT32"), ("INT32", "INT64")):
        operands = integers(begin, first), integers(size, second)
        assert answers(single("SLICE", runtime(), *operands, out=size)) == f"{ALL} src has wrong size."
    assert answers(single("SLICE", runtime(), integers(begin), integers(size))) == ACCEPTED


@pytest.mark.parametrize("axis", range(4))
def test_slice_must_give_the_output_shape(axis: int) -> None:
    whole = [2, 4, 4, 8]
    size = [extent - 1 if i == axis else extent for i, extent in enumerate(whole)]
    words = ("batch don't", "height doesn't", "width doesn't", "channels don't")[axis]
    data = runtime(tuple(whole))
    zeros = integers([0] * 4)
    assert answers(single("SLICE", data, zeros, integers(size))) == ACCEPTED
    assert answers(single("SLICE", data, zeros, integers(size), out=whole)) == f"{ALL} Output {words} match"


def test_strided_slice_masks() -> None:
    def masked(**masks: int) -> str:
        zeros, ones, whole = integers([0] * 4), integers([1] * 4), integers([1, 4, 4, 8])
        return answers(single("STRIDED_SLICE", runtime(), zeros, whole, ones, out=(1, 4, 4, 8), **masks))

    assert masked(begin_mask=15, end_mask=15) == ACCEPTED
    assert masked(ellipsis_mask=1) == f"{ALL} Slice does not support ellipsis_mask."
    assert masked(new_axis_mask=1) == f"{ALL} Slice does not support new_axis_mask."
    assert masked(shrink_axis_mask=1) == f"{ALL} Slice does not support shrink_axis_mask parameter. "


@pytest.mark.parametrize(
    ("begin", "end", "stride", "channels", "said"),
    [
        (0, 8, 1, 8, "accepted"),
        (1, 8, 3, 3, "accepted"),
        (-3, 8, 1, 3, "accepted"),
        (0, -2, 1, 6, "accepted"),
        (0, 9, 1, 8, "Output shape mismatch"),
        (-9, 8, 1, 8, "Output shape mismatch"),
        (7, -9, -1, 8, "Reverse slices are not supported."),
        (0, 8, 0, 8, "stride values must be non-zero"),
    ],
)
def test_strided_slice_of_the_channels(begin: int, end: int, stride: int, channels: int, said: str) -> None:
    parameters = integers([0, 0, 0, begin]), integers([1, 4, 4, end]), integers([1, 1, 1, stride])
    assert answers(single("STRIDED_SLICE", runtime(), *parameters, out=(1, 4, 4, channels))) == f"{ALL} {said}"


@pytest.mark.parametrize(("rank", "said"), [(1, "refused"), (2, "accepted"), (3, "accepted"), (4, "accepted")])
def test_transpose_permutes_two_to_four_axes(rank: int, said: str) -> None:
    words = {"refused": "Permutation for transpose is invalid.", "accepted": "accepted"}[said]
    assert answers(plain("TRANSPOSE", SHAPES[rank])) == f"{ALL} {words}"


@pytest.mark.parametrize("operator", ["PAD", "PADV2", "MIRROR_PAD"])
def test_paddings_are_3x2_or_4x2(operator: str) -> None:
    assert answers(plain(operator, SHAPES[3])) == ACCEPTED
    assert answers(plain(operator, SHAPES[4])) == ACCEPTED
    for rank in (1, 2):
        assert answers(plain(operator, SHAPES[rank])) == (
            f"{ALL} Invalid paddings tensor shape: expected 4x2 or 3x2, got {rank}x2"
        )


def test_mirror_pad_reflects_only() -> None:
    paddings = integers([[0, 0], [1, 1], [1, 1], [0, 0]])
    assert answers(single("MIRROR_PAD", runtime(), paddings, mode="REFLECT")) == ACCEPTED
    assert answers(single("MIRROR_PAD", runtime(), paddings, mode="SYMMETRIC")) == (
        f"{ALL} Only Reflective padding is supported for Mirror Pad operation. But node has 2"
    )


def test_gather_takes_int32_vectors() -> None:
    def gather(shape: tuple[int, ...], type_: str) -> str:
        return answers(single("GATHER", runtime(), runtime(shape, type_), axis=1, out=(1, *shape, 4, 8)))

    assert gather((3,), "INT32") == ACCEPTED
    assert gather((), "INT32") == f"{ALL} Only support 1D indices"
    assert gather((3, 1), "INT32") == f"{ALL} Only support 1D indices"
    assert gather((3,), "INT64") == f"{ALL} Only accept INT32 indices"


def test_gather_from_a_constant_since_2_1_3() -> None:
    assert answers(single("GATHER", constant((30, 8)), runtime((3,), "INT32"), axis=0)) == (
        "2.1.2 Gather does not support constant value tensor.\n2.1.3-2.3.0 accepted"
    )


def test_block_size() -> None:
    for operator in ("DEPTH_TO_SPACE", "SPACE_TO_DEPTH"):
        data = runtime((1, 4, 4, 16))
        assert answers(single(operator, data, block_size=2)) == ACCEPTED
        assert answers(single(operator, data, block_size=1)) == f"{ALL} {operator} block_size = 1 is a no-op."


def test_dynamic_update_slice_starts_at_runtime() -> None:
    update = runtime((1, 2, 2, 8))
    assert answers(single("DYNAMIC_UPDATE_SLICE", runtime(), update, runtime((4,), "INT32"))) == ACCEPTED
    assert answers(single("DYNAMIC_UPDATE_SLICE", runtime(), update, constant((4,), "INT32"))) == (
        f"{ALL} start_indices must be a runtime tensor"
    )
    assert answers(single("DYNAMIC_UPDATE_SLICE", runtime(), update, runtime((4,), "INT64"))) == (
        f"{ALL} start_indices must be of type int32."
    )


@pytest.mark.parametrize("operator", ["RESHAPE", "CONCATENATION", "SLICE", "TILE"])
def test_scales_per_channel_are_refused(operator: str) -> None:
    for quantization, said in ((ONE_SCALE, "accepted"), (CHANNEL_SCALES, "Unsupported quantization scale size")):
        operands, keywords = simple(operator, type="INT8", quant=quantization)
        assert answers(single(operator, *operands, quant=ONE_SCALE, **keywords)) == f"{ALL} {said}"
