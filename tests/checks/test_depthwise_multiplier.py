from __future__ import annotations

import numpy as np
import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def depthwise(channels: int = 4, multiplier: int = 2, kernel: int = 1, alike: bool = False) -> Graph:
    g = Graph()
    out = channels * multiplier
    filters = np.arange(out * kernel * kernel, dtype=np.float32).reshape(1, kernel, kernel, out)
    w = g.const(np.ones_like(filters) if alike else filters, name="w")
    x = g.input([1, 4, 4, channels], name="x")
    g.output(
        g.op("DEPTHWISE_CONV_2D", x, w, np.zeros(out, np.float32), depth_multiplier=multiplier, out=[1, 4, 4, out])
    )
    return g


def test_the_weights_of_other_channels_are_used() -> None:
    assert releases(depthwise(), "depthwise-multiplier") == ALL
    assert spoken(found(depthwise(), "depthwise-multiplier")) == snapshot("""\
0/0:DEPTHWISE_CONV_2D: error: the 2 weights of each of the 4 channels are read in another order [depthwise-multiplier]
  help: pad the weights to 3x3 with zeros, and the data by 1 on each side: exact\
""")


@pytest.mark.parametrize(
    "twin", [depthwise(multiplier=1), depthwise(channels=1), depthwise(kernel=3), depthwise(alike=True)]
)
def test_near_misses_are_right(twin: Graph) -> None:
    assert releases(twin, "depthwise-multiplier") == ()
