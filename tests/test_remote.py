"""Models behind an address: a real server on this machine, its bytes counted."""

from __future__ import annotations

import json
import random
import re
import struct
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bundling import litertlm
from click.testing import CliRunner, Result

from tflint import lint
from tflint.commands import tflint
from tflint.fixtures.builder import Graph
from tflint.linter import remote, sparse
from tflint.linter.flatbuffer import Flatbuffer
from tflint.linter.reader import read
from tflint.linter.repetition import same_bytes

MODELS = sorted((Path(__file__).parent.parent / "fixtures" / "models").glob("*.tflite"))


class File:
    """What the server serves: a beginning, and up to a size noise that no one has to store."""

    def __init__(self, data: bytes, size: int | None = None) -> None:
        self.data = data
        self.size = len(data) if size is None else size

    def piece(self, start: int, stop: int) -> bytes:
        head = self.data[start:stop]
        first = (start + len(head)) // 1024
        noise = b"".join(random.Random(block).randbytes(1024) for block in range(first, -(-stop // 1024)))
        return head + noise[start + len(head) - first * 1024 :][: stop - start - len(head)]


class Server(ThreadingHTTPServer):
    """Serves `files` by path; the first part of the path says how: ``/ranges/model.tflite``."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, File] = {}
        self.sent = 0
        self.requests: list[str] = []
        self.over = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that turns away is no fault."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, body: bool) -> None:
        _, how, name = self.path.partition("?")[0].split("/", 2)
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        self.server.requests.append(f"{self.command} {self.headers.get('Range', '')}".rstrip())
        if how == "moved":
            self.send_response(302)
            self.send_header("Location", f"/ranges/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if how == "hangs" or (how == "hangs-later" and span):
            self.server.over.wait(30)
            return
        if name not in self.server.files or (how == "no-head" and not body):
            self.send_error(404)
            return
        file = self.server.files[name]
        start, stop = 0, file.size
        if span and how not in ("whole", "unwilling"):
            start, stop = int(span[1]), min(int(span[2]) + 1, file.size)
            if how == "short":
                stop -= 1
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{file.size}")
        else:
            self.send_response(200)
        if how == "unwilling":
            self.send_header("Accept-Ranges", "none")
        if how == "sizeless":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if not body:
            return
        if how == "cut" and span:
            stop -= 1
            self.close_connection = True
        for at in range(start, stop, 1 << 20):
            piece = file.piece(at, min(at + (1 << 20), stop))
            self.wfile.write(piece)
            self.server.sent += len(piece)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.over.set()
        server.shutdown()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(tflint, [str(argument) for argument in arguments], catch_exceptions=False)


def refused() -> bytes:
    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 4, 4, 8], name="x")))
    return g.build()


def large(layers: int, width: int) -> File:
    """A model with `layers` dense layers, whose float32 weights of width x width lie behind the flatbuffer."""
    g = Graph()
    x = g.input([1, width])
    for _ in range(layers):
        x = g.op("FULLY_CONNECTED", x, g.const(shape=[width, width], data=b"-" * 64, outside=True))
    g.output(g.op("RELU_0_TO_1", x))
    data = bytearray(g.build())
    size, weights = len(data), 4 * width * width
    for table in Flatbuffer(bytes(data), size).root().tables(4, "buffers"):
        offset, count = table.where(1), table.where(2)
        if offset is not None and count is not None:
            struct.pack_into("<Q", data, offset, size)
            struct.pack_into("<Q", data, count, weights)
            size += weights
    return File(bytes(data), size)


def test_a_model_of_two_gigabytes_costs_a_few_hundred_kilobytes(server: Server) -> None:
    file = server.files["large.tflite"] = large(layers=32, width=4096)
    assert file.size > 2 << 30
    (result,) = lint(server.url("ranges/large.tflite"), litert="2.1.6", backend="webgpu")
    assert result.error is None
    assert "relu-0-to-1" in {finding.rule for finding in result.findings}
    assert result.size == file.size
    assert server.sent < 600_000
    assert len(server.requests) < 100


def test_weights_between_the_tables_are_left_out(server: Server) -> None:
    g = Graph()
    x = g.input([1, 256])
    noise = random.Random(0)
    for _ in range(40):
        x = g.op("FULLY_CONNECTED", x, g.const(shape=[256, 256], data=noise.randbytes(256 * 1024)))
    g.output(x)
    data = g.build()
    server.files["m.tflite"] = File(data)
    assert len(data) > 10_000_000
    (result,) = lint(server.url("ranges/m.tflite"))
    assert result.error is None
    assert server.sent < 1_000_000


def test_weights_stored_twice_are_compared_with_few_waits() -> None:
    g = Graph()
    weights = random.Random(0).randbytes(16 << 20)
    x = g.input([1, 2048])
    for _ in range(2):
        x = g.op("FULLY_CONNECTED", x, g.const(shape=[2048, 2048], data=weights))
    g.output(x)
    data = g.build()
    waits: list[int] = []

    def fetch(spans: Sequence[sparse.Span]) -> list[bytes]:
        waits.append(sum(stop - start for start, stop in spans))
        return [data[start:stop] for start, stop in spans]

    model = read(sparse.Sparse(sparse.Pieces(len(data), fetch), 0, len(data)))
    first, second = (tensor for tensor in model.subgraphs[0].tensors if tensor.constant)
    before = len(waits)
    assert same_bytes(model, first, second)
    assert len(waits) - before <= 2
    assert sum(waits) < 3 << 20


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_what_is_fetched_is_judged_like_a_file(server: Server, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Bytes that were not asked for are no zeros here: reading one would show.
    reserved = sparse._reserved

    def poisoned(size: int) -> object:
        room = reserved(size)
        room[:] = b"\xa5" * size
        return room

    monkeypatch.setattr(sparse, "_reserved", poisoned)
    monkeypatch.setattr(sparse, "BLOCK", 16)
    server.files[path.name] = File(path.read_bytes())
    local, far = lint([path, server.url(f"ranges/{path.name}")], litert="all")
    assert (far.error, far.size, far.targets) == (None, local.size, local.targets)


def test_each_model_of_a_bundle(server: Server, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.task", "w") as archive:
        archive.writestr("stored.tflite", refused())
        archive.writestr("weights.bin", bytes(5_000_000))
        archive.writestr("packed.tflite", refused(), zipfile.ZIP_DEFLATED)
    server.files["b.task"] = File((tmp_path / "b.task").read_bytes())
    url = server.url("ranges/b.task")
    results = lint(url, litert="2.1.6", backend="webgpu")
    assert [result.path for result in results] == [f"{url}/stored.tflite", f"{url}/packed.tflite"]
    assert [[finding.rule for finding in result.findings] for result in results] == [["relu-0-to-1"]] * 2
    assert server.sent < 100_000


def test_a_litertlm_bundle(server: Server) -> None:
    server.files["b.litertlm"] = File(litertlm((4, bytes(3_000_000)), (3, refused())))
    (result,) = lint(server.url("ranges/b.litertlm"), litert="2.1.6", backend="webgpu")
    assert [finding.rule for finding in result.findings] == ["relu-0-to-1"]
    assert server.sent < 100_000


@pytest.mark.parametrize("how", ["moved", "no-head", "whole", "unwilling"])
def test_ways_of_serving(server: Server, how: str) -> None:
    server.files["m.tflite"] = File(refused() + bytes(5000))
    result = run(server.url(f"{how}/m.tflite"), "--litert", "2.1.6")
    assert (result.exit_code, "error[relu-0-to-1]" in result.stdout) == (1, True)


def test_a_large_file_without_ranges_is_not_fetched(server: Server) -> None:
    server.files["large.tflite"] = large(layers=32, width=4096)
    result = run(server.url("whole/large.tflite"))
    assert result.exit_code == 2
    assert "the server does not send byte ranges, and a file of 21" in result.stdout
    assert server.sent < 16 << 20


def test_a_fetch_has_a_limit(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse, "MAX_FETCHED", 1 << 20)
    with zipfile.ZipFile(tmp_path / "b.task", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m.tflite", refused() + random.Random(0).randbytes(3_000_000))
    server.files["b.task"] = File((tmp_path / "b.task").read_bytes())
    (result,) = lint(server.url("ranges/b.task"))
    assert str(result.error) == "more than 1 MiB of it would have to be fetched"
    assert server.sent < 1 << 20


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("ranges/absent.tflite", "the server answers 404 Not Found"),
        ("cut/m.tflite", "the answer was cut short"),
        ("short/m.tflite", "the answer was cut short"),
        ("hangs/m.tflite", "no answer within 0.3 seconds"),
        ("hangs-later/m.tflite", "no answer within 0.3 seconds"),
        ("sizeless/m.tflite", "the server does not tell the size of the file"),
        ("ranges/empty.tflite", "empty file"),
        ("ranges/text.tflite", "text file, not a model"),
    ],
)
def test_what_fails_is_one_line(server: Server, path: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "TIMEOUT", 0.3)
    server.files |= {"m.tflite": File(refused() + bytes(5000)), "empty.tflite": File(b""), "text.tflite": File(b"no")}
    server.files["fine.tflite"] = File(refused())
    result = run(server.url(path), server.url("ranges/fine.tflite"), "--litert", "2.1.6")
    assert result.exit_code == 2
    first, *_ = result.stdout.splitlines()
    assert first.startswith(f"{server.url(path)}: error: {words}")
    assert "error[relu-0-to-1]" in result.stdout


def test_a_file_system_without_requests_at_once() -> None:
    import fsspec

    fsspec.filesystem("memory").pipe("/models/m.tflite", MODELS[0].read_bytes())
    local, far = lint([MODELS[0], "memory://models/m.tflite"], litert="all")
    assert (far.error, far.targets) == (None, local.targets)
    (folder,) = lint("memory://models")
    assert str(folder.error) == "is a folder: name a file in it"
    (absent,) = lint("memory://models/absent.tflite")
    assert str(absent.error) == "no such file"


def test_no_server() -> None:
    result = run("http://127.0.0.1:9/m.tflite")
    assert result.exit_code == 2
    assert "m.tflite: error: cannot be read: Cannot connect to host 127.0.0.1:9" in result.stdout


def test_an_unknown_scheme() -> None:
    result = run("gopher://host/m.tflite")
    assert result.exit_code == 2
    assert "gopher://host/m.tflite: error: cannot be read: Protocol not known: gopher" in result.stdout


@pytest.mark.parametrize("scheme", ["https", "s3", "gs", "hf"])
def test_a_missing_extra_is_named(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    result = run(f"{scheme}://place/m.tflite")
    assert result.exit_code == 2
    assert f"error: reading {scheme}:// needs an extra: pip install tflint[remote]" in result.stdout


def test_secrets_in_an_address_stay_out_of_reports(server: Server) -> None:
    server.files["m.tflite"] = File(refused())
    address = server.url("ranges/m.tflite").replace("//", "//user:sesame@") + "?signature=sesame"
    for form in ("text", "json", "sarif", "html", "markdown"):
        result = run(address, "--format", form)
        assert result.exit_code == 1
        assert "sesame" not in result.output


def test_sha256_is_not_to_be_had(server: Server) -> None:
    server.files["m.tflite"] = File(refused())
    result = run(server.url("ranges/m.tflite"), "--sha256", "--format", "json")
    assert json.loads(result.stdout)["models"][0]["sha256"] is None
    assert result.stderr == "tflint: remote files have no SHA-256: they would have to be fetched whole\n"


def test_jobs(server: Server) -> None:
    server.files |= {"a.tflite": File(refused()), "b.tflite": File(refused())}
    arguments = [server.url("ranges/a.tflite"), server.url("ranges/b.tflite"), "--format", "json"]
    command = [sys.executable, "-m", "tflint", *arguments, "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (run(*arguments).stdout, "", 1)


def test_a_released_model_is_compared_with_a_new_one(server: Server, tmp_path: Path) -> None:
    server.files["m.tflite"] = File(refused())
    (tmp_path / "m.tflite").write_bytes(refused())
    url = server.url("ranges/m.tflite")
    result = run("compare", url, tmp_path / "m.tflite")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{url} -> {tmp_path}")


def test_files_on_this_machine_do_not_need_fsspec(tmp_path: Path) -> None:
    (tmp_path / "m.tflite").write_bytes(refused())
    code = "import sys, tflint; tflint.lint(sys.argv[1]); print([name in sys.modules for name in sys.argv[2:]])"
    names = ["fsspec", "tflint.linter.remote", "tflint.linter.sparse"]
    command = [sys.executable, "-c", code, str(tmp_path / "m.tflite"), *names]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[False, False, False]\n"
