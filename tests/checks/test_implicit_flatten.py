from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def dense(shape: list[int], size: int, out: list[int], reshape: bool = False) -> Graph:
    g = Graph()
    x = g.input(shape, name="x")
    if reshape:
        x = g.op("RESHAPE", x, g.const([out[0], size], type="INT32"), out=[out[0], size])
    g.output(
        g.op("FULLY_CONNECTED", x, g.const(shape=[5, size], fill=0.5, name="w"), g.const(shape=[5], fill=0.0), out=out)
    )
    return g


@pytest.mark.parametrize(("shape", "size", "rows"), [([1, 2, 2, 4], 16, 1), ([2, 4], 8, 1), ([2, 3, 4], 12, 2)])
def test_wrong_where_the_last_axis_is_not_the_size(shape: list[int], size: int, rows: int) -> None:
    assert releases(dense(shape, size, [rows, 5]), "implicit-flatten") == ALL


def test_the_last_axis_alone_is_right() -> None:
    assert releases(dense([4, 16], 16, [4, 5]), "implicit-flatten") == ()
    assert releases(dense([1, 1, 1, 16], 16, [1, 5]), "implicit-flatten") == ()


def test_a_shape_that_does_not_flatten_is_not_the_one_at_run_time() -> None:
    """As of files whose shapes are filled in when the model runs; the CPU's Prepare refuses it as it is."""
    assert releases(dense([1, 1], 64, [1, 5]), "implicit-flatten") == ()


def test_a_reshape_in_front_is_right() -> None:
    assert releases(dense([1, 2, 2, 4], 16, [1, 5], reshape=True), "implicit-flatten") == ()


def test_message() -> None:
    assert spoken(found(dense([1, 2, 2, 4], 16, [1, 5]), "implicit-flatten")) == snapshot("""\
0/0:FULLY_CONNECTED: error: only the last axis of x [1, 2, 2, 4] is used where the weights [5, 16] expect 16 values [implicit-flatten]
  help: RESHAPE the input to [1, 16] in front: exact\
""")
