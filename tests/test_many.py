"""Config files, baselines, many models, standard input and bundles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from bundling import litertlm
from click.testing import CliRunner, Result

from tflint.commands import tflint
from tflint.fixtures.builder import Graph


def run(*arguments: str | Path, data: bytes | None = None) -> Result:
    return CliRunner().invoke(tflint, [str(argument) for argument in arguments], input=data, catch_exceptions=False)


def model(*ops: str, name: str = "x") -> bytes:
    g = Graph()
    x = g.input([1, 4, 4, 8], name=name)
    for op in ops:
        x = g.op(op, x)
    g.output(x)
    return g.build()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clean.tflite").write_bytes(model("ABS"))
    (tmp_path / "refused.tflite").write_bytes(model("RELU_0_TO_1"))
    return tmp_path


class TestConfig:
    def test_the_nearest_file_holds(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('litert = "2.1.4"\n')
        assert run("refused.tflite").exit_code == 0
        (folder / "inner").mkdir()
        os.chdir(folder / "inner")
        assert run("../refused.tflite").exit_code == 0

    def test_pyproject_is_read(self, folder: Path) -> None:
        (folder / "pyproject.toml").write_text('[tool.tflint]\nfail-on = "never"\n')
        assert run("refused.tflite").exit_code == 0

    def test_a_pyproject_without_a_section_is_passed_over(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('fail-on = "never"\n')
        (folder / "inner").mkdir()
        (folder / "inner" / "pyproject.toml").write_text('[project]\nname = "other"\n')
        os.chdir(folder / "inner")
        assert run("../refused.tflite").exit_code == 0

    def test_the_command_line_wins(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('litert = "2.1.4"\nfail-on = "never"\n')
        assert run("refused.tflite", "--litert", "2.1.5", "--fail-on", "error").exit_code == 1

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ('litrt = "2.1.4"', "did you mean 'litert'?"),
            ('litert = "9.9.9"', "is not one of"),
            ('ignore = ["relu-0-to-2"]', "did you mean 'relu-0-to-1'?"),
            ("[severity]\nsplit = 'fatal'", "is not one of"),
            ("[limits]\noversized = 3", "did you mean 'oversized-constant'?"),
            ("[input-ranges]\nx = [2, 1]", "[lowest, highest] is wanted"),
            ('[[ignores]]\nrule = "split"', "a reason is wanted"),
            ('[[ignores]]\nreason = "so"', "name a rule"),
            ("litert = ", "tflint.toml"),
        ],
    )
    def test_what_is_wrong_is_said(self, folder: Path, text: str, words: str) -> None:
        (folder / "tflint.toml").write_text(text)
        result = run("clean.tflite")
        assert result.exit_code == 2
        assert words in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1

    def test_severities(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('[severity]\nrelu-0-to-1 = "info"\n')
        result = run("refused.tflite")
        assert (result.exit_code, "info[relu-0-to-1]" in result.stdout) == (0, True)
        (folder / "tflint.toml").write_text('[severity]\nrelu-0-to-1 = "off"\n')
        assert "relu-0-to-1" not in run("refused.tflite").stdout

    def test_ignores_with_a_reason(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text(
            '[[ignores]]\nop = "RELU_*"\ntensor = "x"\nreason = "on the CPU by intent"\n'
        )
        assert run("refused.tflite").exit_code == 0
        (folder / "tflint.toml").write_text('[[ignores]]\nop = "RELU_*"\ntensor = "y"\nreason = "another tensor"\n')
        assert run("refused.tflite").exit_code == 1

    def test_ignores_by_path(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('[per-path-ignores]\n"refused*" = ["relu-0-to-1"]\n')
        assert run("refused.tflite").exit_code == 0

    def test_show_config(self, folder: Path) -> None:
        (folder / "tflint.toml").write_text('litert = ["2.1.4", "2.3.0"]\n[limits]\noversized-constant = 5\n')
        shown = run("lint", "--show-config").stdout
        assert 'litert = ["2.1.4", "2.3.0"]' in shown
        assert "oversized-constant" in shown
        assert "tflint.toml" in shown


class TestBaseline:
    def test_accepted_findings_do_not_count_and_new_ones_do(self, folder: Path) -> None:
        assert run("refused.tflite", "--write-baseline", "--baseline", "base.json").exit_code == 0
        assert run("refused.tflite", "--baseline", "base.json").exit_code == 0
        (folder / "refused.tflite").write_bytes(model("RELU_0_TO_1", "LOG_SOFTMAX"))
        result = run("refused.tflite", "--baseline", "base.json", "--select", "error")
        assert result.exit_code == 1
        assert "unsupported-op" in result.stdout
        assert "relu-0-to-1" not in result.stdout

    def test_survives_renumbering(self, folder: Path) -> None:
        run("refused.tflite", "--write-baseline", "--baseline", "base.json")
        g = Graph()
        g.output(g.op("ABS", g.input([1, 4, 4, 8], name="new")))
        g.output(g.op("RELU_0_TO_1", g.input([1, 4, 4, 8], name="x")))
        (folder / "refused.tflite").write_bytes(g.build())
        assert run("refused.tflite", "--baseline", "base.json").exit_code == 0

    def test_a_second_one_of_the_same_kind_is_new(self, folder: Path) -> None:
        run("refused.tflite", "--write-baseline", "--baseline", "base.json")
        g = Graph()
        x = g.input([1, 4, 4, 8], name="x")
        g.output(g.op("RELU_0_TO_1", x), g.op("RELU_0_TO_1", x))
        (folder / "refused.tflite").write_bytes(g.build())
        assert run("refused.tflite", "--baseline", "base.json").exit_code == 1

    @pytest.mark.parametrize("text", ["", "[]", '{"schema": 9, "models": {}}', '{"schema": 1}'])
    def test_a_file_that_is_no_baseline(self, folder: Path, text: str) -> None:
        (folder / "base.json").write_text(text)
        result = run("clean.tflite", "--baseline", "base.json")
        assert result.exit_code == 2
        assert "base.json" in result.stderr


class TestMany:
    def test_jobs_give_the_same_bytes(self, folder: Path) -> None:
        (folder / "bad.tflite").write_bytes(b"nonsense")
        one, two = (run(".", "--format", "json", "--jobs", jobs) for jobs in ("1", "2"))
        assert one.stdout == two.stdout
        assert one.exit_code == two.exit_code == 2

    def test_standard_input(self, folder: Path) -> None:
        result = run("-", "--litert", "2.1.6", data=model("RELU_0_TO_1"))
        assert result.exit_code == 1
        assert "<stdin>" in result.stdout

    def test_nothing_but_the_report_on_stdout(self, folder: Path) -> None:
        (folder / "bad.tflite").write_bytes(b"nonsense")
        command = [sys.executable, "-m", "tflint", ".", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        assert done.returncode == 2
        assert len(json.loads(done.stdout)["models"]) == 3
        assert "bad.tflite" in done.stderr


def task(path: Path, entries: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


class TestBundles:
    def test_each_model_of_a_task_is_linted(self, folder: Path) -> None:
        task(folder / "b.task", {"a.tflite": model("ABS"), "b.tflite": model("RELU_0_TO_1"), "vocab.txt": b"a b c"})
        result = run("b.task", "--format", "json")
        assert [entry["path"] for entry in json.loads(result.stdout)["models"]] == [
            "b.task/a.tflite",
            "b.task/b.tflite",
        ]
        assert result.exit_code == 1

    def test_compressed_entries(self, folder: Path) -> None:
        task(folder / "b.task", {"a.tflite": model("RELU_0_TO_1")}, zipfile.ZIP_DEFLATED)
        assert run("b.task").exit_code == 1

    def test_models_of_a_litertlm(self, folder: Path) -> None:
        (folder / "b.litertlm").write_bytes(litertlm((4, b"tokens"), (3, model("RELU_0_TO_1"))))
        result = run("b.litertlm", "--format", "json")
        assert [entry["path"] for entry in json.loads(result.stdout)["models"]] == ["b.litertlm/section1"]
        assert result.exit_code == 1

    @pytest.mark.parametrize(
        ("entries", "words"),
        [
            ({"../a.tflite": model("ABS")}, "points outside the bundle"),
            ({"/a.tflite": model("ABS")}, "points outside the bundle"),
            ({"readme.txt": b"no model"}, "bundle without a .tflite model"),
        ],
    )
    def test_hostile_archives_get_one_line(self, folder: Path, entries: dict[str, bytes], words: str) -> None:
        task(folder / "b.task", entries)
        result = run("b.task")
        assert result.exit_code == 2
        assert words in result.stdout

    def test_a_bomb_is_not_inflated(self, folder: Path) -> None:
        task(folder / "b.task", {"a.tflite": bytes(64 << 20)}, zipfile.ZIP_DEFLATED)
        result = run("b.task")
        assert result.exit_code == 2
        assert "identifier" in result.stdout or "grows beyond" in result.stdout

    def test_overlapping_sections(self, folder: Path) -> None:
        data = litertlm((4, bytes(20000)), (3, model("ABS")), shift=-20000)
        (folder / "b.litertlm").write_bytes(data)
        result = run("b.litertlm")
        assert result.exit_code == 2
        assert "overlap" in result.stdout

    def test_every_truncation_of_a_bundle(self, folder: Path) -> None:
        from tflint import lint

        whole = task(folder / "b.task", {"a.tflite": model("ABS")}).read_bytes()
        for size in range(0, len(whole), 7):
            (folder / "cut.task").write_bytes(whole[:size])
            (result,) = lint("cut.task")
            assert result.error is not None
            assert "\n" not in str(result.error)
