from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found
from recorded import of, spoken_of

from tflint.linter.settings import Settings

RULE = "argmax-channels"


def test_message() -> None:
    assert spoken_of(RULE, "[2, 3, 4, 5] along 3") == snapshot("""\
0/2:ARG_MAX: warning: ARG_MAX over 5 channels answers an index past the end where every value is below 0 [argmax-channels]
  help: CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact\
""")


@pytest.mark.parametrize("name", ["of SOFTMAX", "of SOFTMAX of nothing positive", "of scores copied", "of RELU"])
def test_values_that_are_never_below_what_stands_behind_them(name: str) -> None:
    assert spoken_of(RULE, name) == ""


@pytest.mark.parametrize("name", ["of EXP", "of LOGISTIC", "of a sum above RELU"])
def test_what_operators_make_of_the_padding_counts(name: str) -> None:
    """RELU of x + 3 leaves 3 behind the last channel, and its values may be 0."""
    assert "ARG_MAX" in spoken_of(RULE, name)


def test_a_stated_range_counts() -> None:
    model = of(RULE, "any values").model
    assert found(model, RULE, settings=Settings(input_ranges=(("input_0", -1.0, 1.0),)))
    assert found(model, RULE, settings=Settings(input_ranges=(("input_0", 0.0, 1.0),))) == ()
