"""What a file system can hold in a model's place, by the real command: one line and exit status 2, and no hang."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import ENVIRONMENT, command

import tflint
from tflint.fixtures.demo_damaged import damaged
from tflint.fixtures.demo_models import MODELS
from tflint.linter.errors import ModelError
from tflint.linter.source import WHOLE, opened
from tflint.reports import ENDINGS, FORMATS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="what it makes are files of POSIX systems")

GOOD = MODELS["relu_0_to_1"]().build()
"""A whole file; it has a finding on the latest release."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.tflite").write_bytes(GOOD)
    return tmp_path


def errors(*paths: Path | str) -> dict[str, str]:
    """What the command says of files that it cannot read. A good model among them is linted all the same."""
    good = Path(paths[0]).parent / "good.tflite"
    outcome = command(*paths, good, "--format", "json", "--litert", "2.1.6")
    assert outcome.status == 2
    *unread, linted = json.loads(outcome.stdout)["models"]
    assert linted["targets"][0]["findings"]
    found = {Path(model["path"]).name: model["error"]["message"] for model in unread}
    for name, message in found.items():
        assert "\n" not in message
        assert f"{name}: {message}" in outcome.stderr
    return found


def test_what_is_no_model(folder: Path) -> None:
    wanted = {
        "zip": "zip archive",
        "lfs-pointer": "Git LFS pointer",
        "empty": "empty file",
        "text": "text file",
        "short": "truncated",
        "wrong-identifier": "identifier",
        "truncated": "outside",
    }
    paths = [folder / f"{name}.tflite" for name in wanted]
    for path in paths:
        path.write_bytes(damaged()[path.stem])
    found = errors(*paths)
    for name, words in wanted.items():
        assert words in found[f"{name}.tflite"], (name, found)


def test_what_is_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a FIFO waits for a writer, and a device has no end: neither may be waited for."""
    os.mkfifo(folder / "fifo.tflite")
    (folder / "loop.tflite").symlink_to("pool.tflite")
    (folder / "pool.tflite").symlink_to("loop.tflite")
    (folder / "dangling.tflite").symlink_to("nowhere")
    (folder / "folder.tflite").mkdir()
    monkeypatch.chdir(folder)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.tflite")
    wanted = {
        "fifo.tflite": "not a regular file",
        "loop.tflite": "Too many levels of symbolic links",
        "dangling.tflite": "No such file",
        "folder.tflite": "is a directory, and no model is in it",
        "socket.tflite": "No such device",
        "absent.tflite": "No such file",
    }
    found = errors(*(folder / name for name in wanted), "/dev/null", "/dev/zero", folder / "good.tflite" / "inner")
    assert found.pop("null") == found.pop("zero") == "is not a regular file"
    assert "Not a directory" in found.pop("inner")
    for name, words in wanted.items():
        assert words in found[name], (name, found)


def test_a_folder_with_all_of_it_is_searched(folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "good.tflite").write_bytes(GOOD)
    (inner / "again").symlink_to(folder)  # a circle, were links to folders followed
    os.mkfifo(inner / "fifo.tflite")
    outcome = command(folder, "--format", "json")
    assert outcome.status == 2
    models = {model["path"]: model["error"] for model in json.loads(outcome.stdout)["models"]}
    assert list(models) == [str(inner / "fifo.tflite"), str(inner / "good.tflite"), str(folder / "good.tflite")]
    assert [error is None for error in models.values()] == [False, True, True]


def test_what_may_not_be_read(folder: Path) -> None:
    """Permissions do not bind root, so there the command runs without the privilege to pass them by."""
    before: list[str] = []
    if os.geteuid() == 0:
        before = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if shutil.which("setpriv") is None:
            pytest.skip("root, and no setpriv (util-linux) to give privileges up")
    (folder / "secret.tflite").write_bytes(GOOD)
    (folder / "secret.tflite").chmod(0)
    (folder / "closed").mkdir()
    (folder / "closed" / "model.tflite").write_bytes(GOOD)
    (folder / "closed").chmod(0)
    try:
        for asked in ([folder], [folder / "secret.tflite", folder / "closed" / "model.tflite", folder / "good.tflite"]):
            outcome = command(*asked, "--format", "json", before=before)
            assert outcome.status == 2
            found = {model["path"]: model["error"] for model in json.loads(outcome.stdout)["models"]}
            assert found.pop(str(folder / "good.tflite")) is None
            # A folder that cannot be listed is not passed over: it may hold models.
            assert len(found) == 2
            for path, error in found.items():
                assert "secret" in path or "closed" in path
                assert error["message"] == "cannot be opened: Permission denied"
    finally:
        (folder / "closed").chmod(0o755)


class TestAFileThatShrinks:
    """A mapped file would end the process by SIGBUS."""

    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc, which tells when a file is open")
    def test_while_it_is_linted(self, folder: Path) -> None:
        path = folder / "big.tflite"
        path.write_bytes(GOOD)
        os.truncate(path, 4 << 30)  # sparse; hashing it takes seconds
        started = [sys.executable, "-m", "tflint", str(path), "--sha256", "--format", "json"]
        with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
            end = time.monotonic() + 60
            while not _has_open(process.pid, path):
                assert process.poll() is None, "it ended before the file was cut"
                assert time.monotonic() < end
                time.sleep(0.01)
            os.truncate(path, len(GOOD))
            stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 2, (process.returncode, stderr)
        (model,) = json.loads(stdout)["models"]
        assert model["error"]["message"] == "became shorter while it was read"
        assert model["error"]["offset"] >= len(GOOD)

    @pytest.mark.parametrize("kept", [0, 8, 20_000])
    def test_between_two_reads(self, folder: Path, kept: int) -> None:
        path = folder / "big.tflite"
        path.write_bytes(bytes(WHOLE + 1))
        with opened(path) as data:
            assert len(data[WHOLE:]) == 1
            os.truncate(path, kept)
            with pytest.raises(ModelError, match="became shorter"):
                data[16_384:32_768]

    def test_a_small_one_is_read_at_once(self, folder: Path) -> None:
        path = folder / "good.tflite"
        with opened(path) as data:
            os.truncate(path, 0)
            assert data[:] == GOOD


def _has_open(process: int, path: Path) -> bool:
    with contextlib.suppress(OSError), os.scandir(f"/proc/{process}/fd") as entries:
        return any(os.readlink(entry.path) == str(path) for entry in entries)
    return False


HOSTILE_NAMES = {
    "escape": b"\x1b[2J\x1b]0;title\x07.tflite",
    "not-utf-8": b"caf\xe9\xff.tflite",
    "lines": b"a\nb\r::error::c.tflite",
    "c1-and-bidi": "\x9b31m\u202etxt.tflite".encode(),
    "markup": b'<b>`|]]>&".tflite',
}
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]")


@pytest.mark.parametrize("form", FORMATS)
def test_names_cannot_drive_a_terminal(folder: Path, form: str) -> None:
    """Of a good file, and of one that cannot be read, whose name is also in the note on stderr."""
    paths = []
    for number, name in enumerate(HOSTILE_NAMES.values()):
        path = os.path.join(os.fsencode(folder), name)
        Path(os.fsdecode(path)).write_bytes(GOOD if number % 2 else b"nonsense")
        paths += [path, path.replace(b"[", b"") + b".absent"]  # with a bracket it would be a glob
    outcome = command(*paths, "--format", form, "--litert", "2.1.6")  # decodes as UTF-8, or fails
    assert outcome.status == 2
    assert not CONTROLS.search(outcome.stdout)
    assert not CONTROLS.search(outcome.stderr)
    if form in ("json", "sarif"):
        json.loads(outcome.stdout)


def test_an_encoding_that_lacks_a_character(folder: Path) -> None:
    from tflint.fixtures.builder import Graph

    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 4], name="画像")))
    g.write(folder / "model.tflite")
    for form in ("text", "markdown", "junit"):
        outcome = command(
            folder / "model.tflite", "--format", form, env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii:strict"}
        )
        assert outcome.status == 1


class TestReadsOnly:
    """The only files written are those of --report and --baseline, and nothing in a model is taken for a path."""

    WATCH = """\
import os, sys
sys.dont_write_bytecode = True
allowed = sys.argv.pop(1).split(os.pathsep)
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path, mode, flags = arguments
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            sys.stderr.write(f"WRITES {path}\\n")
        elif path.startswith(allowed[0]) and path not in allowed[1:]:
            sys.stderr.write(f"READS {path}\\n")
        elif path in ("/etc/passwd", "/etc/hostname"):
            sys.stderr.write(f"READS {path}\\n")
    elif event in FORBIDDEN:
        sys.stderr.write(f"DOES {event} {arguments}\\n")
FORBIDDEN = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.utime", "os.link", "os.symlink",
    "socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.exec", "os.fork", "shutil.copyfile",
}
sys.addaudithook(watch)
from tflint.cli import main
main()
"""

    def watched(self, folder: Path, *arguments: str | Path, allowed: list[Path]) -> subprocess.CompletedProcess[str]:
        seen = os.pathsep.join(map(str, [folder, *allowed]))
        started = [sys.executable, "-c", self.WATCH, seen, *map(str, arguments)]
        return subprocess.run(started, capture_output=True, text=True, timeout=120, env=ENVIRONMENT, cwd=folder)

    def test_the_watch_sees_what_is_forbidden(self, folder: Path) -> None:
        done = self.watched(folder, "good.tflite", "--report", "report.json", allowed=[folder / "good.tflite"])
        assert "WRITES" in done.stderr
        assert "DOES os.rename" in done.stderr

    @pytest.mark.parametrize("form", FORMATS)
    def test_no_format_writes(self, folder: Path, form: str) -> None:
        paths = self.models(folder)
        before = _state(folder)
        done = self.watched(folder, *paths, "--format", form, "--litert", "all", allowed=paths)
        assert done.returncode == 1
        lines = [line for line in done.stderr.splitlines() if line.startswith(("WRITES", "READS", "DOES"))]
        assert not lines
        assert _state(folder) == before

    def models(self, folder: Path) -> list[Path]:
        """A good model, one whose constants lie in other files by its own word, and a bundle."""
        import zipfile

        from tflint.fixtures.builder import Graph

        g = Graph()
        outside = [
            g.external_buffer(16, group=name) for name in ("/etc/passwd", "../good.tflite", "file:///etc/hostname")
        ]
        x = g.input([4])
        for buffer in outside:
            x = g.op("ADD", x, g.const(shape=[4], external=buffer))
        g.output(x)
        g.write(folder / "external.tflite")
        with zipfile.ZipFile(folder / "bundle.task", "w") as archive:
            archive.writestr("inner.tflite", GOOD)
        return [folder / name for name in ("good.tflite", "external.tflite", "bundle.task")]


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


class TestReportsAreWrittenWhole:
    """Where writing fails, what was there before is there still, and nothing else."""

    OLD = "the report of yesterday"

    DYING = """\
import os, signal, sys
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
from tflint.cli import main
main()
"""
    SHORT_OF_DISK = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from tflint.cli import main
main()
"""

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_a_failing_disk(self, folder: Path, ending: str) -> None:
        report = folder / f"report{ending}"
        report.write_text(self.OLD)
        before = _state(folder)
        done = self.run(self.SHORT_OF_DISK, folder / "good.tflite", "--report", report)
        assert done.returncode == 2
        assert f"{report}: File too large" in done.stderr
        assert "Traceback" not in done.stderr
        assert _state(folder) == before
        assert report.read_text() == self.OLD

    def test_killed_while_it_writes(self, folder: Path) -> None:
        report = folder / "report.json"
        report.write_text(self.OLD)
        done = self.run(self.DYING, folder / "good.tflite", "--report", report)
        assert done.returncode == -signal.SIGKILL
        assert report.read_text() == self.OLD

    def test_written_whole(self, folder: Path) -> None:
        (folder / "kept").mkdir()
        report, link = folder / "kept" / "report.json", folder / "report.json"
        report.write_text(self.OLD)
        link.symlink_to(report)
        assert command(folder / "good.tflite", "--report", link).status == 1
        assert json.loads(report.read_text())["schema"] == 1
        assert link.is_symlink()
        assert sorted(path.name for path in folder.iterdir()) == ["good.tflite", "kept", "report.json"]

    def test_a_folder_that_is_not_there(self, folder: Path) -> None:
        outcome = command(folder / "good.tflite", "--report", folder / "absent" / "report.json")
        assert outcome.status == 2
        assert "No such file" in outcome.stderr

    def run(self, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        started = [sys.executable, "-c", program, *map(str, arguments)]
        return subprocess.run(started, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


class TestOtherFiles:
    """What else is read: config files, baselines, logs, standard input."""

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (b"a = " + b"[" * 100_000, "nested too deeply"),
            (b"\xff\xfe", "utf-8"),
            (b"# " + bytes(2 << 20), "larger than"),
        ],
    )
    def test_config(self, folder: Path, text: bytes, words: str) -> None:
        (folder / "tflint.toml").write_bytes(text)
        outcome = command("good.tflite", cwd=folder)
        assert outcome.status == 2
        assert words in outcome.stderr
        assert outcome.stdout == ""

    def test_config_without_end(self, folder: Path) -> None:
        outcome = command("good.tflite", "--config", "/dev/zero", cwd=folder)
        assert outcome.status == 2
        assert "larger than" in outcome.stderr

    @pytest.mark.parametrize(
        "text",
        [
            b"[" * 100_000,
            b'{"schema": 1, "models": {"m": [{"fingerprint": "a", "count": 1e999}]}}',
            b"\xff",
            b"[]",
            b"",
        ],
    )
    def test_baseline(self, folder: Path, text: bytes) -> None:
        (folder / "old.json").write_bytes(text)
        outcome = command("good.tflite", "--baseline", "old.json", cwd=folder)
        assert outcome.status == 2
        assert "not a baseline" in outcome.stderr

    def test_a_model_is_not_taken_for_a_baseline(self, folder: Path) -> None:
        outcome = command("good.tflite", "--baseline", "good.tflite", "--write-baseline", cwd=folder)
        assert outcome.status == 2
        assert "not written over" in outcome.stderr
        assert (folder / "good.tflite").read_bytes() == GOOD

    def test_a_log_without_lines(self, folder: Path) -> None:
        (folder / "log").write_bytes(b"ERROR: " + bytes(4 << 20) + b"\nADD: Operation is not supported.\n\x1b[2J\xff")
        outcome = command("explain", "--log", folder / "log")
        assert outcome.status == 0
        assert not CONTROLS.search(outcome.stdout)
        assert "ADD is refused" in outcome.stdout

    def test_standard_input_that_is_closed(self, folder: Path) -> None:
        program = f"exec {sys.executable} -m tflint - <&-"
        done = subprocess.run(["sh", "-c", program], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        assert done.returncode == 2
        assert "standard input is closed" in done.stderr

    def test_a_working_folder_that_is_gone(self, folder: Path) -> None:
        (folder / "gone").mkdir()
        program = f"cd {folder}/gone && rmdir {folder}/gone && exec {sys.executable} -m tflint {folder}/good.tflite"
        done = subprocess.run(["sh", "-c", program], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr


def test_the_package_is_the_one_under_test() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "import tflint; print(tflint.__file__)"],
        capture_output=True, text=True, env=ENVIRONMENT, cwd="/",
    )  # fmt: skip
    assert shown.stdout.strip() == tflint.__file__
