"""Globs that the shell leaves alone: quoted ones, and every one on Windows."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tflint.commands import tflint
from tflint.linter.errors import ModelError
from tflint.linter.inputs import files


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.tflite",
        "a.tflite",
        "notes.txt",
        "in/c.task",
        "in/deep/d.tflite",
        "in/deep/e.litertlm",
        "x[1].tflite",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    (tmp_path / "in" / "saved.tflite").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["[ab].tflite"], "a.tflite b.tflite"),
        (["?.tflite"], "a.tflite b.tflite"),
        (["in/*"], "in/c.task"),
        (["in/**/*.tflite"], "in/deep/d.tflite"),
        (["**"], "a.tflite b.tflite in/c.task in/deep/d.tflite in/deep/e.litertlm x[1].tflite"),
        (["**/*.litertlm", "in/**"], "in/deep/e.litertlm in/c.task in/deep/d.tflite"),
        (["x[1].tflite"], "x[1].tflite"),
        (["x[[]1].tflite"], "x[1].tflite"),
        (["notes.txt"], "notes.txt"),
    ],
)
def test_a_glob_means_the_models_it_matches(tree: Path, patterns: list[str], expected: str) -> None:
    found = files(map(Path, patterns))
    assert " ".join(Path(path).as_posix() for path in found) == expected


def test_absolute_globs(tree: Path) -> None:
    assert list(files([tree / "in" / "*"])) == [tree / "in" / "c.task"]


@pytest.mark.parametrize("pattern", ["*.txt", "missing/*", "c[12].tflite"])
def test_a_glob_that_matches_no_model_is_an_error(tree: Path, pattern: str) -> None:
    with pytest.raises(ModelError, match="no model matches"):
        list(files([Path(pattern)]))
    done = CliRunner().invoke(tflint, [pattern])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"Error: {pattern}: no model matches (.tflite, .task, .litertlm)\n"


def test_a_missing_file_without_a_glob_is_named(tree: Path) -> None:
    assert list(files([Path("absent.tflite")])) == [Path("absent.tflite")]
