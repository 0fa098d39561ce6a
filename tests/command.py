"""The real command in a process of its own, for what only a process shows: signals, memory, files, encodings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tflint

_MEASURED = """\
import sys
from tflint.cli import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line for line in status if line.startswith("VmHWM:")), file=sys.stderr)
"""

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(tflint.__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
"""With the package as the tests see it, installed or not."""


class Outcome(NamedTuple):
    status: int
    stdout: str
    stderr: str


def command(*arguments: str | Path | bytes, before: Sequence[str] = (), **keywords: Any) -> Outcome:
    """`tflint` with these arguments; `before` is what runs the interpreter. A process that hangs is a failed test."""
    started = [*before, sys.executable, "-m", "tflint", *map(os.fsdecode, arguments)]
    return _outcome(subprocess.run(started, **{**_KEYWORDS, **keywords}))


def measured(*arguments: str | Path, **keywords: Any) -> tuple[Outcome, int]:
    """The same, and the most bytes that the process held. Not of `getrusage`, which counts what this process held
    when it forked."""
    started = [sys.executable, "-c", _MEASURED, *map(os.fsdecode, arguments)]
    outcome = _outcome(subprocess.run(started, **{**_KEYWORDS, **keywords}))
    line = next(line for line in outcome.stderr.splitlines() if line.startswith("VmHWM:"))
    return outcome, int(line.split()[1]) * 1024


_KEYWORDS: dict[str, Any] = {"capture_output": True, "timeout": 120, "env": ENVIRONMENT}


def _outcome(done: subprocess.CompletedProcess[bytes]) -> Outcome:
    outcome = Outcome(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    assert "Traceback" not in outcome.stderr, outcome.stderr
    return outcome
