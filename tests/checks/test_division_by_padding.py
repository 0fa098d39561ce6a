from __future__ import annotations

import numpy as np
from inline_snapshot import snapshot
from judging import found
from recorded import spoken_of

from tflint.fixtures.builder import Graph
from tflint.fixtures.hazards.parts import conv, dense

RULE = "division-by-padding"


def test_message() -> None:
    assert spoken_of(RULE, "image norm") == snapshot("""\
0/1:DIV: error: DIV of 3 channels divides by the zeros behind the last, and CONV_2D 2 adds that up: all of its result is not-a-number [division-by-padding]
  help: MUL by the reciprocals of a constant divisor; MAXIMUM of a runtime divisor and a small constant in front\
""")
    assert spoken_of(RULE, "RSQRT, RELU") == snapshot("""\
0/2:RSQRT: error: RSQRT of 5 channels divides by the zeros behind the last, and CONV_2D 4 adds that up: all of its result is not-a-number [division-by-padding]
  help: ADD a small constant in front of RSQRT\
""")


def test_a_division_is_told_once() -> None:
    g = Graph()
    x = g.op("DIV", g.input([1, 4, 4, 3]), np.ones(3, np.float32))
    g.output(conv(g, x), dense(g, g.op("ABS", x)))
    assert len(found(g, RULE)) == 1


def test_what_the_cpu_divides_is_right() -> None:
    """L2_NORMALIZATION runs on the CPU, which writes zeros behind the last channel."""
    g = Graph()
    x = g.op("DIV", g.input([1, 4, 4, 3]), np.ones(3, np.float32))
    g.output(conv(g, g.op("L2_NORMALIZATION", x)))
    assert found(g, RULE, accelerators="gpu,cpu") == ()
