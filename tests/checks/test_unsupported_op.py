from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def unary(op: str) -> Graph:
    g = Graph()
    g.output(g.op(op, g.input([1, 4, 4, 8], name="x")))
    return g


def test_the_replacement_is_named() -> None:
    assert spoken(found(unary("LOG_SOFTMAX"), "unsupported-op")) == snapshot("""\
0/0:LOG_SOFTMAX: error: the GPU refuses LOG_SOFTMAX: Operation is not supported. [unsupported-op]
  help: SOFTMAX, then LOG: to about 1e-6\
""")


@pytest.mark.parametrize("op", ["LOG_SOFTMAX", "L2_NORMALIZATION", "ZEROS_LIKE"])
def test_refused_on_every_release(op: str) -> None:
    assert releases(unary(op), "unsupported-op") == ALL


@pytest.mark.parametrize("op", ["ABS", "SOFTMAX", "LOGISTIC", "HARD_SWISH"])
def test_operators_with_a_kernel(op: str) -> None:
    assert releases(unary(op), "unsupported-op") == ()


def test_squeeze_is_a_reshape() -> None:
    g = Graph()
    g.output(g.op("SQUEEZE", g.input([1, 4, 1, 8]), squeeze_dims=[2], out=[1, 4, 8]))
    assert "RESHAPE" in found(g, "unsupported-op")[0].advice


def test_operators_with_a_rule_of_their_own_are_left_to_it() -> None:
    g = Graph()
    g.output(g.op("GATHER_ND", g.input([1, 4, 4, 8]), g.const([[0, 1]], type="INT32"), out=[1, 4, 8]))
    assert releases(g, "unsupported-op") == ()
