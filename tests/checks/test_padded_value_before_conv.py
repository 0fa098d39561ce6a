from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "padded-value-before-conv"


def test_message() -> None:
    assert spoken_of(RULE, "CONV_2D") == snapshot("""\
0/1:CONV_2D: error: CONV_2D pads with 0 instead of 1.5: the PADV2 before it is folded into it [padded-value-before-conv]
  help: pad with 0 around the shifted values, ADD(PAD(SUB(x, v)), v), or CONCATENATION with constants: both exact\
""")
