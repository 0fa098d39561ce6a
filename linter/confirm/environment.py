"""Find a Python interpreter that has one exact release of ai-edge-litert.

In this order: the running one; a folder of environments that TFLINT_LITERT_ENVS names
(`2.3.0/` or `v2.3.0/` in it, one an environment); the user's cache; and, only when allowed, a new
environment in that cache.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

VARIABLE = "TFLINT_LITERT_ENVS"

FIRST_RELEASE = (2, 1, 2)
"""The first whose wheels carry a GPU accelerator (measured: 2.0.x, 2.1.0, 2.1.1 and 1.x have none)."""

INSTALL_SECONDS = 900


class NoEnvironment(Exception):
    """No interpreter has that release. The text is one line and says what to do."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter with the release, and where it comes from."""

    python: Path
    release: str
    origin: Literal["running", "folder", "cache", "installed"]


def find(release: str, *, install: bool = False) -> Environment:
    """The interpreter to use for `release`, for instance `2.1.6`.

    With `install`, a missing environment is made with uv, or with venv and pip, and kept in the
    cache. Raises NoEnvironment.
    """
    _check(release)
    if _running() == release:
        return Environment(Path(sys.executable), release, "running")
    folder = os.environ.get(VARIABLE)
    if folder and (python := _in_folder(Path(folder).expanduser(), release)):
        return Environment(python, release, "folder")
    kept = cache_folder() / _name(release)
    if release_of(python := interpreter(kept)) == release:
        return Environment(python, release, "cache")
    if not install:
        raise NoEnvironment(_advice(release))
    _make(kept, release)
    return Environment(python, release, "installed")


def cache_folder() -> Path:
    """Where the environments are kept."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        return base / "tflint" / "Cache" / "litert"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tflint" / "litert"
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tflint" / "litert"


def interpreter(environment: Path) -> Path:
    """The interpreter of a virtual environment, whether it exists or not."""
    if sys.platform == "win32":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def release_of(python: Path) -> str:
    """The ai-edge-litert release installed beside `python`, or the empty string.

    No process is started: the version is in the name of the dist-info folder.
    """
    root = python.parent.parent
    patterns = (
        "lib/python3*/site-packages/ai_edge_litert-*.dist-info",
        "Lib/site-packages/ai_edge_litert-*.dist-info",
    )
    for pattern in patterns:
        for found in sorted(root.glob(pattern)):
            return found.name.removeprefix("ai_edge_litert-").removesuffix(".dist-info")
    if python == Path(sys.executable):
        return _running()
    return ""


def _check(release: str) -> None:
    """Refuse what cannot be a release with a GPU accelerator, before anything is installed."""
    parts = release.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise NoEnvironment(f"{release} is not a LiteRT release")
    if tuple(int(part) for part in parts) < FIRST_RELEASE:
        raise NoEnvironment(f"ai-edge-litert {release} carries no GPU accelerator; 2.1.2 is the first that does")


def _running() -> str:
    """The release in the running interpreter, when all that its runtime imports is there too."""
    try:
        release = importlib.metadata.version("ai-edge-litert")
    except importlib.metadata.PackageNotFoundError:
        return ""
    # 2.1.6 and later import ml_dtypes without requiring it.
    needed = ("numpy", "ml_dtypes")
    return release if all(importlib.util.find_spec(name) for name in needed) else ""


def _in_folder(folder: Path, release: str) -> Path | None:
    for name in (release, f"v{release}"):
        python = interpreter(folder / name)
        if release_of(python) == release:
            return python
    return None


def _name(release: str) -> str:
    return f"{release}-py{sys.version_info.major}{sys.version_info.minor}"


def _advice(release: str) -> str:
    have = _running()
    installed = f"ai-edge-litert {have} is installed" if have else "ai-edge-litert is not installed"
    return (
        f"confirming on LiteRT {release} needs ai-edge-litert {release} and {installed}; add --install to make "
        f"an environment for it, or run: pip install ai-edge-litert=={release} ml-dtypes"
    )


def _make(place: Path, release: str) -> None:
    """Make the environment beside its place and move it there when it is whole."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=place.parent) as name:
        fresh = Path(name) / "environment"
        packages = [f"ai-edge-litert=={release}", "ml-dtypes", "numpy"]
        python = str(interpreter(fresh))
        uv = shutil.which("uv")
        if uv:
            _call([uv, "venv", "--quiet", "--python", sys.executable, str(fresh)], release)
            _call([uv, "pip", "install", "--quiet", "--python", python, *packages], release)
        else:
            _call([sys.executable, "-m", "venv", str(fresh)], release)
            _call([python, "-m", "pip", "install", "--quiet", *packages], release)
        if place.exists():
            shutil.rmtree(place)
        fresh.rename(place)


def _call(command: list[str], release: str) -> None:
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoEnvironment(f"an environment for LiteRT {release} could not be made: {error}") from error
    if answer.returncode == 0:
        return
    lines = [line for line in answer.stderr.splitlines() if not line.lower().startswith("warning")]
    why = " ".join(" ".join(lines).split()) or "no reason given"
    raise NoEnvironment(f"an environment for LiteRT {release} could not be made: {why[:300]}")
