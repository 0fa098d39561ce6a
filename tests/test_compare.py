"""`tflint compare`: two versions of a model."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from tflint import __version__, lint
from tflint.commands import tflint
from tflint.fixtures.builder import Graph
from tflint.linter.comparison import Trend, compare
from tflint.linter.findings import Severity
from tflint.linter.results import ModelResult


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(tflint, ["compare", *arguments, "--litert", "2.1.6"], catch_exceptions=False)


def chain(*ops: str, name: str = "x") -> bytes:
    g = Graph()
    x = g.input([1, 4, 4, 8], name=name)
    for number, op in enumerate(ops):
        x = g.op(op, x, name=f"{name}_{number}_{op}")
    g.output(x)
    return g.build()


def versions(old: bytes, new: bytes) -> tuple[str, str]:
    Path("old.tflite").write_bytes(old)
    Path("new.tflite").write_bytes(new)
    return "old.tflite", "new.tflite"


def judged(data: bytes) -> ModelResult:
    (result,) = lint(data, litert="2.1.6", backend="webgpu")
    return result


def test_what_it_says() -> None:
    old = chain("ABS", "RELU_0_TO_1", "LOG_SOFTMAX")
    new = chain("ABS", "ABS", "LOG_SOFTMAX", "LOG_SOFTMAX")
    result = run(*versions(old, new))
    assert result.exit_code == 1
    assert result.stdout == snapshot("""\
old.tflite -> new.tflite
  size: 624 bytes -> 704 bytes (+13%)
  operators: 3 -> 4
    ABS: 1 -> 2
    LOG_SOFTMAX: 1 -> 2
    RELU_0_TO_1: 1 -> 0
  2.1.6: same: 1 of 3 on the GPU -> 2 of 4 on the GPU

  fixed info[partitioned-graph] 1 of 3 operators stay on the GPU, the largest of 1 partitions; refused: 1 LOG_SOFTMAX, 1 RELU_0_TO_1
  fixed 0/1 RELU_0_TO_1: error[relu-0-to-1] the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1
    tensors: x_0_ABS

  new 0/3 LOG_SOFTMAX: error[unsupported-op] the GPU refuses LOG_SOFTMAX: Operation is not supported.
    tensors: x_2_LOG_SOFTMAX
    help: SOFTMAX, then LOG: to about 1e-6

2 fixed, 1 new, 1 in both: the new version is worse (error).

""")


def test_markdown() -> None:
    result = run(*versions(chain("RELU_0_TO_1"), chain("ABS", "LOG_SOFTMAX")), "--format", "markdown")
    assert result.exit_code == 1
    assert result.stdout.replace(__version__, "VERSION") == snapshot("""\
### `old.tflite` → `new.tflite`

Size 352 bytes -> 500 bytes (+42%). 1 fixed, 1 new, 0 in both: the new version is worse (error).

| LiteRT | | old | new |
|---|---|---|---|
| 2.1.6 | ✅ better | none on the GPU | 1 of 2 on the GPU |

| operator | old | new |
|---|---:|---:|
| ABS | 0 | 1 |
| LOG\\_SOFTMAX | 0 | 1 |
| RELU\\_0\\_TO\\_1 | 1 | 0 |

**Fixed**

- error **relu-0-to-1** at `0/0 RELU_0_TO_1`: the GPU refuses RELU\\_0\\_TO\\_1: Not supported op RELU\\_0\\_TO\\_1.

**New**

- error **unsupported-op** at `0/1 LOG_SOFTMAX`: the GPU refuses LOG\\_SOFTMAX: Operation is not supported. Fix: SOFTMAX, then LOG: to about 1e-6

<sub>tflint VERSION</sub>
""")


def test_json() -> None:
    names = versions(chain("ABS", "RELU_0_TO_1"), chain("ABS", "ABS"))
    document = json.loads(run(*names, "--format", "json", "--backend", "webgpu").stdout)
    assert (document["schema"], document["tool"]["name"]) == (1, "tflint")
    (comparison,) = document["comparisons"]
    assert {side: comparison[side]["path"] for side in ("old", "new")} == {"old": "old.tflite", "new": "new.tflite"}
    assert comparison["worst"] is None
    assert comparison["ops"] == [{"op": "ABS", "old": 1, "new": 2}, {"op": "RELU_0_TO_1", "old": 1, "new": 0}]
    (target,) = comparison["targets"]
    assert (target["litert"], target["backend"], target["residency"]) == ("2.1.6", "webgpu", "better")
    assert target["old"] == {"verdict": "partial", "gpu_ops": 1, "cpu_ops": 1}
    assert target["new"] == {"verdict": "full", "gpu_ops": 2, "cpu_ops": 0}
    assert "relu-0-to-1" in [finding["rule"] for finding in target["fixed"]]
    assert (target["introduced"], target["kept"]) == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "options", "status"),
    [
        (["ABS"], ["ABS"], [], 0),
        (["ABS"], ["RELU_0_TO_1"], [], 1),
        (["RELU_0_TO_1"], ["ABS"], [], 0),
        (["RELU_0_TO_1"], ["RELU_0_TO_1"], [], 0),
        (["ABS"], ["RELU_0_TO_1"], ["--fail-on", "never"], 0),
        (["ABS"], ["RELU_0_TO_1"], ["--accelerators", "gpu,cpu"], 0),
        (["ABS"], ["RELU_0_TO_1"], ["--accelerators", "gpu,cpu", "--fail-on", "warning"], 1),
        # The finding may be ignored; that the model no longer runs on the GPU may not.
        (["ABS"], ["RELU_0_TO_1"], ["--ignore", "error"], 1),
    ],
)
def test_exit_status(old: list[str], new: list[str], options: list[str], status: int) -> None:
    assert run(*versions(chain(*old), chain(*new)), *options).exit_code == status


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(chain("ABS", "RELU_0_TO_1", name="y"), id="renamed"),
        pytest.param(chain("ABS", "ABS", "RELU_0_TO_1"), id="renumbered"),
    ],
)
def test_a_finding_is_the_same_after_a_conversion(new: bytes) -> None:
    comparison = compare(judged(chain("ABS", "RELU_0_TO_1")), judged(new))
    assert "relu-0-to-1" in [finding.rule for finding in comparison.kept.findings]
    assert "relu-0-to-1" not in [finding.rule for finding in comparison.introduced.findings]
    assert "relu-0-to-1" not in [finding.rule for finding in comparison.fixed.findings]


def test_one_more_of_a_kind_is_new() -> None:
    once, twice = judged(chain("RELU_0_TO_1")), judged(chain("RELU_0_TO_1", "RELU_0_TO_1"))
    assert [finding.rule for finding in compare(once, twice).introduced.findings] == ["relu-0-to-1"]
    assert [finding.rule for finding in compare(twice, once).fixed.findings] == ["relu-0-to-1"]
    assert [finding.rule for finding in compare(twice, once).introduced.findings] == []


def test_a_finding_that_got_graver_is_new() -> None:
    grave = judged(chain("RELU_0_TO_1"))
    (target,) = grave.targets
    milder = tuple(finding._replace(severity=Severity.WARNING) for finding in target.findings)
    mild = grave._replace(targets=(target._replace(findings=milder),))
    assert compare(mild, grave).worst is Severity.ERROR
    assert compare(grave, mild).worst is Severity.WARNING
    assert compare(grave, grave).worst is None


@pytest.mark.parametrize(
    ("old", "new", "trend"),
    [
        (["ABS"], ["ABS", "ABS"], Trend.SAME),
        (["ABS"], ["ABS", "RELU_0_TO_1"], Trend.WORSE),
        (["ABS", "RELU_0_TO_1"], ["RELU_0_TO_1"], Trend.WORSE),
        (["ABS", "RELU_0_TO_1"], ["ABS", "RELU_0_TO_1", "RELU_0_TO_1"], Trend.WORSE),
        (["ABS", "RELU_0_TO_1"], ["ABS", "ABS", "RELU_0_TO_1"], Trend.SAME),
        (["RELU_0_TO_1"], ["ABS", "RELU_0_TO_1"], Trend.BETTER),
    ],
)
def test_residency(old: list[str], new: list[str], trend: Trend) -> None:
    (residency,) = compare(judged(chain(*old)), judged(chain(*new))).residencies
    assert residency.trend is trend


def test_each_release_is_told() -> None:
    names = versions(chain("ABS"), chain("RELU_0_TO_1"))
    shown = run(*names, "--litert", "all").stdout
    assert "  2.1.2 to 2.1.4: same: all on the GPU\n" in shown
    assert "  2.1.5 to 2.3.0: worse: all on the GPU -> none on the GPU\n" in shown


def test_bundles_are_compared_model_by_model(folder: Path) -> None:
    for name, entries in {"old": ["ABS", "RELU_0_TO_1"], "new": ["ABS", "ABS"], "less": ["ABS"]}.items():
        with zipfile.ZipFile(folder / f"{name}.task", "w") as archive:
            for number, op in enumerate(entries):
                archive.writestr(f"{number}.tflite", chain(op))
    better = run("old.task", "new.task")
    assert better.exit_code == 0
    assert "old.task/1.tflite -> new.task/1.tflite" in better.stdout
    singly = run("old.task", "less.task")
    assert singly.exit_code == 2
    assert singly.stderr == "Error: old.task holds 2 models and less.task 1: compare them singly\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "new.tflite: cannot be opened: No such file or directory"),
        (b"nonsense", "new.tflite: text file, not a model (at byte 0)"),
    ],
)
def test_what_cannot_be_compared_is_one_line(data: bytes | None, words: str) -> None:
    Path("old.tflite").write_bytes(chain("ABS"))
    if data is not None:
        Path("new.tflite").write_bytes(data)
    result = run("old.tflite", "new.tflite")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {words}\n")


def test_two_files_are_wanted() -> None:
    assert run("old.tflite").exit_code == 2


def test_the_config_file_holds(folder: Path) -> None:
    (folder / "tflint.toml").write_text('fail-on = "never"\n')
    assert run(*versions(chain("ABS"), chain("RELU_0_TO_1"))).exit_code == 0


def test_names_from_a_model_cannot_drive_the_terminal() -> None:
    shown = run(*versions(chain("ABS"), chain("RELU_0_TO_1", name="\x1b[2J")), "--color").stdout
    assert "\x1b[2J" not in shown
    assert "\\x1b[2J" in shown


def test_the_same_bytes_from_run_to_run() -> None:
    names = versions(chain("RELU_0_TO_1"), chain("ROUND"))
    assert run(*names, "--format", "json").stdout == run(*names, "--format", "json").stdout
