"""Moving and reducing operators that are accepted and cannot be built: each fault beside a near-miss twin."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tflint.fixtures.probes.movement import CHANNEL_SCALES, ONE_SCALE, SHAPES, constant_and_computed, integers
from tflint.fixtures.probes.single import BASE, constant, runtime, single
from tflint.linter.delegate.failure import Fault
from tflint.linter.delegate.placement import Placer, Verdict
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS


def failing(build: Callable[[], bytes], fault: Fault) -> tuple[str, ...]:
    """The releases on which the model fails of this fault; on all others nothing fails."""
    placer = Placer(read(build()))
    found = []
    for version in VERSIONS:
        placement = placer.place(version)
        faults = [failure.fault for failure in placement.failures]
        assert faults in ([], [fault]), faults
        assert (placement.verdict is Verdict.FAILS) == bool(faults)
        if faults:
            assert version in placement.failures[0].evidence[0].litert
            found.append(version)
    return tuple(found)


def test_gather_with_several_constant_indices_until_2_2_0() -> None:
    def gather(indices: list[int]) -> tuple[str, ...]:
        build = single("GATHER", runtime(), integers(indices, shape=(len(indices),)), axis=1)
        return failing(build, Fault.GATHER_CONSTANT_INDICES)

    assert gather([0, 2]) == VERSIONS[:-1]
    assert gather([2]) == ()


def test_gather_with_several_runtime_indices_on_2_1_2() -> None:
    def gather(count: int) -> tuple[str, ...]:
        return failing(single("GATHER", runtime(), runtime((count,), "INT32"), axis=1), Fault.GATHER_RUNTIME_INDICES)

    assert gather(2) == VERSIONS[:1]
    assert gather(1) == ()


@pytest.mark.parametrize(("channels", "dies"), [(1, True), (3, True), (4, False), (5, False)])
@pytest.mark.parametrize("shape", [(), (2,), (1, 2, 2)])
def test_top_k_over_fewer_than_four_channels(shape: tuple[int, ...], channels: int, dies: bool) -> None:
    build = single("TOPK_V2", runtime((*shape, channels)), integers(1))
    assert failing(build, Fault.TOPK_CHANNELS) == (VERSIONS if dies else ())


@pytest.mark.parametrize(
    ("rank", "axis", "dies"),
    [(4, -1, True), (4, 3, False), (3, -3, True), (3, -1, False), (2, -2, False), (1, -1, False)],
)
def test_cumsum_along_an_axis_counted_from_the_end(rank: int, axis: int, dies: bool) -> None:
    build = single("CUMSUM", runtime(SHAPES[rank]), integers(axis))
    assert failing(build, Fault.NEGATIVE_AXIS) == (VERSIONS[1:] if dies else ())


@pytest.mark.parametrize(("permutation", "dies"), [([0, -1, 1, 2], True), ([0, 3, 1, 2], False)])
def test_transpose_with_a_negative_axis(permutation: list[int], dies: bool) -> None:
    build = single("TRANSPOSE", runtime(), integers(permutation), out=(1, 8, 4, 4))
    assert failing(build, Fault.NEGATIVE_AXIS) == (VERSIONS if dies else ())


@pytest.mark.parametrize("operator", ["CONCATENATION", "PACK", "GATHER"])
@pytest.mark.parametrize(
    ("type_", "scaled", "dies"),
    [("FLOAT32", False, False), ("INT32", False, False), ("INT8", True, False), ("INT8", False, True)],
)
def test_constants_that_become_tensors(operator: str, type_: str, scaled: bool, dies: bool) -> None:
    quant = {"quant": ONE_SCALE} if scaled else {}
    shape = (4, 4, 8)
    if operator == "GATHER":
        build = single(operator, constant(shape, type_, **quant), runtime((1,), "INT32"), axis=0)
    else:
        build = single(operator, runtime(shape, type_, **quant), constant(shape, type_, **quant), axis=0)
    expected = VERSIONS if dies else ()
    if operator == "GATHER" and dies:
        expected = VERSIONS[1:]  # 2.1.2 refuses constant data
    assert failing(build, Fault.UNREADABLE_CONSTANT) == expected


@pytest.mark.parametrize(("type_", "dies"), [("FLOAT32", False), ("INT32", True)])
def test_value_of_padv2(type_: str, dies: bool) -> None:
    paddings = integers([[0, 0], [1, 1], [1, 2], [0, 0]])
    build = single("PADV2", runtime(type=type_), paddings, constant((), type_))
    assert failing(build, Fault.UNREADABLE_CONSTANT) == (VERSIONS if dies else ())


@pytest.mark.parametrize(
    ("build", "twin"),
    [
        pytest.param(
            single("UNPACK", constant(), axis=1),
            single("UNPACK", runtime(), axis=1),
            id="UNPACK",
        ),
        pytest.param(
            single("PACK", constant((4, 4, 8)), axis=0),
            single("PACK", runtime((4, 4, 8)), axis=0),
            id="PACK of one",
        ),
        pytest.param(
            single("CUMSUM", constant(), integers(3)),
            single("CUMSUM", runtime(), integers(3)),
            id="CUMSUM",
        ),
        pytest.param(
            single("DYNAMIC_UPDATE_SLICE", constant(), runtime(), runtime((4,), "INT32")),
            single("DYNAMIC_UPDATE_SLICE", runtime(), runtime(), runtime((4,), "INT32")),
            id="DYNAMIC_UPDATE_SLICE",
        ),
        pytest.param(
            single("ONE_HOT", constant((1, 4), "INT32"), integers(5), constant(()), constant(())),
            single("ONE_HOT", runtime((1, 4), "INT32"), integers(5), constant(()), constant(())),
            id="ONE_HOT",
        ),
        pytest.param(
            constant_and_computed("TILE", (1, 8), (3, 2), out=(3, 16)),
            single("TILE", runtime((1, 8)), integers([3, 2])),
            id="TILE",
        ),
    ],
)
def test_data_must_come_at_run_time(build: Callable[[], bytes], twin: Callable[[], bytes]) -> None:
    assert failing(build, Fault.CONSTANT_OPERAND) == VERSIONS
    assert failing(twin, Fault.CONSTANT_OPERAND) == ()


def test_one_hot_values_that_come_at_run_time() -> None:
    indices = runtime((1, 4), "INT32")
    build = single("ONE_HOT", indices, integers(5), runtime(()), constant(()))
    assert failing(build, Fault.RUNTIME_PARAMETER) == VERSIONS[5:]  # earlier releases refuse the operator


def test_strided_slice_of_an_operand_with_a_scale_a_channel() -> None:
    zero, one, whole = integers([0] * 4), integers([1] * 4), integers(list(BASE))
    for quantization, expected in ((CHANNEL_SCALES, VERSIONS), (ONE_SCALE, ())):
        data = runtime(type="INT8", quant=quantization)
        build = single("STRIDED_SLICE", data, zero, whole, one, quant=ONE_SCALE)
        assert failing(build, Fault.RUNTIME_SCALES) == expected
