from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def reverse(shape: list[int], axis: int) -> Graph:
    g = Graph()
    g.output(g.op("REVERSE_V2", g.input(shape, name="x"), g.const([axis], type="INT32")))
    return g


@pytest.mark.parametrize("channels", [5, 6, 7, 9])
def test_channels_off_four(channels: int) -> None:
    assert releases(reverse([1, 3, 4, channels], 3), "reverse-channels") == ALL
    assert releases(reverse([1, 3, 4, channels], -1), "reverse-channels") == ALL


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 8, 12])
def test_few_channels_and_multiples_of_four(channels: int) -> None:
    assert releases(reverse([1, 3, 4, channels], 3), "reverse-channels") == ()


def test_another_axis() -> None:
    assert releases(reverse([1, 3, 4, 5], 2), "reverse-channels") == ()


def test_message() -> None:
    assert spoken(found(reverse([1, 3, 4, 5], 3), "reverse-channels")) == snapshot("""\
0/0:REVERSE_V2: error: REVERSE_V2 over 5 channels leaves a part of the result zero [reverse-channels]
  help: TRANSPOSE the channels to the width, reverse there, TRANSPOSE back: exact\
""")
