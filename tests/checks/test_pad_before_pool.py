from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "pad-before-pool"


def test_an_average() -> None:
    assert spoken_of(RULE, "AVERAGE") == snapshot("""\
0/1:AVERAGE_POOL_2D: error: the average leaves out the padding before it ([1, 1] of height, [1, 1] of width): it divides by the real values alone [pad-before-pool]
  help: average with a DEPTHWISE_CONV_2D of weights 1/(k·k), or keep PAD and pool apart: RELU between them where nothing is negative, MUL by a runtime 1 otherwise\
""")
    assert spoken_of(RULE, "AVERAGE of padding alone") == snapshot("""\
0/1:AVERAGE_POOL_2D: error: the average leaves out the padding before it ([2, 2] of height, [2, 2] of width): it divides by the real values alone, and where it reads nothing else the result is NaN [pad-before-pool]
  help: average with a DEPTHWISE_CONV_2D of weights 1/(k·k), or keep PAD and pool apart: RELU between them where nothing is negative, MUL by a runtime 1 otherwise\
""")


def test_a_maximum() -> None:
    assert spoken_of(RULE, "MAX of nothing positive") == snapshot("""\
0/3:MAX_POOL_2D: warning: the maximum leaves out the padding before it ([1, 1] of height, [1, 1] of width): wrong where every real value is below 0 [pad-before-pool]
  help: keep PAD and pool apart: MUL by a runtime 1 between them, or pad with CONCATENATION on both sides at once\
""")
    assert spoken_of(RULE, "MAX of padding alone") == snapshot("""\
0/2:MAX_POOL_2D: error: a window reads only the padding before it ([2, 2] of height, [2, 2] of width): the maximum is -10000, not 0 [pad-before-pool]
  help: keep PAD and pool apart: MUL by a runtime 1 between them, or pad with CONCATENATION on both sides at once\
""")


@pytest.mark.parametrize("name", ["MAX of nothing negative", "MAX, lowest value"])
def test_silent_where_the_padding_decides_nothing(name: str) -> None:
    assert spoken_of(RULE, name) == ""
