from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "constant-strided-slice"


def test_message() -> None:
    assert spoken_of(RULE, "rank 2") == snapshot("""\
0/0:STRIDED_SLICE: error: STRIDED_SLICE of the constant const_0 [4, 8] comes back as zeros [constant-strided-slice]
  help: store the slice as a constant of its own: exact\
""")


def test_float16_behind_dequantize() -> None:
    assert "const_0 [1, 4, 4, 8]" in spoken_of(RULE, "FLOAT16")


def test_runtime_data() -> None:
    assert spoken_of(RULE, "runtime") == ""
