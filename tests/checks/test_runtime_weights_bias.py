from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def dense(weights: str, bias: float | None) -> Graph:
    g = Graph()
    x = g.input([1, 8], name="x")
    w = g.input([5, 8], name="w") if weights == "runtime" else g.const(shape=[5, 8], fill=0.5)
    b = None if bias is None else g.const(shape=[5], fill=bias, name="b")
    g.output(g.op("FULLY_CONNECTED", x, w, b, out=[1, 5]))
    return g


def test_the_bias_is_dropped() -> None:
    assert releases(dense("runtime", 1.0), "runtime-weights-bias") == ALL
    assert spoken(found(dense("runtime", 1.0), "runtime-weights-bias")) == snapshot("""\
0/0:FULLY_CONNECTED: error: the constant bias b is dropped, because the weights are a runtime tensor [runtime-weights-bias]
  help: take the bias out of FULLY_CONNECTED and ADD it behind: exact\
""")


def test_constant_weights_keep_it() -> None:
    assert releases(dense("constant", 1.0), "runtime-weights-bias") == ()


def test_no_bias_or_a_bias_of_zeros_loses_nothing() -> None:
    assert releases(dense("runtime", None), "runtime-weights-bias") == ()
    assert releases(dense("runtime", 0.0), "runtime-weights-bias") == ()


@pytest.mark.parametrize("op", ["CONV_2D"])
def test_convolutions_keep_it(op: str) -> None:
    g = Graph()
    x, w = g.input([1, 4, 4, 8]), g.input([5, 1, 1, 8])
    g.output(g.op(op, x, w, g.const(shape=[5], fill=1.0), out=[1, 4, 4, 5], padding="SAME", stride_w=1, stride_h=1))
    assert releases(g, "runtime-weights-bias") == ()
