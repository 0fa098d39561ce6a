from __future__ import annotations

from typing import Any

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def cumsum(shape: list[int], axis: int, **modes: Any) -> Graph:
    g = Graph()
    g.output(g.op("CUMSUM", g.input(shape, name="x"), g.const(axis, type="INT32"), **modes))
    return g


@pytest.mark.parametrize("modes", [{"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True}])
@pytest.mark.parametrize("axis", [1, 2, 3])
def test_modes_are_ignored(axis: int, modes: dict[str, bool]) -> None:
    assert releases(cumsum([1, 3, 4, 8], axis, **modes), "cumsum-mode") == ALL


@pytest.mark.parametrize("shape", [[8], [3, 8], [3, 4, 8], [1, 3, 4, 8]])
def test_the_first_axis(shape: list[int]) -> None:
    assert releases(cumsum(shape, 0), "cumsum-mode") == ALL


@pytest.mark.parametrize(
    ("shape", "axis"), [([3, 8], 1), ([3, 4, 8], 1), ([1, 3, 4, 7], 3), ([2, 3, 4, 8], 0), ([3, 8], -2)]
)
def test_other_axes_are_right(shape: list[int], axis: int) -> None:
    assert releases(cumsum(shape, axis), "cumsum-mode") == ()


@pytest.mark.parametrize("axis", [-1, -4])
def test_axes_that_no_kernel_is_built_for_are_zeros_on_2_1_2(axis: int) -> None:
    assert releases(cumsum([2, 3, 4, 8], axis), "cumsum-mode") == ALL[:1]


def test_message() -> None:
    assert spoken(found(cumsum([1, 3, 4, 8], 2, exclusive=True), "cumsum-mode")) == snapshot("""\
0/0:CUMSUM: error: exclusive of CUMSUM is ignored [cumsum-mode]
  help: exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact\
""")
    assert spoken(found(cumsum([3, 8], 0), "cumsum-mode")) == snapshot("""\
0/0:CUMSUM: error: CUMSUM along axis 0 of [3, 8] comes back unchanged [cumsum-mode]
  help: RESHAPE to rank 4 so that the axis is not the first and count it from 0, CUMSUM there, RESHAPE back: exact\
""")
