from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def add(type: str) -> Graph:
    g = Graph()
    g.output(g.op("ADD", g.input([1, 4, 4, 8], type=type, name="x"), g.input([1, 4, 4, 8], type=type, name="y")))
    return g


def test_int64_is_refused_everywhere() -> None:
    assert releases(add("INT64"), "tensor-type") == ALL
    assert spoken(found(add("INT64"), "tensor-type")) == snapshot("""\
0/0:ADD: error: the GPU refuses ADD: Tensor type(INT64) is not supported. x [tensor-type]
  help: make it INT32 where it is created (`dtype=torch.int32`): exact for every index below 2147483648\
""")


@pytest.mark.parametrize("type", ["FLOAT32", "FLOAT16", "INT32", "INT16"])
def test_types_that_add_takes(type: str) -> None:
    assert releases(add(type), "tensor-type") == ()


def test_mean_takes_no_int32() -> None:
    g = Graph()
    g.output(
        g.op(
            "MEAN",
            g.input([1, 4, 4, 8], type="INT32", name="x"),
            g.const([1, 2], type="INT32"),
            keep_dims=True,
            out=[1, 1, 1, 8],
        )
    )
    assert releases(g, "tensor-type") == ALL
    assert spoken(found(g, "tensor-type")) == snapshot("""\
0/0:MEAN: error: the GPU refuses MEAN: Tensor type(INT32) is not supported. x [tensor-type]
  help: run MEAN in FLOAT32 (exact up to 2048 in fp16), or use operators that take integers, such as SLICE and RESHAPE\
""")


def test_sum_takes_int32_from_2_1_3() -> None:
    g = Graph()
    g.output(
        g.op(
            "SUM", g.input([1, 4, 4, 8], type="INT32"), g.const([1, 2], type="INT32"), keep_dims=True, out=[1, 1, 1, 8]
        )
    )
    assert releases(g, "tensor-type") == ("2.1.2",)


def test_a_constant_is_not_held_to_it() -> None:
    g = Graph()
    g.output(g.op("GATHER", g.const(shape=[5, 8], fill=1.0), g.input([3], type="INT32"), axis=0, out=[3, 8]))
    assert "2.3.0" not in releases(g, "tensor-type")


def test_split_has_its_own_rule() -> None:
    g = Graph()
    x = g.input([1, 4, 4, 8], type="INT32")
    g.output(*g.op("SPLIT", g.const([3], type="INT32"), x, num_splits=2))
    assert releases(g, "tensor-type") == ()
