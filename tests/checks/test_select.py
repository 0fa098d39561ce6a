from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def select(
    branch: list[int] | None = None,
    condition: str = "BOOL",
    type: str = "FLOAT32",
    version: int = 1,
    op: str = "SELECT_V2",
) -> Graph:
    """SELECT of x and a constant branch, both [1,4,4,8] unless `branch` says otherwise."""
    g = Graph()
    shape = [1, 4, 4, 8]
    m, x = g.input(shape, type=condition, name="m"), g.input(shape, type=type, name="x")
    v = g.const(shape=shape if branch is None else branch, type=type, fill=0, name="v")
    g.output(g.op(op, m, x, v, out=shape, type=type, version=version))
    return g


def test_a_branch_that_needs_broadcasting_is_refused() -> None:
    assert spoken(found(select([1, 1, 1, 8]), "select")) == snapshot("""\
0/0:SELECT_V2: error: the GPU refuses SELECT_V2: Cond must be float or bool type, if, else tensors must be either be same the shape as output or constant, scalar. [select]
  help: give both branches the output's shape [1, 4, 4, 8], or a scalar (exact); or write it as `x * (1 - m) + v * m` (exact for finite x and v and m of 0 or 1)\
""")


@pytest.mark.parametrize("branch", [[1, 1, 1, 8], [1, 1, 1, 1], [8], [4, 8]])
def test_other_branch_shapes_are_refused_on_every_release(branch: list[int]) -> None:
    assert releases(select(branch), "select") == ALL


@pytest.mark.parametrize("branch", [[1, 4, 4, 8], [], [1]])
def test_the_same_shape_and_scalars_are_accepted(branch: list[int]) -> None:
    assert releases(select(branch), "select") == ()


@pytest.mark.parametrize("type", ["FLOAT32", "FLOAT16", "INT32"])
def test_data_types_that_are_accepted(type: str) -> None:
    assert releases(select(type=type), "select") == ()


def test_int64_data_is_refused() -> None:
    assert releases(select(type="INT64"), "select") == ALL


def test_versions_above_one_are_refused() -> None:
    assert releases(select(version=2), "select") == ALL
    assert spoken(found(select(version=2), "select")) == snapshot("""\
0/0:SELECT_V2: error: the GPU refuses SELECT_V2: Max version supported: 1. Requested version 2. [select]
  help: convert again with rank 4 or less, which gives version 1; or write it as `x * (1 - m) + v * m` (finite values only)\
""")


def test_the_older_operator_is_held_to_the_same() -> None:
    assert releases(select(version=2, op="SELECT"), "select") == ALL
    assert releases(select(op="SELECT"), "select") == ()
