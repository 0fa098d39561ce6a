from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def matmul(constant: bool, right: list[int], **flags: Any) -> Graph:
    g = Graph()
    x = g.input([8, 8] if len(right) == 2 else [1, 8, 8], name="x")
    y = g.const(np.arange(math.prod(right), dtype=np.float32).reshape(right), name="y") if constant else g.input(right)
    g.output(g.op("BATCH_MATMUL", x, y, **flags))
    return g


@pytest.mark.parametrize("flags", [{"adj_x": True}, {"adj_y": True}, {"adj_x": True, "adj_y": True}])
def test_a_constant_matrix_is_misread(flags: dict[str, bool]) -> None:
    assert releases(matmul(True, [8, 8], **flags), "batch-matmul-adjoint") == ALL


def test_a_flag_on_what_is_its_own_transpose_does_no_harm() -> None:
    g = Graph()
    g.output(g.op("BATCH_MATMUL", g.input([8, 2]), [[1.0, 2.0], [2.0, 3.0]], adj_y=True))
    assert releases(g, "batch-matmul-adjoint") == ()
    g = Graph()
    g.output(g.op("BATCH_MATMUL", g.input([1, 1]), np.ones((1, 4), np.float32), adj_x=True))
    assert releases(g, "batch-matmul-adjoint") == ()


def test_without_flags_it_is_right() -> None:
    assert releases(matmul(True, [8, 8]), "batch-matmul-adjoint") == ()


def test_runtime_operands_honour_the_flags() -> None:
    assert releases(matmul(False, [8, 8], adj_x=True), "batch-matmul-adjoint") == ()


def test_a_constant_of_rank_three_honours_them() -> None:
    assert releases(matmul(True, [1, 8, 8], adj_y=True), "batch-matmul-adjoint") == ()


def test_any_operands_on_opencl_where_it_was_reported() -> None:
    runtime, constant = matmul(False, [8, 8], adj_x=True), matmul(True, [1, 8, 8], adj_y=True)
    assert releases(runtime, "batch-matmul-adjoint", "opencl") == ALL[:5]
    assert releases(constant, "batch-matmul-adjoint", "opencl") == ALL[1:5]  # 2.1.2 refuses the constant
    assert releases(runtime, "batch-matmul-adjoint", "metal") == ()


def test_without_flags_opencl_is_right_too() -> None:
    assert releases(matmul(False, [8, 8]), "batch-matmul-adjoint", "opencl") == ()


def test_message() -> None:
    assert spoken(found(matmul(True, [8, 8], adj_y=True), "batch-matmul-adjoint")) == snapshot("""\
0/0:BATCH_MATMUL: error: adj_y is misapplied with the constant y [8, 8] [batch-matmul-adjoint]
  help: transpose the constant offline (and the left operand by TRANSPOSE), flags off: exact\
""")
