from __future__ import annotations

from inline_snapshot import snapshot
from judging import place
from recorded import of, spoken_of

from tflint.linter.delegate.placement import Verdict

RULE = "variance-by-squares"


def test_message() -> None:
    assert spoken_of(RULE, "by MUL") == snapshot("""\
0/9:MUL: error: the process dies while the operators of the norm are made one [variance-by-squares]
  help: write the variance as the mean of (x - mean)²: exact, and one kernel on the GPU\
""")
    case = of(RULE, "by MUL")
    assert place(case.model).verdict is Verdict.FAILS
