from __future__ import annotations

from collections.abc import Callable

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Tensor

RULE = "unfused-branches"
GAMMA, BETA = [0.5] * 8, [0.1] * 8


def conv(
    g: Graph, x: Tensor, kernel: int, activation: str = "NONE", stride: int = 1, depthwise: bool = False
) -> Tensor:
    shape = [1, kernel, kernel, 8] if depthwise else [8, kernel, kernel, 8]
    options = {"depth_multiplier": 1} if depthwise else {}
    return g.op(
        "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D",
        x,
        g.const(shape=shape, fill=0.5),
        g.const(shape=[8], fill=0.0),
        out=[1, 4 // stride, 4 // stride, 8],
        padding="SAME",
        stride_w=stride,
        stride_h=stride,
        fused_activation_function=activation,
        **options,
    )


def norm(g: Graph, x: Tensor) -> Tensor:
    return g.op("ADD", g.op("MUL", x, g.const(GAMMA)), g.const(BETA))


def graph(make: Callable[[Graph, Tensor], Tensor]) -> Graph:
    g = Graph()
    g.output(make(g, g.input([1, 4, 4, 8], name="x")))
    return g


def test_parallel_branches() -> None:
    assert spoken(found(graph(lambda g, x: g.op("ADD", conv(g, x, 3), conv(g, x, 1))), RULE)) == snapshot("""\
0/2:ADD: info: CONV_2Ds of x (1x1, 3x3) are summed [unfused-branches]
  help: export the deploy mode of the block: one convolution gives the same result to rounding\
""")


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(lambda g, x: g.op("ADD", g.op("ADD", conv(g, x, 3), conv(g, x, 1)), x), id="identity last"),
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 3), g.op("ADD", x, conv(g, x, 1))), id="identity between"),
    ],
)
def test_three_branches_are_one_block(block: Callable[[Graph, Tensor], Tensor]) -> None:
    (finding,) = found(graph(block), RULE)
    assert "(1x1, 3x3) and the tensor itself are summed" in finding.message.replace("3x3, 1x1", "1x1, 3x3")


def test_branches_with_their_batch_norms() -> None:
    def block(g: Graph, x: Tensor) -> Tensor:
        return g.op("ADD", g.op("ADD", norm(g, conv(g, x, 3)), norm(g, conv(g, x, 1))), norm(g, x))

    findings = found(graph(block), RULE)
    assert [finding.message.partition(" (")[0] for finding in findings if "summed" in finding.message] == [
        "CONV_2Ds of x"
    ]
    assert sum("BatchNorm" in finding.message for finding in findings) == 2


def test_a_depthwise_block() -> None:
    def block(g: Graph, x: Tensor) -> Tensor:
        return g.op("ADD", conv(g, x, 3, depthwise=True), conv(g, x, 1, depthwise=True))

    (finding,) = found(graph(block), RULE)
    assert finding.message.startswith("DEPTHWISE_CONV_2Ds of x")


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 3), conv(g, x, 3)), id="two of one size"),
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 1), conv(g, x, 1)), id="two 1x1"),
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 3, "RELU"), conv(g, x, 1)), id="activation before the sum"),
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 3), conv(g, g.op("ABS", x), 1)), id="of two tensors"),
        pytest.param(lambda g, x: g.op("ADD", conv(g, x, 3), x), id="residual"),
        pytest.param(lambda g, x: g.op("MUL", conv(g, x, 3), conv(g, x, 1)), id="product"),
        pytest.param(
            lambda g, x: g.op("ADD", conv(g, x, 3, stride=2), conv(g, g.op("ABS", x), 1, stride=2)), id="downsampling"
        ),
    ],
)
def test_near_misses_of_branches(twin: Callable[[Graph, Tensor], Tensor]) -> None:
    assert releases(graph(twin), RULE) == ()


def test_a_batch_norm() -> None:
    assert spoken(found(graph(lambda g, x: norm(g, conv(g, x, 3))), RULE)) == snapshot("""\
0/1:MUL: info: a BatchNorm behind CONV_2D at 0 is not folded into its weights [unfused-branches]
  help: export in eval mode and fuse it (`torch.nn.utils.fusion.fuse_conv_bn_eval`): the same to rounding\
""")


def steps(*names: str, activation: str = "NONE", other: bool = False) -> Callable[[Graph, Tensor], Tensor]:
    def make(g: Graph, x: Tensor) -> Tensor:
        made = y = conv(g, x, 3, activation)
        for name in names:
            y = g.op(name, y, g.const(GAMMA))
        if other:
            g.output(made)
        return y

    return make


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(steps("ADD", "MUL"), id="shift first"),
        pytest.param(steps("SUB", "DIV", "MUL", "ADD"), id="written out"),
        pytest.param(lambda g, x: g.op("ADD", g.const(BETA), g.op("MUL", g.const(GAMMA), conv(g, x, 3))), id="swapped"),
        pytest.param(lambda g, x: norm(g, conv(g, x, 3, depthwise=True)), id="depthwise"),
        pytest.param(
            lambda g, x: norm(g, g.op("FULLY_CONNECTED", x, g.const(shape=[8, 128], fill=0.5), None, out=[1, 8])),
            id="fully connected",
        ),
    ],
)
def test_forms_of_a_batch_norm(block: Callable[[Graph, Tensor], Tensor]) -> None:
    (finding,) = found(graph(block), RULE)
    assert "BatchNorm" in finding.message


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(steps("MUL"), id="scale alone"),
        pytest.param(steps("ADD"), id="shift alone"),
        pytest.param(steps("MUL", "MUL"), id="two scales"),
        pytest.param(steps("MUL", "ADD", activation="RELU"), id="behind an activation"),
        pytest.param(steps("MUL", "ADD", other=True), id="the convolution is an output"),
        pytest.param(lambda g, x: g.op("ADD", g.op("MUL", conv(g, x, 3), 0.5), 0.1), id="one value for all channels"),
        pytest.param(lambda g, x: norm(g, g.op("ABS", x)), id="no convolution"),
        pytest.param(lambda g, x: norm(g, x), id="in front of a convolution"),
    ],
)
def test_near_misses_of_a_batch_norm(twin: Callable[[Graph, Tensor], Tensor]) -> None:
    assert releases(graph(twin), RULE) == ()
