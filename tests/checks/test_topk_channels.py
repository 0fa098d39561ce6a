from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def topk(shape: list[int], k: int) -> Graph:
    g = Graph()
    out = [*shape[:-1], k]
    values, indices = g.op("TOPK_V2", g.input(shape, name="x"), g.const(k, type="INT32"), out=[out, out])
    g.output(values, indices)
    return g


@pytest.mark.parametrize("channels", [5, 6, 7, 9])
def test_the_tail_is_missed(channels: int) -> None:
    assert releases(topk([1, 3, 4, channels], 2), "topk-channels") == ALL


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_fewer_than_four_channels_kill_the_process(channels: int) -> None:
    assert releases(topk([1, 3, 4, channels], 1), "topk-channels") == ALL
    assert {finding.kind.value for finding in found(topk([1, 3, 4, channels], 1), "topk-channels")} == {"load"}


def test_multiples_of_four_are_right() -> None:
    assert releases(topk([1, 3, 4, 8], 4), "topk-channels") == ()


def test_more_than_four_entries_up_to_2_1_4() -> None:
    assert releases(topk([1, 3, 4, 12], 5), "topk-channels") == ALL[:3]


def test_message() -> None:
    assert spoken(found(topk([1, 3, 4, 5], 2), "topk-channels")) == snapshot("""\
0/0:TOPK_V2: error: TOPK_V2 over 5 channels misses the tail of the axis [topk-channels]
  help: CONCATENATION with a constant of -1e9 up to a multiple of 4 channels: exact for k <= 4\
""")
