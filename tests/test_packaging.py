"""What a user installs: the wheel's files, its commands, what it needs, how fast it imports."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tflint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements" / "dev.txt"
# Folders at the root that are no part of the package, beside hidden ones.
OUTSIDE = {"build", "dist", "docs", "requirements", "tests"}
COMMANDS = {"tflint", "tflite-lint"}
MODEL = ROOT / "fixtures" / "models" / "clean.tflite"

pytestmark = pytest.mark.xdist_group("packaging")  # one worker builds the wheel


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by way of a source distribution: that one must be whole too."""
    source = tmp_path_factory.mktemp("source") / "tree"
    out = tmp_path_factory.mktemp("dist")
    # In a copy: a build/ left over in the tree would slip its old modules into the wheel.
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, source, ignore=ignored)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source))
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def shipped(wheel: Path) -> set[str]:
    """The wheel's files, but for its own metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def run(*command: str, **variables: str) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files() -> Iterator[Path]:
    """Every file in the package's folders, relative to the root, hidden ones left out."""
    for folder, below, names in os.walk(ROOT):
        here = Path(folder).relative_to(ROOT)
        outside = OUTSIDE if here == Path() else set()
        below[:] = [name for name in below if name not in outside and not name.startswith((".", "__"))]
        below[:] = [name for name in below if not name.endswith(".egg-info")]
        yield from (here / name for name in names if not name.startswith("."))


def modules() -> Iterator[Path]:
    return (path for path in files() if path.suffix == ".py")


def is_data(path: Path) -> bool:
    """Whether the package needs this file beside its modules."""
    aside = path.parts[0] == "fixtures" or path.match("reports/sample.*") or path.suffix == ".md"
    return path.parent != Path() and path.suffix != ".py" and not aside


def dotted(folder: Path) -> str:
    return ".".join(("tflint", *folder.parts))


def test_declared_packages_are_the_folders_with_modules(project: dict[str, Any]) -> None:
    declared = project["tool"]["setuptools"]["packages"]
    assert declared == sorted({dotted(path.parent) for path in modules()})


def test_every_folder_with_modules_is_a_regular_package() -> None:
    bare = {path.parent for path in modules() if not (ROOT / path.parent / "__init__.py").is_file()}
    assert not bare


def test_wheel_puts_tflint_and_nothing_else_at_the_top(wheel: Path) -> None:
    metadata = f"tflint-{tflint.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"tflint", metadata}


def test_wheel_holds_all_modules_and_data_and_no_more(shipped: set[str]) -> None:
    expected = {Path("py.typed"), *modules(), *filter(is_data, files())}
    assert shipped == {f"tflint/{path.as_posix()}" for path in expected}


def test_wheel_works_without_the_tree(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    isolated = {"PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    where = run(sys.executable, "-c", "import tflint; print(tflint.__file__)", **isolated)
    assert Path(where.strip()) == tmp_path / "tflint" / "__init__.py"
    # The page needs the templates.
    page = [sys.executable, "-m", "tflint", str(MODEL), "--format", "html", "--fail-on", "never"]
    assert run(*page, **isolated) == run(*page)


def test_wheel_declares_the_commands(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        text = archive.read(name).decode()
    found = re.findall(r"^(\S+) = (\S+)$", text, re.MULTILINE)
    assert dict(found) == dict.fromkeys(COMMANDS, "tflint.cli:main")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_command_is_the_same_as_the_module(name: str) -> None:
    command = Path(sys.executable).parent / name
    assert run(str(command), "targets") == run(sys.executable, "-m", "tflint", "targets")


def test_version_is_written_once() -> None:
    assert importlib.metadata.version("tflint") == tflint.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", tflint.__version__)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("tflint", {"click", "flatbuffers", "importlib.metadata", "jinja2", "numpy", "tflite"}),
        ("tflint.cli", {"ai_edge_litert", "flatbuffers", "jinja2", "numpy", "tflite"}),
    ],
)
def test_import_is_cheap(module: str, heavy: set[str]) -> None:
    code = f"import json, sys; import {module}; print(json.dumps(list(sys.modules)))"
    loaded = set(json.loads(run(sys.executable, "-c", code)))
    assert module in loaded
    assert not loaded & heavy


def test_root_has_one_name_in_this_process() -> None:
    # pytest would import it as the clone's folder too, and every module below it twice.
    root = str(ROOT / "__init__.py")
    names = {name for name, module in sys.modules.items() if getattr(module, "__file__", 0) == root}
    assert names == {"tflint"}


def imported(path: Path) -> Iterator[str]:
    """Top-level names of what a module imports, relative imports left out."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


def test_what_the_package_imports_is_declared(project: dict[str, Any]) -> None:
    core = {Requirement(line).name for line in project["project"]["dependencies"]}
    extra = {Requirement(line).name for lines in project["project"]["optional-dependencies"].values() for line in lines}
    # tomllib came with 3.11; a module asks for the version before it imports it.
    standard = sys.stdlib_module_names | {"tomllib"}
    undeclared = []
    for path in modules():
        # Only these may ask for what is an extra: the runtime, and the readers of remote files.
        extended = path.is_relative_to("linter/confirm") or path.is_relative_to("fixtures")
        declared = core | extra if extended or path == Path("linter/remote.py") else core
        undeclared += [
            f"{path.as_posix()}: {name}"
            for name in imported(ROOT / path)
            if name not in standard and canonicalize_name(name) not in declared
        ]
    assert not undeclared


def test_requirements_are_pinned_hashed_and_meet_every_declared_range(
    project: dict[str, Any],
) -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    assert "://" not in text, "an address of a registry"
    pinned: dict[str, list[str]] = {}
    # A block is a pin, then, indented, its hashes and comments; the header is none.
    for block in re.split(r"\n(?=\w)", text)[1:]:
        assert "\n    --hash=sha256:" in block, block
        requirement = Requirement(block.split(" \\\n")[0])
        (pin,) = requirement.specifier
        assert pin.operator == "==", block
        pinned.setdefault(canonicalize_name(requirement.name), []).append(pin.version)

    lines = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["confirm"],
        *project["dependency-groups"]["dev"],
    ]
    for declared in map(Requirement, lines):
        versions = pinned[canonicalize_name(declared.name)]
        assert all(declared.specifier.contains(version) for version in versions), declared
