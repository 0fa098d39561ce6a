"""Large models and unusual ones: time and memory follow the graph, not the weights, and nothing is too odd to judge."""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import measured
from fuzz.limits import within_limits
from weights import dense, stretched

from tflint import checks, lint
from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.delegate.placement import Verdict
from tflint.linter.engine import lint_bytes
from tflint.linter.flatbuffer import Flatbuffer
from tflint.linter.reader import read
from tflint.linter.results import ModelResult
from tflint.linter.targets import LATEST, Target

GB, MIB = 1 << 30, 1 << 20
MOST_MEMORY = 64 * MIB


@pytest.mark.skipif(sys.platform != "linux", reason="sparse files, and memory as /proc tells it")
class TestWeights:
    @pytest.mark.parametrize(
        ("size", "outside"), [(GB, False), (GB, True), (2**31 - 4096, False), (2400 << 20, True), (5 * GB, True)]
    )
    def test_they_are_not_read(self, tmp_path: Path, size: int, outside: bool) -> None:
        path = stretched(tmp_path / "model.tflite", dense(size // 4096, outside=outside), size)
        outcome, held = measured(path, "--format", "json", "--litert", "all", "--report", tmp_path / "report.md")
        (model,) = json.loads(outcome.stdout)["models"]
        assert model["error"] is None, model
        assert model["size"] == path.stat().st_size > size
        assert held <= MOST_MEMORY, f"{held / MIB:.0f} MiB"
        assert outcome.status in (0, 1)

    def test_they_are_not_read_where_thousands_of_constants_lie_between(self, tmp_path: Path) -> None:
        """Buffers of a large model stand between its weights, so each is read alone."""
        g = Graph()
        x = g.input([1, 4])
        for _ in range(2000):
            x = g.op("ADD", x, g.const(shape=[1, 4], data=struct.pack("<4f", 1, 2, 3, 4), outside=True))
        g.output(x)
        data = g.build()
        path = tmp_path / "model.tflite"
        path.write_bytes(data)
        os.truncate(path, GB)
        outcome, held = measured(path, "--format", "json")
        assert json.loads(outcome.stdout)["models"][0]["error"] is None
        assert held <= MOST_MEMORY + 32 * MIB, f"{held / MIB:.0f} MiB"  # its 2,000 operators are held too

    def test_what_is_compared_is_not_kept(self, tmp_path: Path) -> None:
        """Constants of the same bytes are compared to the end."""
        g = Graph()
        x = g.input([1, 512])
        for _ in range(64):
            x = g.op("FULLY_CONNECTED", x, g.const(shape=[512, 512], data=bytes(MIB)))
        g.output(x)
        outcome, held = measured(g.write(tmp_path / "model.tflite"), "--format", "json")
        assert json.loads(outcome.stdout)["models"][0]["error"] is None
        assert held <= MOST_MEMORY, f"{held / MIB:.0f} MiB"

    def test_hashing_reads_them_in_pieces(self, tmp_path: Path) -> None:
        path = stretched(tmp_path / "model.tflite", dense(2**16, outside=False), 2**28)
        outcome, held = measured(path, "--format", "json", "--sha256")
        assert len(json.loads(outcome.stdout)["models"][0]["sha256"]) == 64
        assert held <= MOST_MEMORY, f"{held / MIB:.0f} MiB"

    @pytest.mark.parametrize("offset", [2**40, 2**63, 2**64 - 1])
    def test_what_lies_beyond_the_file_is_refused(self, offset: int) -> None:
        data = bytearray(dense(4, outside=True))
        root = Flatbuffer(bytes(data), len(data)).root()
        at = next(table.where(1) for table in root.tables(4, "buffers") if table.where(1))
        assert at is not None
        struct.pack_into("<Q", data, at, offset)
        (result,) = lint(bytes(data))
        assert result.error is not None
        assert "outside the file" in str(result.error)
        assert result.error.offset == at


def test_pieces_and_the_whole_give_one_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file is read in pieces, tables and vectors across their edges included."""
    g = Graph()
    x = g.input([1, 4], name="i" * 70_000)
    for number in range(400):
        x = g.op("ADD", x, g.const(shape=[1, 4], fill=number, name=f"c{number}" * (number % 40)))
    g.output(x)
    path = g.write(tmp_path / "model.tflite")
    (whole,) = lint(path, litert="all")
    monkeypatch.setattr("tflint.linter.source.WHOLE", 0)
    for size in (1024, 16):
        monkeypatch.setattr("tflint.linter.sparse.BLOCK", size)
        assert lint(path, litert="all") == (whole,)


def judged(data: bytes, seconds: float = 2.0) -> ModelResult:
    results = []
    targets = [Target(LATEST, "webgpu")]
    within_limits(lambda given: results.append(lint_bytes(given, targets, checks.some(checks.TABLE))), data, seconds)
    return results[0]


def wide(operator: str, count: int) -> Graph:
    g = Graph()
    parts = [g.input([1, 1, 1, 2], name=f"p{number}") for number in range(count)]
    g.output(g.op(operator, *parts, out=[1, 1, 1, 2 * count] if operator == "CONCATENATION" else [1, 1, 1, 2]))
    return g


def same_input(count: int) -> Graph:
    g = Graph()
    x = g.input([1, 1, 1, 2])
    g.output(g.op("CONCATENATION", *[x] * count, axis=3, out=[1, 1, 1, 2 * count]))
    return g


def many_readers(count: int) -> Graph:
    g = Graph()
    x = g.op("ABS", g.input([1, 1, 1, 2]))
    g.output(*(g.op("NEG", x) for _ in range(count)))
    return g


def subgraphs(count: int) -> Graph:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4])))
    for _ in range(count):
        body = g.subgraph()
        body.output(body.op("NEG", body.input([1, 4])))
    return g


def nested(depth: int) -> Graph:
    """A branch in a branch in a branch."""
    g = Graph()
    bodies = [g.subgraph() for _ in range(depth)]
    for graph, inner in zip([g, *bodies], [*bodies, None], strict=True):
        test, x = graph.input([], "BOOL"), graph.input([1, 4])
        if inner is None:
            graph.output(graph.op("ABS", x))
        else:
            made = graph.op("IF", test, test, x, then_subgraph_index=inner, else_subgraph_index=inner, out=[[1, 4]])
            graph.output(*made)
    return g


def chain(count: int) -> Graph:
    g = Graph()
    x = g.input([1, 4])
    for number in range(count):
        x = g.op(("ABS", "ADD", "RESHAPE")[number % 3], x, *([x] if number % 3 == 1 else []), out=[1, 4])
    g.output(x)
    return g


def bare() -> Graph:
    return Graph()


def no_operators() -> Graph:
    g = Graph()
    g.output(g.input([1, 4]))
    return g


def one_name() -> Graph:
    g = Graph()
    x = g.input([1, 4], name="x")
    y = g.op("RELU_0_TO_1", x, name="x")
    g.output(g.op("ADD", y, x, name="x"))
    g.signature("a", {"x": x}, {"x": y})
    g.signature("a", {"x": x}, {"x": y})
    return g


def many_signatures(count: int) -> Graph:
    g = Graph()
    x = g.input([1, 4])
    y = g.op("ABS", x)
    g.output(y)
    for number in range(count):
        g.signature(f"s{number}", {"x": x}, {"y": y})
    return g


def newer() -> Graph:
    """Operators, types and options of a schema that is not written yet."""
    g = Graph()
    x = g.op(300, g.input([1, 4], 99), out=[1, 4], type=99)
    g.output(g.op("ADD", x, g.input([1, 4], 77), out=[1, 4], type=99, version=1000))
    return g


def ranks() -> Graph:
    g = Graph()
    g.output(g.op("ABS", g.input([1] * 200)), g.op("ABS", g.input([2**31 - 1] * 200)), g.op("NEG", g.input(None)))
    return g


UNUSUAL: dict[str, Callable[[], Graph]] = {
    "concatenation of thousands": lambda: wide("CONCATENATION", 3000),
    "sum of thousands": lambda: wide("ADD_N", 3000),
    "one tensor thousands of times": lambda: same_input(3000),
    "thousands of readers": lambda: many_readers(1500),
    "hundreds of subgraphs": lambda: subgraphs(400),
    "branches within branches": lambda: nested(150),
    "a chain of thousands": lambda: chain(2000),
    "nothing at all": bare,
    "no operators": no_operators,
    "one name for all": one_name,
    "hundreds of signatures": lambda: many_signatures(500),
    "a later schema": newer,
    "hundreds of dimensions": ranks,
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_models_are_judged(name: str) -> None:
    result = judged(UNUSUAL[name]().build())
    assert result.error is None, result.error


def test_nothing_is_claimed_of_a_later_schema() -> None:
    """Not that it runs on the GPU, and not that it is clean."""
    result = judged(newer().build())
    assert result.targets[0].placement.verdict in (Verdict.UNLOADABLE, Verdict.UNKNOWN, Verdict.NONE)
    assert result.findings


def test_more_dimensions_than_are_computed_with_are_refused() -> None:
    g = Graph()
    g.output(g.op("ABS", g.input([1] * 256)))
    result = judged(g.build())
    assert result.error is not None
    assert "256 dimensions" in str(result.error)


def test_tables_shared_without_end_are_refused() -> None:
    """A few kilobytes of offsets to one subgraph, whose operators are offsets to one operator."""
    from flatbuffers import Builder

    b = Builder(1024)

    def table(slots: int, *fields: tuple[int, int]) -> int:
        b.StartObject(slots)
        for slot, offset in fields:
            b.PrependUOffsetTRelativeSlot(slot, offset, 0)
        made: int = b.EndObject()
        return made

    def vector(*offsets: int) -> int:
        b.StartVector(4, len(offsets), 4)
        for offset in offsets:
            b.PrependUOffsetTRelative(offset)
        made: int = b.EndVector()
        return made

    code = vector(table(4))
    graph = table(5, (3, vector(*[table(4)] * 5000)))
    b.Finish(table(8, (1, code), (2, vector(*[graph] * 5000))), b"TFL3")
    result = judged(bytes(b.Output()), seconds=1.0)
    assert result.error is not None
    assert "more tables" in str(result.error)


def test_names_shared_by_all_tensors_are_read() -> None:
    """Writers store a text once. What the budgets refuse is not that."""
    data = chain(500).build()
    spread = bytearray(data)
    (graph,) = Flatbuffer(data, len(data)).root().tables(2, "")
    tensors = list(graph.tables(0, ""))
    start = len(spread)
    spread.extend(struct.pack("<I", 2000) + b"n" * 2000 + bytes(4))
    for tensor in tensors:
        at = tensor.where(3)
        assert at is not None
        struct.pack_into("<I", spread, at, start - at)
    assert {tensor.name for tensor in read(bytes(spread)).subgraphs[0].tensors} == {"n" * 2000}


def test_an_index_past_every_table_is_refused() -> None:
    g = Graph()
    g.output(g.op("ADD", g.input([1, 4]), Tensor(2**31 - 1, None), out=[1, 4]))
    assert judged(g.build()).error is not None
