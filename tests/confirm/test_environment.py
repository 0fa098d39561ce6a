"""Which interpreter is chosen, and what is said when there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tflint.linter.confirm import environment
from tflint.linter.confirm.environment import Environment, NoEnvironment, find, interpreter, release_of


def make(folder: Path, release: str) -> Path:
    """A folder that looks like a virtual environment with that release."""
    python = interpreter(folder)
    python.parent.mkdir(parents=True)
    python.touch()
    packages = "Lib/site-packages" if sys.platform == "win32" else "lib/python3.11/site-packages"
    (folder / packages / f"ai_edge_litert-{release}.dist-info").mkdir(parents=True)
    return python


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No release in the running interpreter, and an empty cache."""
    monkeypatch.setattr(environment, "_running", lambda: "")
    monkeypatch.setattr(environment, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.delenv(environment.VARIABLE, raising=False)


def test_running_interpreter_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "2.1.6", "2.1.6")
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path))
    monkeypatch.setattr(environment, "_running", lambda: "2.1.6")
    assert find("2.1.6") == Environment(Path(sys.executable), "2.1.6", "running")


@pytest.mark.parametrize("name", ["2.1.6", "v2.1.6"])
def test_folder_of_environments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = make(tmp_path / name, "2.1.6")
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path))
    assert find("2.1.6") == Environment(python, "2.1.6", "folder")


def test_folder_with_another_release_under_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "2.1.6", "2.1.5")
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path))
    with pytest.raises(NoEnvironment):
        find("2.1.6")


def test_cache(tmp_path: Path) -> None:
    name = f"2.2.0-py{sys.version_info.major}{sys.version_info.minor}"
    python = make(tmp_path / "cache" / name, "2.2.0")
    assert find("2.2.0") == Environment(python, "2.2.0", "cache")


def test_missing_release_is_advice_in_one_line() -> None:
    with pytest.raises(NoEnvironment, match=r"needs ai-edge-litert 2\.2\.0 .* --install .* pip install") as caught:
        find("2.2.0")
    assert "\n" not in str(caught.value)


def test_nothing_is_installed_unasked(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment):
        find("2.2.0")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("release", ["2.1.1", "2.0.3", "1.4.0"])
def test_release_without_accelerator(release: str) -> None:
    with pytest.raises(NoEnvironment, match="carries no GPU accelerator"):
        find(release, install=True)


@pytest.mark.parametrize("release", ["latest", "2.3", "2.3.0;x", "../2.3.0", ""])
def test_what_is_no_release(release: str) -> None:
    with pytest.raises(NoEnvironment, match="is not a LiteRT release"):
        find(release, install=True)


def test_failed_installation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))
    with pytest.raises(NoEnvironment, match="could not be made"):
        find("2.2.0", install=True)
    assert list((tmp_path / "cache").iterdir()) == []


def test_release_of_a_folder_without_litert(tmp_path: Path) -> None:
    assert release_of(interpreter(tmp_path)) == ""
