"""Many models on a terminal: the bar, the reports above it, and what stays when it is done."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    for name, source in {"a": "models/clean", "b": "damaged/truncated", "c": "models/select"}.items():
        shutil.copy(FIXTURES / f"{source}.tflite", tmp_path / f"{name}.tflite")
    return tmp_path


def on_terminal(folder: Path, *arguments: str, report_too: bool) -> tuple[str, str]:
    """What a run shows on a terminal that is wide enough for every line, and what it writes to stdout where that is a pipe."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "tflint", *arguments]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=slave if report_too else subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"},
        text=True,
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # Linux says so when the last writer is gone
                piece = b""
            if not piece:
                break
            seen += piece
        report = process.stdout.read() if process.stdout else ""
    os.close(master)
    assert process.returncode == 2
    return seen.decode(), report


def left(shown: str) -> list[str]:
    """The lines that stay: what a carriage return and an erasure leave of each, without colours."""
    lines = []
    for line in shown.replace("\r\n", "\n").split("\n"):
        kept = line.rpartition("\r\x1b[K")[2]
        lines.append(re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", kept))
    return lines


def test_the_bar_moves_and_the_report_is_whole(zoo: Path) -> None:
    shown, _ = on_terminal(zoo, ".", report_too=True)
    assert [f"{done}/3" in shown for done in range(4)] == [True] * 4
    plain = subprocess.run([sys.executable, "-m", "tflint", "."], cwd=zoo, capture_output=True, text=True, check=False)
    assert left(shown) == plain.stdout.split("\n")
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l"), "the cursor is back"


def test_stdout_has_the_report_and_nothing_else(zoo: Path) -> None:
    shown, report = on_terminal(zoo, ".", "--format", "jsonl", report_too=False)
    assert "3/3" in shown
    plain = subprocess.run(
        [sys.executable, "-m", "tflint", ".", "--format", "jsonl"], cwd=zoo, capture_output=True, text=True, check=False
    )
    assert report == plain.stdout
    assert left(shown) == plain.stderr.split("\n")


def test_one_model_needs_no_bar(zoo: Path) -> None:
    shown, _ = on_terminal(zoo, "b.tflite", report_too=True)
    assert "Linting" not in shown
    assert "b.tflite: " in "\n".join(left(shown))
