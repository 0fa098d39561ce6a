from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Tensor


def conv(g: Graph, x: Tensor, kernel: int, activation: str = "NONE") -> Tensor:
    w, b = g.const(shape=[8, kernel, kernel, 8], fill=0.5), g.const(shape=[8], fill=0.0)
    return g.op(
        "CONV_2D",
        x,
        w,
        b,
        out=[1, 4, 4, 8],
        padding="SAME",
        stride_w=1,
        stride_h=1,
        fused_activation_function=activation,
    )


def block(first: int, second: int, activation: str = "NONE") -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    g.output(g.op("ADD", conv(g, x, first, activation), conv(g, x, second)))
    return g


def batch_norm(op: str) -> Graph:
    g = Graph()
    y = conv(g, g.input([1, 4, 4, 8], name="x"), 3)
    y = g.op("MUL", y, g.const([0.5] * 8))
    g.output(g.op(op, y, g.const([0.1] * 8)))
    return g


def test_parallel_branches() -> None:
    assert spoken(found(block(3, 1), "unfused-branches")) == snapshot("""\
0/2:ADD: info: a 3x3 and a 1x1 convolution of x are summed [unfused-branches]
  help: export the deploy mode of the block: one convolution gives the same result to rounding\
""")


def test_a_batch_norm() -> None:
    assert spoken(found(batch_norm("ADD"), "unfused-branches")) == snapshot("""\
0/1:MUL: info: a BatchNorm behind CONV_2D at 0 is not folded into its weights [unfused-branches]
  help: export in eval mode and fuse it (`torch.nn.utils.fusion.fuse_conv_bn_eval`): the same to rounding\
""")


@pytest.mark.parametrize("twin", [block(3, 3), block(1, 1), block(3, 1, "RELU"), batch_norm("MUL")])
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, "unfused-branches") == ()
