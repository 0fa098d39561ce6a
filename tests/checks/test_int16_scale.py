from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "int16-scale"


def test_message() -> None:
    assert spoken_of(RULE, "ADD of one scale") == snapshot("""\
0/0:ADD: error: ADD takes the INT16 values of input_0 for plain integers, without their scale [int16-scale]
  help: quantize with 8-bit activations, or leave the activations float\
""")
