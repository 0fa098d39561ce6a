"""Completion in the shells themselves."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tflint.checks import TABLE
from tflint.linter.targets import VERSIONS

TFLINT = Path(sys.executable).parent / "tflint"

LINES = [
    ("tflint ex", {"explain"}),
    ("tflint --accel", {"--accelerators"}),
    ("tflint m.tflite --accel", {"--accelerators"}),
    ("tflint lint --litert ", {*VERSIONS, "latest", "all"}),
    ("tflint --litert 2.2", {"2.2.0"}),
    ("tflint m.tflite --litert 2.1.6,la", {"2.1.6,latest"}),
    ("tflint --backend o", {"opencl"}),
    ("tflint --format js", {"json", "jsonl"}),
    ("tflint --select split,erro", {"split,error"}),
    ("tflint --ignore relu-0", {"relu-0-to-1"}),
    ("tflint --precision fp", {"fp16", "fp32"}),
    ("tflint explain ", set(TABLE)),
    ("tflint explain select-c", {"select-condition-rank"}),
]


def shell(name: str, script: str, cwd: Path) -> list[str]:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"no {name} on PATH")
    variables = {**os.environ, "PATH": f"{TFLINT.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(cwd)}
    command = {
        "bash": [program, "--norc", "--noprofile", "-c", script],
        "fish": [program, "--no-config", "--command", script],
    }[name]
    done = subprocess.run(command, env=variables, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def bash(line: str, cwd: Path) -> list[str]:
    words = [*shlex.split(line), ""] if line.endswith(" ") else shlex.split(line)
    # Outside an interactive line `compopt` has nothing to set: say what it is asked.
    return shell(
        "bash",
        f"""
        eval "$(_TFLINT_COMPLETE=bash_source tflint)"
        compopt() {{ printf 'compopt %s %s\\n' "$@"; }}
        COMP_WORDS=({shlex.join(words)})
        COMP_CWORD={len(words) - 1}
        _tflint_completion tflint "${{COMP_WORDS[COMP_CWORD]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """,
        cwd,
    )


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash(line: str, expected: set[str], tmp_path: Path) -> None:
    assert {found for found in bash(line, tmp_path) if not found.startswith("compopt")} == expected


@pytest.mark.parametrize("line", ["tflint mod", "tflint --litert all mod", "tflint lint mod", "tflint --config tf"])
def test_bash_falls_back_to_files(line: str, tmp_path: Path) -> None:
    assert bash(line, tmp_path)[0] == "compopt -o default"


# click hands fish its answers in lines split at commas, so the rest of a comma list is not completed there.
@pytest.mark.parametrize(("line", "expected"), LINES[:5])
def test_fish(line: str, expected: set[str], tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    found = shell("fish", f"_TFLINT_COMPLETE=fish_source tflint | source; complete -C {shlex.quote(line)}", tmp_path)
    assert {entry.partition("\t")[0] for entry in found} >= expected


def test_the_second_name_is_completed_by_its_own_variable() -> None:
    command = [str(TFLINT.with_name("tflite-lint"))]
    variables = {**os.environ, "_TFLITE_LINT_COMPLETE": "zsh_source"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert "#compdef tflite-lint" in done.stdout
