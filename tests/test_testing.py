"""`assert_gpu_ready`, in pytest as its users run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tflint import assert_gpu_ready
from tflint.commands import tflint
from tflint.fixtures.builder import Graph


def model(*ops: str) -> bytes:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    for op in ops:
        x = g.op(op, x)
    g.output(x)
    return g.build()


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    """A model that releases up to 2.1.4 take and 2.1.5 to 2.1.6 refuse."""
    path = tmp_path / "refused.tflite"
    path.write_bytes(model("ABS", "RELU_0_TO_1"))
    return path


def failure(source: str | Path | bytes, **asked: str) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_gpu_ready(source, **asked)  # type: ignore[arg-type]
    return str(caught.value)


def test_a_ready_model_passes() -> None:
    assert_gpu_ready(model("ABS"))
    assert_gpu_ready(model("ABS"), litert="all")


def test_the_failure_is_the_report(refused: Path) -> None:
    report = CliRunner().invoke(tflint, [str(refused), "--litert", "2.1.6"]).stdout
    assert "error[relu-0-to-1]" in report
    assert failure(refused, litert="2.1.6") == f"not ready for LiteRT's GPU\n\n{report}"


def test_paths_and_bytes_are_alike(refused: Path) -> None:
    from_bytes = failure(refused.read_bytes(), litert="2.1.6")
    assert failure(refused, litert="2.1.6") == from_bytes.replace("<bytes>", str(refused))
    assert failure(str(refused), litert="2.1.6") == failure(refused, litert="2.1.6")


def test_every_release_counts(refused: Path) -> None:
    assert_gpu_ready(refused, litert=["2.1.3", "2.1.4"])
    assert "error[relu-0-to-1]" in failure(refused, litert="2.1.4,2.1.5")


def test_what_is_allowed_passes(refused: Path) -> None:
    assert_gpu_ready(refused, litert="2.1.6", accelerators="gpu,cpu")
    assert_gpu_ready(refused, litert="2.1.6", ignore=["relu-0-to-1"])
    assert "warning[relu-0-to-1]" in failure(refused, litert="2.1.6", accelerators="gpu,cpu", fail_on="warning")


def test_what_is_less_grave_is_not_shown() -> None:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    g.output(g.op("RELU_0_TO_1", x), g.op("MUL", x, g.const(np.array([70000.0], np.float32))))
    text = failure(g.build(), litert="2.1.6", accelerators="gpu,cpu")
    assert "error[fp16-overflow-constant]" in text
    assert "warning[" not in text
    text = failure(g.build(), litert="2.1.6", accelerators="gpu,cpu", fail_on="warning")
    assert "warning[relu-0-to-1]" in text


def test_what_cannot_be_read_is_not_ready(tmp_path: Path) -> None:
    assert "text file, not a model" in failure(b"nonsense, and enough of it")
    assert "No such file" in failure(tmp_path / "absent.tflite")


@pytest.mark.parametrize("wrong", [{"litert": "1.0"}, {"backend": "cuda"}, {"fail_on": "never"}])
def test_an_unknown_word_is_no_verdict(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"1\.0|cuda|never"):
        assert_gpu_ready(model("ABS"), **wrong)  # type: ignore[arg-type]


def test_pytest_points_at_the_line_that_asked(refused: Path, tmp_path: Path) -> None:
    test = tmp_path / "test_models.py"
    test.write_text(
        "from tflint import assert_gpu_ready\n\n\n"
        "def test_ready():\n"
        f"    assert_gpu_ready({str(refused)!r}, litert='2.1.6')\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "test_models.py:5: AssertionError" in done.stdout
    assert "error[relu-0-to-1]" in done.stdout
    assert "testing.py" not in done.stdout, "the helper's own frames are of no use to a reader"
