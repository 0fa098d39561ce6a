from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, place, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


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


def image(height: int, channels: int) -> Graph:
    g = Graph()
    g.output(g.op("MEAN", g.op("TANH", g.input([1, height, 256, channels], name="image")), [1, 2], out=[1, channels]))
    return g


@pytest.mark.parametrize(("channels", "fits"), [(1024, 1024), (1021, 1024), (1025, 1020)])
def test_a_runtime_tensor_larger_than_a_buffer(channels: int, fits: int) -> None:
    """Channels count in fours."""
    assert found(image(fits, channels), "buffer-limit") == ()
    assert found(image(fits + 1, channels), "buffer-limit") != ()


def test_message_of_a_runtime_tensor() -> None:
    assert spoken(found(image(2048, 1024), "buffer-limit")) == snapshot("""\
0/0:TANH: error: Requested allocation size - 2147483648 bytes. Max allocation size for this GPU - 1073741824 bytes. [buffer-limit]
  help: run the model on smaller pieces: tiles, or parts of the batch\
""")
    assert place(image(2048, 1024)).verdict is Verdict.FAILS
