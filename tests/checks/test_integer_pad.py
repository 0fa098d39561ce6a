from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "integer-pad"


def test_message() -> None:
    assert spoken_of(RULE, "channels") == snapshot("""\
0/0:PAD: error: PAD of input_0, which is INT32, comes back as zeros [integer-pad]
  help: CONCATENATION with constants, or CAST to FLOAT32, PAD, CAST back: exact\
""")


@pytest.mark.parametrize("name", ["FLOAT32", "FLOAT16", "INT8 quantized", "MIRROR_PAD", "joined"])
def test_other_types_and_operators(name: str) -> None:
    assert spoken_of(RULE, name) == ""
