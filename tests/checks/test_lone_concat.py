from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "lone-concat"


def test_message() -> None:
    assert spoken_of(RULE, "input of rank 4") == snapshot("""\
0/0:CONCATENATION: error: CONCATENATION of input_0 alone: its shader does not compile, and its result is not written [lone-concat]
  help: drop it: it copies its operand\
""")
