"""The command line as users and scripts call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tflint import __version__, checks
from tflint.commands import tflint
from tflint.fixtures.builder import Graph
from tflint.linter.targets import VERSIONS


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(tflint, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4, 4, 8], name="x")))
    path = tmp_path / "clean.tflite"
    path.write_bytes(g.build())
    return path


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 4, 4, 8], name="x")))
    path = tmp_path / "refused.tflite"
    path.write_bytes(g.build())
    return path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "damaged.tflite"
    path.write_bytes(b"\xff\xff\x00\x00TFL3" + bytes(60))
    return path


def test_a_clean_model_exits_with_zero(clean: Path) -> None:
    result = run(clean)
    assert result.exit_code == 0
    assert "No findings in 1 model." in result.stdout


def test_a_finding_exits_with_one(refused: Path) -> None:
    result = run(refused, "--litert", "2.1.6")
    assert result.exit_code == 1
    assert "error[relu-0-to-1]" in result.stdout


def test_the_release_decides(refused: Path) -> None:
    assert run(refused, "--litert", "2.1.4").exit_code == 0
    assert run(refused, "--litert", "2.1.5").exit_code == 1


def test_lint_may_be_said(refused: Path) -> None:
    assert run("lint", refused, "--litert", "2.1.6").stdout == run(refused, "--litert", "2.1.6").stdout


def test_a_damaged_file_exits_with_two_and_the_others_are_linted(damaged: Path, refused: Path) -> None:
    result = run(damaged, refused)
    assert result.exit_code == 2
    assert "at byte 0" in result.stdout
    assert "error[relu-0-to-1]" in result.stdout


def test_a_missing_file_exits_with_two(tmp_path: Path) -> None:
    result = run(tmp_path / "absent.tflite")
    assert result.exit_code == 2
    assert "No such file" in result.stdout


def test_an_unknown_release_lists_the_known_ones(clean: Path) -> None:
    result = run(clean, "--litert", "9.9.9")
    assert result.exit_code == 2
    for version in VERSIONS:
        assert version in result.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--litert", "2.1.6"], ["2.1.6"]),
        (["--litert", "2.3.0,2.1.3"], ["2.1.3", "2.3.0"]),
        (["--litert", "2.1.3", "--litert", "2.1.3"], ["2.1.3"]),
        (["--litert", "latest"], ["2.3.0"]),
        ([], ["2.3.0"]),
        (["--litert", "all"], list(VERSIONS)),
    ],
)
def test_releases(clean: Path, words: list[str], expected: list[str]) -> None:
    document = json.loads(run(clean, "--format", "json", "--backend", "webgpu", *words).stdout)
    assert [target["litert"] for target in document["models"][0]["targets"]] == expected


def test_json_has_the_promised_shape(refused: Path) -> None:
    result = run(refused, "--format", "json", "--litert", "2.1.6", "--backend", "webgpu")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert document["tool"] == {"name": "tflint", "version": __version__}
    (model,) = document["models"]
    assert set(model) == {"path", "sha256", "size", "error", "targets"}
    assert (model["sha256"], model["error"]) == (None, None)
    (target,) = model["targets"]
    assert set(target) == {"litert", "backend", "placement", "findings", "confirm"}
    assert target["placement"] == {
        "verdict": "none",
        "gpu_ops": 0,
        "cpu_ops": 1,
        "line": "No operations will run on the GPU, and all 1 operations will run on the CPU.",
        "ops": [
            {
                "subgraph": 0,
                "index": 0,
                "op": "RELU_0_TO_1",
                "on": "cpu",
                "rejected": "Not supported op RELU_0_TO_1",
            }
        ],
    }
    (finding,) = target["findings"]
    assert set(finding) == {
        "rule",
        "kind",
        "severity",
        "confidence",
        "message",
        "advice",
        "place",
        "evidence",
    }
    assert (finding["rule"], finding["kind"], finding["severity"], finding["confidence"]) == (
        "relu-0-to-1",
        "rejected",
        "error",
        "measured",
    )
    assert finding["place"] == {"subgraph": 0, "index": 0, "op": "RELU_0_TO_1", "tensors": ["x"]}
    assert set(finding["evidence"][0]) == {"source", "backend", "litert", "precision", "outcome", "ref"}


def test_json_of_a_damaged_file(damaged: Path) -> None:
    result = run(damaged, "--format", "json")
    assert result.exit_code == 2
    (model,) = json.loads(result.stdout)["models"]
    assert model["error"]["offset"] == 0
    assert model["targets"] == []


def test_json_lines_have_a_model_each(clean: Path, refused: Path) -> None:
    lines = run(clean, refused, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["path"] for line in lines] == [str(clean), str(refused)]


def test_the_same_bytes_from_run_to_run(refused: Path) -> None:
    first, second = (run(refused, "--litert", "all", "--format", "json").stdout for _ in range(2))
    assert first == second


def test_sha256_is_given_when_asked(clean: Path) -> None:
    import hashlib

    document = json.loads(run(clean, "--format", "json", "--sha256").stdout)
    assert document["models"][0]["sha256"] == hashlib.sha256(clean.read_bytes()).hexdigest()


def test_a_folder_is_searched(clean: Path, refused: Path) -> None:
    document = json.loads(run(clean.parent, "--format", "json").stdout)
    assert [model["path"] for model in document["models"]] == [str(clean), str(refused)]


def test_an_empty_folder_is_no_success(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "is a directory, and no model is in it" in result.stdout


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--ignore", "relu-0-to-1"], 0),
        (["--select", "split"], 0),
        (["--select", "relu-0-to-1"], 1),
        (["--select", "error"], 1),
        (["--ignore", "error"], 0),
        (["--fail-on", "never"], 0),
        (["--accelerators", "gpu,cpu"], 0),
        (["--accelerators", "gpu,cpu", "--fail-on", "warning"], 1),
    ],
)
def test_what_counts(refused: Path, options: list[str], status: int) -> None:
    assert run(refused, "--litert", "2.3.0", *options).exit_code == status


def test_an_unknown_rule_is_a_usage_error_with_a_hint(clean: Path) -> None:
    result = run(clean, "--select", "rank-over-for")
    assert result.exit_code == 2
    assert "did you mean rank-over-four?" in result.stderr


def test_report_writes_a_file_and_leaves_stdout_alone(refused: Path, tmp_path: Path) -> None:
    written = tmp_path / "report.json"
    result = run(refused, "--report", written)
    assert "error[relu-0-to-1]" in result.stdout
    assert json.loads(written.read_text())["schema"] == 1


def test_an_unknown_report_ending_is_a_usage_error(clean: Path, tmp_path: Path) -> None:
    assert run(clean, "--report", tmp_path / "report.docx").exit_code == 2


@pytest.mark.parametrize("rule", checks.TABLE)
def test_explain_prints_the_page(rule: str) -> None:
    result = run("explain", rule)
    assert result.exit_code == 0
    assert "## What to do" in result.stdout


def test_explain_an_unknown_rule() -> None:
    assert run("explain", "nonsense").exit_code == 2


def test_rules_and_targets() -> None:
    listed = run("rules").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(checks.TABLE)
    assert {rule["id"] for rule in json.loads(run("rules", "--format", "json").stdout)} == set(checks.TABLE)
    for version in VERSIONS:
        assert version in run("targets").stdout


def test_a_file_named_like_a_command_is_reached_with_a_path(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clean.rename(clean.parent / "explain")
    monkeypatch.chdir(clean.parent)
    assert run("./explain").exit_code == 0


def test_names_from_a_model_cannot_drive_the_terminal(tmp_path: Path) -> None:
    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 4], name="\x1b[2Jx\r\n")))
    path = tmp_path / "hostile.tflite"
    path.write_bytes(g.build())
    shown = run(path, "--color").stdout
    assert "\x1b[2J" not in shown
    assert "\\x1b[2Jx\\r\\n" in shown


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    command = [sys.executable, "-c", "from tflint.cli import main; main()", option]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert shown.stdout == f"tflint {__version__}\n"
