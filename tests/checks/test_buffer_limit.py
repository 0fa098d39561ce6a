from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, place, spoken

from tflint import checks
from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Placer, Verdict
from tflint.linter.engine import lint_model
from tflint.linter.findings import Finding
from tflint.linter.model import Model
from tflint.linter.reader import read
from tflint.linter.targets import Target

RULE = "buffer-limit"
MIB = 1 << 20


def table(rows: int) -> Graph:
    """A GATHER from a table stored behind the flatbuffer, as sparse zeros."""
    g = Graph()
    data = g.const(shape=[rows, 1024], data=bytes(rows * 4096), name="table")
    g.output(g.op("GATHER", data, g.input([1], type="INT32"), axis=0, out=[1, 1024]))
    return g


def outside(length: int, *, name: str = "weights.bin", packing: str | None = None, rows: int = 2) -> Graph:
    """An ADD of a FLOAT32 constant of 8 columns that lies in another file."""
    g = Graph()
    buffer = g.external_buffer(length, group=name, packing=packing)
    g.output(g.op("ADD", g.input([rows, 8]), g.const(shape=[rows, 8], external=buffer, name="w")))
    return g


def of(model: Model, backend: str = "webgpu") -> tuple[Finding, ...]:
    (result,) = lint_model(model, [Target("2.3.0", backend)], checks.some([RULE]))
    return result.findings


def test_above_the_guaranteed_binding() -> None:
    model = table(32769).build()
    assert spoken(found(model, RULE)) == snapshot("""\
0/0:GATHER: warning: constant table takes 134221824 bytes, above the 134217728 that WebGPU guarantees to bind [buffer-limit]
  help: split it, quantize it (FLOAT16 halves, INT8 quarters its size), or look it up in the application\
""")
    assert found(model, RULE, backend="opencl") == ()
    assert found(model, RULE, backend="metal") == ()


def test_at_the_limit_it_is_silent() -> None:
    assert found(table(32768), RULE) == ()


@pytest.mark.parametrize(
    ("length", "backends"), [(1024 * MIB, ["webgpu"]), (1025 * MIB, ["webgpu", "opencl", "metal"])]
)
def test_one_allocation_on_a_phone(length: int, backends: list[str]) -> None:
    """The size of an external buffer counts too."""
    model = outside(length, rows=4).build()
    assert [backend for backend in ("webgpu", "opencl", "metal") if found(model, RULE, backend=backend)] == backends


def test_an_external_buffer_that_is_not_described() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([8]), g.const(shape=[8], external=7, name="w")))
    assert spoken(found(g, RULE)) == snapshot("""\
0/0:ADD: error: w lies in external buffer 7, which the file does not describe [buffer-limit]
  help: write the file and its external buffers again, together\
""")


def test_an_external_buffer_that_is_too_short() -> None:
    assert spoken(found(outside(63), RULE)) == snapshot("""\
0/0:ADD: error: w takes 64 bytes, and external buffer 1 holds 63 [buffer-limit]
  help: write the file and its external buffers again, together\
""")


def test_an_external_buffer_in_a_file_without_a_name() -> None:
    (finding,) = found(outside(64, name=""), RULE)
    assert "whose file has no name" in finding.message


@pytest.mark.parametrize("twin", [outside(64), outside(65), outside(32, packing="int4")])
def test_external_buffers_that_hold_their_tensor(twin: Graph) -> None:
    assert found(twin, RULE) == ()


def test_the_first_description_of_a_buffer_counts() -> None:
    """As in the runtime, whose table keeps what it has."""
    model = read(outside(64).build())
    (buffer,) = model.external_buffers
    short = buffer._replace(length=1)
    assert of(model._replace(external_buffers=(buffer, short))) == ()
    assert len(of(model._replace(external_buffers=(short, buffer)))) == 1


def test_two_gigabytes() -> None:
    """A file of that size is not made: only its size is told."""
    model = read(outside(64).build())
    assert of(model._replace(size=(1 << 31) - 1)) == ()
    (finding,) = of(model._replace(size=1 << 31))
    assert (finding.severity.value, finding.place) == ("error", None)
    assert "the flatbuffer has 2147483648 bytes" in finding.message


def test_two_gigabytes_of_weights_behind_the_flatbuffer() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([8]), g.const([0.0] * 8, outside=True)))
    model = read(g.build())._replace(size=1 << 31)
    (finding,) = of(model)
    assert (finding.severity.value, "a browser loads" in finding.message) == ("info", True)


def test_the_model_of_the_tests_loads() -> None:
    """The twins are right for no other reason than the one under test."""
    assert not Placer(read(outside(64).build())).place("2.3.0").failures


def image(height: int, channels: int) -> Graph:
    g = Graph()
    g.output(g.op("MEAN", g.op("TANH", g.input([1, height, 256, channels], name="image")), [1, 2], out=[1, channels]))
    return g


@pytest.mark.parametrize(("channels", "fits"), [(1024, 1024), (1021, 1024), (1025, 1020)])
def test_a_runtime_tensor_larger_than_a_buffer(channels: int, fits: int) -> None:
    """Channels count in fours."""
    assert found(image(fits, channels), RULE) == ()
    assert found(image(fits + 1, channels), RULE) != ()


def test_message_of_a_runtime_tensor() -> None:
    assert spoken(found(image(2048, 1024), RULE)) == snapshot("""\
0/0:TANH: error: Requested allocation size - 2147483648 bytes. Max allocation size for this GPU - 1073741824 bytes. [buffer-limit]
  help: run the model on smaller pieces: tiles, or parts of the batch\
""")
    assert place(image(2048, 1024)).verdict is Verdict.FAILS
