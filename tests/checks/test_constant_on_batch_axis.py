from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def binary(op: str, runtime: list[int], constant: list[int], first: bool = False, type: str = "FLOAT32") -> Graph:
    """An element-wise operator of a runtime tensor and a constant whose values all differ."""
    g = Graph()
    x = g.input(runtime, type=type, name="x")
    c = g.const(np.arange(1, 1 + np.prod(constant), dtype=np.float32).reshape(constant), type=type, name="c")
    out = list(np.broadcast_shapes(tuple(runtime), tuple(constant)))
    g.output(g.op(op, *((c, x) if first else (x, c)), out=out))
    return g


@pytest.mark.parametrize(
    ("runtime", "constant"),
    [
        ([8], [8]),
        ([3, 8], [3, 8]),
        ([3, 8], [3, 1]),
        ([3, 4, 8], [3, 4, 8]),
        ([3, 4, 8], [3, 1, 1]),
        ([1, 4, 8], [3, 1, 1]),
        ([1, 3, 4, 8], [2, 3, 4, 8]),
        ([3, 4, 8], [1, 3, 4, 8]),
        ([3, 8], [2, 3, 8]),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_wrong_on_every_release(runtime: list[int], constant: list[int], first: bool) -> None:
    assert releases(binary("ADD", runtime, constant, first), "constant-on-batch-axis") == ALL


@pytest.mark.parametrize(
    ("runtime", "constant"),
    [
        ([8], [1]),
        ([3, 8], [1, 8]),
        ([3, 8], [8]),
        ([3, 4, 8], [4, 8]),
        ([3, 1, 8], [1, 4, 8]),
        ([2, 3, 4, 8], [2, 3, 4, 8]),
        ([1, 3, 4, 8], [1, 3, 4, 8]),
        ([1, 1, 1, 8], [1, 3, 4, 8]),
        ([2, 3, 4, 8], [3, 4, 8]),
        ([3, 8], []),
    ],
)
def test_right_layouts(runtime: list[int], constant: list[int]) -> None:
    assert releases(binary("ADD", runtime, constant), "constant-on-batch-axis") == ()


@pytest.mark.parametrize("op", ["SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE"])
def test_every_binary_operator(op: str) -> None:
    assert releases(binary(op, [3, 8], [3, 8]), "constant-on-batch-axis") == ALL


def test_int32_is_right() -> None:
    assert releases(binary("ADD", [3, 8], [3, 8], type="INT32"), "constant-on-batch-axis") == ()


def test_equal_slices_show_nothing() -> None:
    g = Graph()
    x = g.input([3, 8])
    g.output(g.op("ADD", x, g.const(np.broadcast_to(np.arange(8, dtype=np.float32), [3, 8])), out=[3, 8]))
    assert releases(g, "constant-on-batch-axis") == ()


def test_two_runtime_tensors_are_right() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([3, 4, 8]), g.input([3, 4, 8])))
    assert releases(g, "constant-on-batch-axis") == ()


def test_float16_behind_dequantize() -> None:
    g = Graph()
    half = g.const(np.arange(24, dtype=np.float16).reshape(3, 8), type="FLOAT16", name="half")
    g.output(g.op("ADD", g.input([3, 8]), g.op("DEQUANTIZE", half, type="FLOAT32")))
    assert releases(g, "constant-on-batch-axis") == ALL


def test_other_backends_are_warned() -> None:
    (finding,) = found(binary("ADD", [3, 8], [3, 8]), "constant-on-batch-axis", backend="metal")
    assert (finding.severity.value, finding.confidence.value) == ("warning", "heuristic")


def test_message() -> None:
    assert spoken(found(binary("ADD", [3, 8], [3, 8]), "constant-on-batch-axis")) == snapshot("""\
0/0:ADD: error: ADD uses only the first slice of constant c [3, 8] for x [3, 8] [constant-on-batch-axis]
  help: RESHAPE the runtime operand to rank 4 with a leading 1, keep the constant at rank 4, RESHAPE back: exact\
""")
