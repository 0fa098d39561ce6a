"""The GitHub Action: its form by the published schema, its steps by running them as a runner would."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION = ROOT / "action.yml"
MODELS = ROOT / "fixtures" / "models"


def action() -> dict[str, Any]:
    document: dict[str, Any] = YAML(typ="safe").load(ACTION)
    return document


class Runner:
    """Runs steps with the expressions that the action uses; what it does not know is an error."""

    def __init__(self, folder: Path, **inputs: str) -> None:
        self.work = folder / "work"
        self.temp = folder / "temp"
        self.output = folder / "output"
        self.summary = folder / "summary"
        for path in (self.work, self.temp):
            path.mkdir()
        defaults = {name: entry["default"] for name, entry in action()["inputs"].items()}
        assert inputs.keys() <= defaults.keys()
        self.known = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
        self.known |= {"github.action_path": str(ROOT), "runner.temp": str(self.temp)}

    def step(self, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
        (step,) = (step for step in action()["runs"]["steps"] if step["name"] == name)
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an expression in a script is text of that script"
        given = {
            key: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self.known[found[1]], value)
            for key, value in step["env"].items()
        }
        given |= {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary), **variables}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.work,
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            check=False,
        )
        if "id" in step:
            for line in self.output.read_text().splitlines():
                key, _, value = line.partition("=")
                self.known[f"steps.{step['id']}.outputs.{key}"] = value
        return done

    def lint(self) -> subprocess.CompletedProcess[str]:
        """The step, with this environment's tflint in the place of the installed one."""
        place = self.temp / "tflint" / "bin"
        place.mkdir(parents=True)
        (place / "tflint").symlink_to(Path(sys.executable).parent / "tflint")
        done = self.step("Lint")
        assert done.returncode == 0, done.stderr
        return done


def test_its_form_is_valid() -> None:
    command = ["check-jsonschema", "--builtin-schema", "vendor.github-actions", str(ACTION)]
    subprocess.run([str(Path(sys.executable).parent / command[0]), *command[1:]], check=True)


def test_actions_of_others_are_pinned() -> None:
    used = [step["uses"] for step in action()["runs"]["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in used)


def test_a_bad_model_fails_the_job_after_everything_is_reported(tmp_path: Path) -> None:
    runner = Runner(tmp_path, litert="2.1.6")
    shutil.copy(MODELS / "relu_0_to_1.tflite", runner.work / "bad.tflite")
    done = runner.lint()
    assert "::error file=bad.tflite,title=tflint relu-0-to-1::" in done.stdout
    assert runner.known["steps.lint.outputs.status"] == "1"
    sarif = json.loads(Path(runner.known["steps.lint.outputs.sarif"]).read_text())
    (result,) = sarif["runs"][0]["results"]
    assert result["ruleId"] == "relu-0-to-1"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1, "without, GitHub shows no place"
    assert "relu-0-to-1" in runner.summary.read_text()
    assert runner.step("Result").returncode == 1


def test_a_good_model_passes(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    shutil.copy(MODELS / "clean.tflite", runner.work)
    runner.lint()
    assert runner.step("Result").returncode == 0


def test_inputs_become_options(tmp_path: Path) -> None:
    runner = Runner(
        tmp_path,
        litert="2.1.6",
        models="one model.tflite\n'*.txt'\n",
        args="--accelerators=gpu,cpu\n",
        **{"fail-on": "warning"},
    )
    shutil.copy(MODELS / "relu_0_to_1.tflite", runner.work / "one model.tflite")
    shutil.copy(MODELS / "relu_0_to_1.tflite", runner.work / "'*.txt'")
    done = runner.lint()
    assert done.stdout.count("::warning file=") == 2
    assert runner.known["steps.lint.outputs.status"] == "1"


def test_inputs_are_no_commands(tmp_path: Path) -> None:
    runner = Runner(tmp_path, models="$(touch made)\n--version\n; touch made", litert="2.1.6")
    done = runner.lint()
    assert done.stdout.count("::error file=") == 3, "each is the name of a missing file"
    assert not list(runner.work.iterdir())
    assert runner.step("Result").returncode == 2


def test_a_usage_error_makes_no_report(tmp_path: Path) -> None:
    runner = Runner(tmp_path, litert="9.9")
    shutil.copy(MODELS / "clean.tflite", runner.work)
    assert "unknown LiteRT release" in runner.lint().stderr
    assert runner.known["steps.lint.outputs.status"] == "2"
    assert "steps.lint.outputs.sarif" not in runner.known
    assert runner.step("Result").returncode == 2


def test_the_installed_command_answers(tmp_path: Path) -> None:
    runner = Runner(tmp_path, python=sys.executable)
    # From a copy: pip leaves a build/ in what it installs.
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    runner.known["github.action_path"] = str(shutil.copytree(ROOT, tmp_path / "action", ignore=ignored))
    # What tflint needs is left out here: the tests of packaging and of the hooks install it whole.
    done = runner.step("Install tflint", PIP_NO_DEPS="1")
    assert done.returncode == 0, done.stderr
    subprocess.run([str(runner.temp / "tflint" / "bin" / "tflint"), "--version"], check=True)
