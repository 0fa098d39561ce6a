from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def transpose_conv(version: int, activation: str = "NONE") -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    size, weights = g.const([1, 8, 8, 4], type="INT32"), g.const(shape=[4, 2, 2, 8], fill=0.5)
    y = g.op(
        "TRANSPOSE_CONV",
        size,
        weights,
        x,
        out=[1, 8, 8, 4],
        stride_w=2,
        stride_h=2,
        padding="VALID",
        fused_activation_function=activation,
        version=version,
    )
    g.output(y)
    return g


def test_the_fused_activation_is_named() -> None:
    assert spoken(found(transpose_conv(4, "RELU"), "transpose-conv-version")) == snapshot("""\
0/0:TRANSPOSE_CONV: error: the GPU refuses TRANSPOSE_CONV: Max version supported: 3. Requested version 4. [transpose-conv-version]
  help: take the fused RELU out into an operator of its own and write version 3: exact\
""")


@pytest.mark.parametrize("version", [4, 5])
def test_later_versions_are_refused_on_every_release(version: int) -> None:
    assert releases(transpose_conv(version), "transpose-conv-version") == ALL


@pytest.mark.parametrize("version", [1, 2, 3])
def test_versions_up_to_three_are_accepted(version: int) -> None:
    assert releases(transpose_conv(version), "transpose-conv-version") == ()
