from __future__ import annotations

from pathlib import Path

import pytest
from judging import ALL, place, releases

from tflint import checks
from tflint.fixtures.builder import Graph
from tflint.linter.delegate.failure import Fault
from tflint.linter.delegate.placement import Verdict

CHECKS = Path(checks.__file__).parent


def transpose(*permutation: int) -> Graph:
    g = Graph()
    g.output(g.op("TRANSPOSE", g.input([1, 4, 8]), g.const(list(permutation), type="INT32"), out=[1, 8, 4]))
    return g


def convolution(bias: str) -> Graph:
    g = Graph()
    b = g.input([4], name="b") if bias == "runtime" else g.const(shape=[4], fill=0.5)
    w = g.const(shape=[4, 1, 1, 8], fill=0.5)
    y = g.op("CONV_2D", g.input([1, 4, 4, 8]), w, b, out=[1, 4, 4, 4], padding="SAME", stride_w=1, stride_h=1)
    g.output(y)
    return g


def test_a_runtime_bias_beside_constant_weights() -> None:
    assert releases(convolution("runtime"), "kernel-creation") == ALL
    assert place(convolution("runtime")).verdict is Verdict.FAILS
    assert releases(convolution("constant"), "kernel-creation") == ()


def test_a_negative_axis_in_a_permutation() -> None:
    assert "2.3.0" in releases(transpose(0, -1, 1), "kernel-creation")
    assert releases(transpose(0, 2, 1), "kernel-creation") == ()


@pytest.mark.parametrize("fault", list(Fault))
def test_every_fault_is_explained_by_a_rule(fault: Fault) -> None:
    claims = [
        path.name for path in CHECKS.glob("[!_]*.py") if f"Fault.{fault.name}" in path.read_text(encoding="utf-8")
    ]
    assert claims
