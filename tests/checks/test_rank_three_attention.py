from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def attention(heads: int, rank: int = 3, softmax: bool = True) -> Graph:
    g = Graph()
    lead = [heads] if rank == 3 else [1, heads]
    q, k = g.input([*lead, 6, 8]), g.input([*lead, 8, 6])
    scores = g.op("BATCH_MATMUL", q, k, out=[*lead, 6, 6], name="scores")
    scaled = g.op("MUL", scores, g.const(0.35))
    g.output(g.op("SOFTMAX" if softmax else "ABS", scaled))
    return g


def test_only_where_it_was_reported() -> None:
    assert releases(attention(4), "rank-three-attention", "opencl") == ALL[1:]
    assert releases(attention(4), "rank-three-attention", "webgpu") == ()


@pytest.mark.parametrize("twin", [attention(1), attention(4, rank=4), attention(4, softmax=False)])
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, "rank-three-attention", "opencl") == ()


def test_message() -> None:
    assert spoken(found(attention(4), "rank-three-attention", "2.1.6", "opencl")) == snapshot("""\
0/0:BATCH_MATMUL: warning: attention scores [4, 6, 6] keep 4 heads on the batch axis [rank-three-attention]
  help: RESHAPE queries, keys and values to rank 4, [1, 4, …]: exact\
""")
