from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph


def attention(mask: list[int], producer: str = "BATCH_MATMUL") -> Graph:
    g = Graph()
    q, k = g.input([1, 4, 6, 8]), g.input([1, 4, 8, 6])
    scores = g.op("BATCH_MATMUL", q, k, out=[1, 4, 6, 6], name="scores")
    if producer != "BATCH_MATMUL":
        scores = g.op(producer, scores)
    g.output(g.op("ADD", scores, g.input(mask, name="mask"), out=[1, 4, 6, 6]))
    return g


def test_only_where_it_was_reported() -> None:
    rule = "batch-matmul-broadcast-add"
    assert releases(attention([1, 1, 6, 6]), rule, "opencl") == ("2.1.3", "2.1.4", "2.1.5")
    assert releases(attention([1, 1, 6, 6]), rule, "webgpu") == ()
    assert releases(attention([1, 1, 6, 6]), rule, "metal") == ()


@pytest.mark.parametrize("twin", [attention([1, 4, 6, 6]), attention([1, 1, 6, 6], "ABS")])
def test_near_misses(twin: Graph) -> None:
    assert releases(twin, "batch-matmul-broadcast-add", "opencl") == ()


def test_message() -> None:
    assert spoken(found(attention([1, 1, 6, 6]), "batch-matmul-broadcast-add", "2.1.5", "opencl")) == snapshot("""\
0/1:ADD: warning: the mask mask [1, 1, 6, 6] is misread against the scores [1, 4, 6, 6] [batch-matmul-broadcast-add]
  help: expand the mask to [1, 4, 6, 6]: exact\
""")
