from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def transpose_conv(version: int, activation: str) -> Graph:
    g = Graph()
    y = g.op(
        "TRANSPOSE_CONV",
        g.const([1, 8, 8, 4], type="INT32"),
        g.const(shape=[4, 2, 2, 8], fill=0.5),
        g.input([1, 4, 4, 8], name="x"),
        out=[1, 8, 8, 4],
        stride_w=2,
        stride_h=2,
        padding="VALID",
        fused_activation_function=activation,
        version=version,
    )
    g.output(y)
    return g


@pytest.mark.parametrize("version", [1, 2, 3])
def test_ignored_in_the_versions_that_are_accepted(version: int) -> None:
    assert releases(transpose_conv(version, "RELU"), "transpose-conv-activation") == ALL


def test_none_is_right() -> None:
    assert releases(transpose_conv(3, "NONE"), "transpose-conv-activation") == ()


def test_version_four_is_refused_instead() -> None:
    assert releases(transpose_conv(4, "RELU"), "transpose-conv-activation") == ()


def test_message() -> None:
    assert spoken(found(transpose_conv(3, "RELU"), "transpose-conv-activation")) == snapshot("""\
0/0:TRANSPOSE_CONV: error: the fused RELU of a version 3 TRANSPOSE_CONV is ignored [transpose-conv-activation]
  help: make RELU an operator of its own: exact\
""")
