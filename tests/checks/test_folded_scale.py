from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "folded-scale"


def test_groups() -> None:
    assert spoken_of(RULE, "groups") == snapshot("""\
0/0:MUL: error: a scale for each channel goes into the weights of a convolution of 2 groups by its place in the group [folded-scale]
  help: put MUL by a runtime 1 between the two, or fold the constant into the weights before export\
""")


def test_a_wider_constant() -> None:
    assert spoken_of(RULE, "wider, MUL behind") == snapshot("""\
0/1:MUL: error: a constant of 8 channels beside CONV_2D widens 1 channel wrongly [folded-scale]
  help: put MUL by a runtime 1 between the two, or fold the constant into the weights before export\
""")
