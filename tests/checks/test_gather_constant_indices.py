from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def gather(constant: bool) -> Graph:
    g = Graph()
    ids = g.const([0, 2], type="INT32", name="ids") if constant else g.input([2], type="INT32", name="ids")
    g.output(g.op("GATHER", g.input([1, 4, 4, 8], name="x"), ids, axis=1, out=[1, 2, 4, 8]))
    return g


def test_both_sides() -> None:
    assert releases(gather(constant=True), "gather-constant-indices") == ALL[:-1]
    assert releases(gather(constant=False), "gather-constant-indices") == ()


@pytest.mark.parametrize("litert", ["2.2.0"])
def test_message(litert: str) -> None:
    assert spoken(found(gather(constant=True), "gather-constant-indices", litert)) == snapshot("""\
0/0:GATHER: error: INVALID_ARGUMENT: Unable to parse bc coord for BATCH axis. Layout is bhwc, args are 0, 0, slice_coord_TMP. [gather-constant-indices]
  help: take the slices and CONCATENATION them (exact), feed the indices at run time, or run it on 2.3.0\
""")
