from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def of_version(version: int) -> Graph:
    g = Graph(version=version)
    g.output(g.op("ABS", g.input([1, 4, 4, 8], name="x")))
    return g


@pytest.mark.parametrize(("version", "expected"), [(2, ALL), (4, ALL), (3, ())])
def test_the_schema_version(version: int, expected: tuple[str, ...]) -> None:
    assert releases(of_version(version), "malformed-model") == expected


def test_message() -> None:
    assert spoken(found(of_version(2), "malformed-model")) == snapshot("""\
error: Model provided is schema version 2 not equal to supported version 3. [malformed-model]
  help: convert the model again with a current converter\
""")


def reads(*, written: bool) -> Graph:
    """An ADD whose second operand a TANH writes, if the TANH is there."""
    g = Graph()
    x = g.input([1, 4])
    g.output(g.op("ADD", x, g.op("TANH", x, name="hidden")))
    if not written:
        del g.operators[0]
    return g


def test_a_tensor_that_nothing_writes() -> None:
    assert spoken(found(reads(written=False), "malformed-model")) == snapshot("""\
0/0:ADD: error: nothing writes hidden: the first run fails with `Input tensor 1 lacks data` [malformed-model]
  help: convert the model again: the tensor's data, or the operator that writes it, is missing\
""")
    assert found(reads(written=True), "malformed-model") == ()


def test_a_tensor_in_another_file_is_written_there() -> None:
    g = Graph()
    weights = g.const(shape=[1, 4], external=g.external_buffer(16), name="w")
    g.output(g.op("ADD", g.input([1, 4]), weights))
    assert found(g, "malformed-model") == ()
