from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "max-of-sum"


def test_message() -> None:
    assert spoken_of(RULE, "REDUCE_MAX of the map") == snapshot("""\
0/1:REDUCE_MAX: warning: the maximum of a sum starts from the first element of input_1 alone: wrong where that is greater than every sum [max-of-sum]
  help: put MUL by a runtime 1 between ADD and the reduction, or take MAX_POOL_2D over the whole map\
""")
    assert spoken_of(RULE, "REDUCE_MIN of the height") == snapshot("""\
0/1:REDUCE_MIN: warning: the minimum of a sum starts from the first element of input_1 alone: wrong where that is less than every sum [max-of-sum]
  help: put MUL by a runtime 1 between ADD and the reduction, or take MAX_POOL_2D over the whole map\
""")


def test_a_first_operand_that_cannot_be_negative_is_right() -> None:
    assert spoken_of(RULE, "REDUCE_MAX, first not negative") == ""
    assert spoken_of(RULE, "REDUCE_MAX, second not negative") != ""
