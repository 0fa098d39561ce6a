"""Which inputs are seen to be indices, and up to where."""

from __future__ import annotations

import numpy as np

from tflint.fixtures.builder import Graph
from tflint.linter import reader
from tflint.linter.confirm.ranges import ranges

TABLE = np.zeros((7, 3), np.float32)


def of(g: Graph) -> dict[str, tuple[float, float]]:
    return ranges(reader.read(g.build()))


def test_gather_along_its_axis() -> None:
    for axis, highest in ((0, 6.0), (1, 2.0), (-1, 2.0)):
        g = Graph()
        g.output(g.op("GATHER", g.const(TABLE), g.input([2], "INT32", name="ids"), axis=axis))
        assert of(g) == {"ids": (0.0, highest)}


def test_index_behind_reshape_and_cast() -> None:
    g = Graph()
    ids = g.input([1, 2], "INT64", name="ids")
    moved = g.op("CAST", g.op("RESHAPE", ids, [2]), type="INT32")
    g.output(g.op("GATHER", g.const(TABLE), moved))
    assert of(g) == {"ids": (0.0, 6.0)}


def test_index_behind_arithmetic_is_not_known() -> None:
    g = Graph()
    ids = g.input([2], "INT32", name="ids")
    g.output(g.op("GATHER", g.const(TABLE), g.op("ADD", ids, [1, 1])))
    assert of(g) == {}


def test_smallest_of_two_tables() -> None:
    g = Graph()
    ids = g.input([2], "INT32", name="ids")
    g.output(g.op("GATHER", g.const(TABLE), ids), g.op("GATHER", g.const(TABLE[:4]), ids))
    assert of(g) == {"ids": (0.0, 3.0)}


def test_other_index_operators() -> None:
    g = Graph()
    g.output(
        g.op("EMBEDDING_LOOKUP", g.input([2], "INT32", name="looked up"), g.const(TABLE), out=[2, 3], type="FLOAT32"),
        g.op("GATHER_ND", g.const(TABLE), g.input([2, 2], "INT32", name="pairs"), out=[2], type="FLOAT32"),
        g.op("ONE_HOT", g.input([2], "INT32", name="classes"), 5, 1.0, 0.0, out=[2, 5], type="FLOAT32"),
        g.op("DYNAMIC_UPDATE_SLICE", g.input([1, 8]), g.input([1, 3]), g.input([2], "INT32", name="start")),
    )
    assert of(g) == {"looked up": (0.0, 6.0), "pairs": (0.0, 2.0), "classes": (0.0, 4.0), "start": (0.0, 0.0)}


def test_names_of_signatures() -> None:
    g = Graph()
    ids = g.input([2], "INT32", name="tensor")
    rows = g.op("GATHER", g.const(TABLE), ids)
    g.output(rows)
    g.signature("embed", {"ids": ids}, {"rows": rows})
    assert of(g) == {"embed/ids": (0.0, 6.0)}
