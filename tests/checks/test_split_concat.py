from __future__ import annotations

from inline_snapshot import snapshot
from judging import place
from recorded import of, spoken_of

from tflint.linter.delegate.placement import Verdict

RULE = "split-concat"


def test_messages() -> None:
    assert spoken_of(RULE, "other order") == snapshot("""\
0/2:CONCATENATION: error: SPLIT and CONCATENATION are taken for an identity: the parts come out in the original order [split-concat]
  help: take the parts with SLICE instead of SPLIT: exact on every release\
""")
    assert spoken_of(RULE, "other axis") == snapshot("""\
0/2:CONCATENATION: error: SPLIT and CONCATENATION are taken for an identity, although they go along different axes: half of the result is 0 [split-concat]
  help: take the parts with SLICE instead of SPLIT: exact on every release\
""")
    assert spoken_of(RULE, "same order, read elsewhere") == snapshot("""\
0/2:CONCATENATION: error: SPLIT and CONCATENATION are taken for an identity in place of tanh_1, which SOFTMAX reads too: it is never written [split-concat]
  help: take the parts with SLICE instead of SPLIT: exact on every release\
""")


def test_a_graph_input_cannot_be_created() -> None:
    assert spoken_of(RULE, "graph input, same order") == snapshot("""\
0/1:CONCATENATION: error: NOT_FOUND: Output id not found [split-concat]
  help: take the parts with SLICE, which is exact; drop both operators if they change nothing\
""")
    case = of(RULE, "graph input, same order")
    assert place(case.model).verdict is Verdict.FAILS
