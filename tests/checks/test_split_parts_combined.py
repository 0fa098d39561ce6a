from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "split-parts-combined"


def test_message() -> None:
    assert spoken_of(RULE, "SUB 01") == snapshot("""\
0/2:SUB: error: SUB of two parts of one SPLIT (split_3 and split_4) reads what it writes [split-parts-combined]
  help: take the parts with SLICE instead of SPLIT (`x[:, :c]`, `x[:, c:]`): exact on every release\
""")


def test_through_elementwise_operators() -> None:
    assert spoken_of(RULE, "GEGLU") == snapshot("""\
0/3:MUL: error: MUL of two parts of one SPLIT (gelu_5 and split_4) reads what it writes [split-parts-combined]
  help: take the parts with SLICE instead of SPLIT (`x[:, :c]`, `x[:, c:]`): exact on every release\
""")
