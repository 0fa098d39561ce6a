"""`--confirm` from the command line and from Python, on the real delegate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from doomed import aborts, hangs

import tflint
from tflint.commands import tflint as command
from tflint.fixtures.builder import Graph
from tflint.linter.confirm.device import DRIVER_VARIABLES

MODELS = Path(__file__).parent.parent / "fixtures" / "models"
DAMAGED = Path(__file__).parent.parent / "fixtures" / "damaged"


def run(model: str, *options: str) -> Result:
    """`model` is one of the demo models, or a path. A later `--litert` would add to the first."""
    release = [] if "--litert" in options else ["--litert", "2.3.0"]
    arguments = [str(MODELS / model), *release, "--backend", "webgpu", "--confirm", "--device", "software"]
    return CliRunner().invoke(command, [*arguments, *options], catch_exceptions=False)


@pytest.mark.delegate
@pytest.mark.xdist_group("delegate")
class TestOnTheDelegate:
    def test_a_clean_model_is_confirmed(self) -> None:
        result = run("clean.tflite")
        assert result.exit_code == 0
        assert "confirm confirmed: 8 operators on the GPU" in result.stdout
        assert "LiteRT 2.3.0, SwiftShader" in result.stdout

    def test_a_partly_delegated_one_shows_the_runtimes_sentence(self) -> None:
        result = run("partial.tflite", "--accelerators", "gpu,cpu", "--fail-on", "never")
        assert "6 operations will run on the GPU, and the remaining 11 operations will run on the CPU." in result.stdout
        assert "as predicted" in result.stdout

    def test_a_refused_one(self) -> None:
        result = run("relu_0_to_1.tflite")
        assert result.exit_code == 1
        assert "refused     RELU_0_TO_1: Not supported op RELU_0_TO_1" in result.stdout

    def test_nothing_on_the_gpu_is_never_confirmed(self) -> None:
        assert "confirm unconfirmed: no operator ran on the GPU" in run("identical_div.tflite").stdout

    def test_a_wrong_output_is_traced_to_its_operator(self) -> None:
        result = run("aliasing.tflite", "--bisect")
        assert result.exit_code == 1
        assert "confirm wrong" in result.stdout
        assert "first wrong 0/0:ADD" in result.stdout

    def test_the_last_line_says_that_a_model_without_findings_is_not_confirmed(self) -> None:
        result = run("aliasing.tflite", "--ignore", "add-output-aliasing")
        assert result.exit_code == 1
        assert result.stdout.endswith("No findings in 1 model, 1 not confirmed.\n")

    def test_json_states_where_it_ran(self) -> None:
        document = json.loads(run("clean.tflite", "--format", "json").stdout)
        confirm = document["models"][0]["targets"][0]["confirm"]
        assert (confirm["outcome"], confirm["litert"], confirm["agrees"]) == ("confirmed", "2.3.0", True)
        assert confirm["device"].startswith("SwiftShader")

    def test_the_page_shows_it(self, tmp_path: Path) -> None:
        run("aliasing.tflite", "--report", str(tmp_path / "report.html"))
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "Predicted against measured on 2.3.0" in text
        assert "<strong>wrong</strong>: differs from the CPU beyond its tolerance: residual" in text

    def test_from_python(self) -> None:
        answer = tflint.confirm(MODELS / "clean.tflite", litert="2.3.0", device="software")
        assert answer.outcome.value == "confirmed"


@pytest.mark.delegate
@pytest.mark.xdist_group("delegate")
class TestWhatGoesWrong:
    """One clear line each, and nothing left behind; `tests/confirm/test_runner.py` counts the processes."""

    def test_a_runtime_that_dies(self, tmp_path: Path) -> None:
        model = tmp_path / "split.tflite"
        model.write_bytes(aborts())
        result = run(str(model))
        assert result.exit_code == 1
        assert "confirm failed: creating the CompiledModel kills the process (SIGABRT), as predicted" in result.stdout

    def test_a_runtime_that_hangs(self, tmp_path: Path) -> None:
        model = tmp_path / "loop.tflite"
        model.write_bytes(hangs())
        result = run(str(model), "--timeout", "20", "--accelerators", "gpu,cpu")
        assert result.exit_code == 1
        assert "confirm failed: running it does not end within the time limit" in result.stdout

    def test_another_release_is_installed_when_that_is_allowed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """2.1.5 dies of the DEQUANTIZE of a runtime FLOAT16 tensor."""
        monkeypatch.delenv("TFLINT_LITERT_ENVS", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        g = Graph()
        g.output(g.op("TANH", g.op("DEQUANTIZE", g.input([1, 4], "FLOAT16"), type="FLOAT32")))
        result = run(str(g.write(tmp_path / "half.tflite")), "--litert", "2.1.5", "--install")
        assert result.exit_code == 1
        assert "confirm failed: creating the CompiledModel kills the process (SIGABRT), as predicted" in result.stdout
        assert "LiteRT 2.1.5, " in result.stdout

    def test_no_device(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in DRIVER_VARIABLES:
            monkeypatch.setenv(name, "/nonexistent.json")
        result = run("clean.tflite")
        assert result.exit_code == 2
        assert len(result.stderr.strip().splitlines()) == 1
        assert "the Vulkan driver /nonexistent.json has no usable device" in result.stderr


def test_a_damaged_model_is_an_error_before_anything_runs() -> None:
    arguments = [str(DAMAGED / "truncated.tflite"), "--confirm"]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 2
    assert "truncated.tflite: error:" in result.stdout


def test_an_environment_that_is_not_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFLINT_LITERT_ENVS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = CliRunner().invoke(
        command, [str(MODELS / "clean.tflite"), "--litert", "2.1.3", "--confirm"], catch_exceptions=False
    )
    assert result.exit_code == 2
    assert "--install" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_another_backend_cannot_be_confirmed_here() -> None:
    arguments = [str(MODELS / "clean.tflite"), "--backend", "opencl", "--confirm"]
    assert CliRunner().invoke(command, arguments, catch_exceptions=False).exit_code == 2
