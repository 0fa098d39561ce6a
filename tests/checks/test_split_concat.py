from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def joined(reverse: bool, axis: int = 3) -> Graph:
    g = Graph()
    parts = g.op("SPLIT", g.const([3], type="INT32"), g.op("TANH", g.input(SHAPE)), num_splits=2)
    out = list(parts[0].shape or ())
    out[axis] *= 2
    g.output(g.op("CONCATENATION", *(reversed(parts) if reverse else parts), axis=axis, out=out))
    return g


def test_both_sides() -> None:
    assert releases(joined(reverse=True), "split-concat") == ALL
    assert releases(joined(reverse=False, axis=2), "split-concat") == ALL
    assert releases(joined(reverse=False), "split-concat") == ()
