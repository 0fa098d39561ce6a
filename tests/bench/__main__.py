"""Compare tflint with other tools: `python -m bench`, from tests/. See docs/speed.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from .cases import HEADER, Case, cases, line, row
from .measure import in_turns
from .subjects import Subject
from .tools import ROOT, install

FOLDER = Path(tempfile.gettempdir()) / "tflint-bench"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=11, help="of each command (default: 11)")
    parser.add_argument("--only", default="", metavar="WORDS", help="cases with these words in their name")
    parser.add_argument("--model", type=Path, help="one more model, held to the goal of 50 MB and 400 operators")
    parser.add_argument("--corpus", type=Path, default=_corpus(), help="the reference corpus, as the tests find it")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"environments and models (default: {FOLDER})")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    (folder / "models").mkdir(parents=True, exist_ok=True)
    tools = install(folder)
    subjects = _models(folder / "models", asked.corpus, asked.model)
    os.chdir(folder)  # no settings there
    for text in _machine(asked.runs):
        print(text)
    print(f"\n{line(HEADER)}\n|---|---|---:|---:|---:|---:|---:|---:|---|", flush=True)
    for case in cases(tools, subjects):
        if asked.only in case.name:
            print(line(_measured(case, asked.runs)), flush=True)


def _measured(case: Case, runs: int) -> tuple[str, ...]:
    return row(case, in_turns(case.sides, runs))


def _corpus() -> Path | None:
    given = Path(os.environ.get("TFLINT_CORPUS") or ROOT.parent / "shared/corpus")
    return given.resolve() if given.is_dir() else None


def _models(folder: Path, corpus: Path | None, given: Path | None) -> list[Subject]:
    """Made by another process: see `measure`."""
    command = [sys.executable, "-m", "bench.models", str(folder)]
    command += [f"--corpus={corpus}"] if corpus else []
    command += [f"--model={given.resolve()}"] if given else []
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return [Subject(**json.loads(text)) for text in done.stdout.splitlines()]


def _machine(runs: int) -> Iterator[str]:
    """What the figures hold for."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((text.partition(": ")[2] for text in lines if text.startswith("model name")), platform.machine())
    yield f"{date.today()}, {model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()},"
    yield f"median of {runs} runs, load at the start {os.getloadavg()[0]:.1f}."


if __name__ == "__main__":
    main()
