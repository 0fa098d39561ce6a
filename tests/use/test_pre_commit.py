"""The hooks, as pre-commit installs and runs them in a repository of models."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "fixtures" / "models"
DAMAGED = ROOT / "fixtures" / "damaged"

pytestmark = pytest.mark.xdist_group("pre-commit")  # one worker installs the hooks


def variables(home: Path) -> dict[str, str]:
    """The environment of a user who has git not configured. pip's settings stay: they say where packages come from."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return {
        **kept,
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_COMPILE": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }


class Repository:
    """A throw-away git repository."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._variables = variables(home)
        folder.mkdir(parents=True, exist_ok=True)
        self.run("git", "init", "--quiet")

    def run(self, *command: str, status: int = 0) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def commit(self, status: int = 0) -> str:
        self.run("git", "add", "--all")
        return self.run("git", "commit", "--message=models", status=status)

    def put(self, name: str, source: Path) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments that it makes: once for all tests here."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def published(home: Path) -> Repository:
    """This tree as a repository that pre-commit can clone, what is not committed yet included."""
    folder = home / "tflint"
    ignored = shutil.ignore_patterns(".git", ".*_cache", ".venv", ".hypothesis", "__pycache__", "*.egg-info", "build")
    shutil.copytree(ROOT, folder, ignore=ignored)
    repository = Repository(folder, home)
    repository.commit()
    return repository


@pytest.fixture
def project(tmp_path: Path, home: Path, published: Repository) -> Callable[[str], Repository]:
    """Makes a repository that uses one hook of ours, given as YAML."""

    def make(hook: str) -> Repository:
        repository = Repository(tmp_path / "project", home)
        revision = published.run("git", "rev-parse", "HEAD").strip()
        (repository.folder / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: file://{published.folder}\n  rev: {revision}\n  hooks:\n  - {hook}\n"
        )
        repository.run("pre-commit", "install")
        return repository

    return make


def test_only_a_commit_with_a_bad_model_is_stopped(project: Callable[[str], Repository]) -> None:
    repository = project("{id: tflint, args: [--litert, 2.1.6]}")
    (repository.folder / "notes.txt").write_text("no model\n")
    assert "no files to check" in repository.commit()

    repository.put("models/good.tflite", MODELS / "clean.tflite")
    assert "Passed" in repository.commit()

    repository.put("models/bad.tflite", MODELS / "relu_0_to_1.tflite")
    said = repository.commit(status=1)
    assert "models/bad.tflite\n" in said
    assert "error[relu-0-to-1]" in said
    assert "the GPU refuses RELU_0_TO_1" in said
    assert "help: write it as MINIMUM(RELU(x), 1)" in said
    assert "models/good.tflite" not in said, "pre-commit hands over what the commit changes"
    assert repository.run("git", "log", "--format=%s", "--", "models/bad.tflite") == ""

    repository.put("models/bad.tflite", MODELS / "clean.tflite")
    repository.commit()


def test_a_pointer_is_no_model(project: Callable[[str], Repository]) -> None:
    repository = project("{id: tflint}")
    repository.put("pointer.tflite", DAMAGED / "lfs-pointer.tflite")
    repository.put("bad.tflite", MODELS / "select.tflite")
    said = repository.commit(status=1)
    assert "pointer.tflite: error: Git LFS pointer, not the model itself: run `git lfs pull`" in said
    assert "error[select]" in said, "the others are linted all the same"


def test_bundles_are_models(project: Callable[[str], Repository]) -> None:
    repository = project("{id: tflint, args: [--litert, 2.1.6]}")
    with zipfile.ZipFile(repository.folder / "b.task", "w") as archive:
        archive.write(MODELS / "relu_0_to_1.tflite", "inner.tflite")
    assert "b.task/inner.tflite" in repository.commit(status=1)


@pytest.mark.delegate
def test_the_delegate_is_asked(project: Callable[[str], Repository]) -> None:
    repository = project("{id: tflint-confirm, args: [--litert, latest, --select, split]}")
    repository.put("good.tflite", MODELS / "clean.tflite")
    assert "Passed" in repository.commit()
    # The prediction is silenced here, so it is the delegate's own answer that stops the commit.
    repository.put("wrong.tflite", MODELS / "aliasing.tflite")
    said = repository.commit(status=1)
    assert "confirm wrong: differs from the CPU" in said
