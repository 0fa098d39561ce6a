from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, place, releases, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def split(parts: int = 2, axis: int = 3, type: str = "FLOAT32", version: int = 1) -> Graph:
    g = Graph()
    x = g.input([2, 4, 4, 8], type=type, name="x")
    g.output(*g.op("SPLIT", g.const([axis], type="INT32"), x, num_splits=parts, version=version))
    return g


def test_integers_are_refused_with_the_slices_that_replace_it() -> None:
    assert spoken(found(split(type="INT32"), "split")) == snapshot("""\
0/0:SPLIT: error: the GPU refuses SPLIT: Tensor type(INT32) is not supported. x [split]
  help: take the parts with SLICE (`x[:, :c]`, `x[:, c:]`), which is exact and has kernels for these types\
""")


@pytest.mark.parametrize("type", ["INT32", "INT16"])
def test_integers_are_refused_on_every_release(type: str) -> None:
    assert releases(split(type=type), "split") == ALL


def test_one_part_kills_the_process_on_every_release() -> None:
    assert spoken(found(split(parts=1), "split")) == snapshot("""\
0/0:SPLIT: error: Check failed: CanReadValue(node_input_index) [split]
  help: drop the SPLIT: with one part it copies its input\
""")
    assert releases(split(parts=1), "split") == ALL
    assert place(split(parts=1)).verdict is Verdict.FAILS


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
def test_float_data_is_split_along_any_axis(axis: int) -> None:
    assert releases(split(axis=axis), "split") == ()
    assert place(split(axis=axis)).verdict is Verdict.FULL


@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_version_does_not_matter(version: int) -> None:
    assert releases(split(version=version), "split") == ()
