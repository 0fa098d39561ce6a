from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def argmax(channels: int, axis: int = 3, producer: str | None = None) -> Graph:
    g = Graph()
    x = g.input([1, 3, 4, channels], name="x")
    if producer is not None:
        x = g.op(producer, x)
    out = [extent for number, extent in enumerate([1, 3, 4, channels]) if number != axis % 4]
    g.output(g.op("ARG_MAX", x, g.const(axis, type="INT32"), out=out, type="INT32"))
    return g


@pytest.mark.parametrize("channels", [3, 5, 10])
def test_padding_takes_part(channels: int) -> None:
    assert releases(argmax(channels), "argmax-channels") == ALL
    assert found(argmax(channels), "argmax-channels")[0].severity.value == "warning"


def test_multiples_of_four_and_other_axes_are_right() -> None:
    assert releases(argmax(8), "argmax-channels") == ()
    assert releases(argmax(5, axis=2), "argmax-channels") == ()


@pytest.mark.parametrize("producer", ["RELU", "SOFTMAX", "LOGISTIC"])
def test_values_that_cannot_be_negative(producer: str) -> None:
    assert releases(argmax(5, producer=producer), "argmax-channels") == ()


def test_message() -> None:
    assert spoken(found(argmax(5), "argmax-channels")) == snapshot("""\
0/0:ARG_MAX: warning: ARG_MAX over 5 channels answers an index past the end where every value is negative [argmax-channels]
  help: CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact\
""")
