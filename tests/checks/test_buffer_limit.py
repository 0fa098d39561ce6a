from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph


def table(rows: int) -> Graph:
    """A GATHER from a table stored behind the flatbuffer, as sparse zeros."""
    g = Graph()
    data = g.const(shape=[rows, 1024], data=bytes(rows * 4096), name="table")
    g.output(g.op("GATHER", data, g.input([1], type="INT32"), axis=0, out=[1, 1024]))
    return g


def test_above_the_guaranteed_binding() -> None:
    assert spoken(found(table(32769), "buffer-limit")) == snapshot("""\
0/0:GATHER: warning: constant table takes 134221824 bytes, above the 134217728 that WebGPU guarantees to bind [buffer-limit]
  help: split it, quantize it (FLOAT16 halves, INT8 quarters its size), or look it up in the application\
""")


@pytest.mark.parametrize("rows", [32768])
def test_at_the_limit_it_is_silent(rows: int) -> None:
    assert found(table(rows), "buffer-limit") == ()


def test_an_external_buffer_that_is_not_described() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([8]), g.const(shape=[8], external=7, name="w")))
    assert spoken(found(g, "buffer-limit")) == snapshot("""\
0/0:ADD: error: w lies in external buffer 7, which the file does not describe [buffer-limit]
  help: write the file and its external buffers again, together\
""")
