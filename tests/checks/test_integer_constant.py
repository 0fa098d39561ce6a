from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "integer-constant"


def test_beside_a_batch_of_1() -> None:
    assert spoken_of(RULE, "LOGICAL_AND with a vector") == snapshot("""\
0/0:LOGICAL_AND: error: LOGICAL_AND takes the first axis of constant const_1 [8] for the batch of input_0 [1, 4, 4, 8]: its result is never written [integer-constant]
  help: store the constant at rank 4, [1, 1, 1, 8]: exact\
""")


def test_beside_a_batch() -> None:
    assert spoken_of(RULE, "rank 3 with a batch") == snapshot("""\
0/0:ADD: error: ADD takes the first axis of constant const_1 [4, 8] for the batch of input_0 [2, 4, 8]: its values are combined wrongly [integer-constant]
  help: store the constant at rank 3, [1, 4, 8]: exact\
""")
