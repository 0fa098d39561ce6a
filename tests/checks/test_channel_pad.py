from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph

UP_TO_2_2_0 = ALL[:-1]


def padded(
    step: str | None = "EXP", channels: int = 3, before: int = 0, after: int = 1, value: float | None = None
) -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, channels], name="x")
    if step is not None:
        x = g.op(step, x)
    amounts = [[0, 0], [0, 0], [0, 0], [before, after]]
    g.output(g.op("PAD", x, amounts) if value is None else g.op("PADV2", x, amounts, np.float32(value)))
    return g


def joined(zeros: float = 0.0, first: bool = False) -> Graph:
    g = Graph()
    parts = [g.op("EXP", g.input([1, 4, 4, 3], name="x")), g.const(np.full((1, 4, 4, 1), zeros, np.float32))]
    g.output(g.op("CONCATENATION", *(reversed(parts) if first else parts), axis=3))
    return g


@pytest.mark.parametrize(
    "fault", [padded(), padded(before=4), padded(after=9), padded(None, value=2.0), padded(value=0.0), joined()]
)
def test_what_stands_behind_the_last_channel_is_shown(fault: Graph) -> None:
    assert releases(fault, "channel-pad") == UP_TO_2_2_0


@pytest.mark.parametrize(
    "twin",
    [
        padded(None),
        padded("TANH"),
        padded(channels=4),
        padded(before=1),
        padded(before=4, after=0),
        padded(value=1.0),
        joined(2.0),
        joined(first=True),
    ],
)
def test_near_misses_are_right(twin: Graph) -> None:
    assert releases(twin, "channel-pad") == ()


def test_message() -> None:
    assert spoken(found(padded(), "channel-pad", "2.2.0")) == snapshot("""\
0/1:PAD: error: channels that PAD adds to 3 are 1, not 0 [channel-pad]
  help: CONCATENATION with channels that are computed, such as `x[:, :1] * 0`: exact\
""")


def test_what_is_not_known_is_a_warning() -> None:
    g = Graph()
    x = g.op("STRIDED_SLICE", g.input([1, 4, 4, 8], name="x"), [0, 0, 0, 0], [1, 4, 4, 8], [1, 1, 1, 3])
    g.output(g.op("PAD", x, [[0, 0], [0, 0], [0, 0], [0, 1]]))
    assert spoken(found(g, "channel-pad", "2.2.0")) == snapshot("""\
0/1:PAD: warning: channels that PAD adds to 3 may be what stands behind the last one, not 0 [channel-pad]
  help: CONCATENATION with channels that are computed, such as `x[:, :1] * 0`: exact\
""")
