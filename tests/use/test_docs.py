"""The pages do what they say: their commands run, their Python runs, their configuration is valid, their links lead somewhere.

A block's language says what is done with it: `python`, all of a page's blocks in order; `sh`, each line that starts with
`tflint`; `console`, each line after `$ `, which must print the lines below it, in that order (`...` stands for anything);
`yaml` and `toml`, by the file that their first line names. Anything else is only shown.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tflint import checks
from tflint.commands import tflint
from tflint.linter import config

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
SCHEMAS = {".github/workflows": "vendor.github-workflows", ".gitlab-ci.yml": "vendor.gitlab-ci"}
BIN = Path(sys.executable).parent

BAD_TEST = """\
from tflint import assert_gpu_ready


def test_ready():
    assert_gpu_ready("bad.tflite", litert="2.1.6")
"""


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str


def blocks() -> Iterator[Block]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            yield Block(page, text[: found.start(2)].count("\n") + 1, found[1], found[2])


BLOCKS = list(blocks())


def each(language: str) -> pytest.MarkDecorator:
    chosen = [block for block in BLOCKS if block.language == language]
    assert chosen
    return pytest.mark.parametrize(
        "block", [pytest.param(block, id=f"{block.page.name}:{block.line}") for block in chosen]
    )


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the pages' commands find what they name."""
    for name in ("fixtures", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    models = ROOT / "fixtures" / "models"
    shutil.copy(models / "clean.tflite", tmp_path / "model.tflite")
    shutil.copy(models / "relu_0_to_1.tflite", tmp_path / "bad.tflite")
    shutil.copy(models / "relu_0_to_1.tflite", tmp_path / "old.tflite")
    (tmp_path / "models" / "more").mkdir(parents=True)
    shutil.copy(models / "select.tflite", tmp_path / "models")
    shutil.copy(models / "clean.tflite", tmp_path / "models" / "more")
    shutil.copy(ROOT / "docs" / "device.log", tmp_path)
    (tmp_path / "misspelt.toml").write_text('litrt = "2.1.6"\n')
    (tmp_path / "test_models.py").write_text(BAD_TEST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bash(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@each("sh")
def test_commands_run(block: Block, clone: Path) -> None:
    for line in block.text.splitlines():
        if not line.startswith("tflint "):
            continue
        if "--confirm" in line or "://" in line:  # another test's: here it need only be a command
            words = shlex.split(line, comments=True)[1:]
            assert tflint.make_context("tflint", words, resilient_parsing=True)
            continue
        done = bash(line)
        assert done.returncode in (0, 1), f"{line}\n{done.stdout}"


def test_the_first_commands_lead_to_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a clone to the first finding in two minutes, as the README says it and with nothing else."""
    first = next(block for block in BLOCKS if block.page.name == "README.md" and block.language == "sh")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, tmp_path / "clone", ignore=ignored)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["bash", "-e", "-c", first.text],
        cwd=tmp_path / "clone",
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.returncode == 1, done.stderr
    assert "error[relu-0-to-1]" in done.stdout
    with capsys.disabled():
        print(f"\nfirst finding after {took:.0f} s, {work:.0f} s of them at work")
    # Other programs on the machine are no fault of the commands, so their own time counts.
    assert work < 120


@each("console")
def test_commands_print_what_is_shown(block: Block, clone: Path) -> None:
    for command, *expected in (part.splitlines() for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]):
        printed = iter(line.strip() for line in bash(command).stdout.splitlines())
        for line in expected:
            wanted = re.sub(r"^(E +)?(\.\.\. ?)?", "", line.strip())
            assert any(wanted in found for found in printed), f"{command}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, clone: Path) -> None:
    namespace: dict[str, object] = {}
    for block in BLOCKS:
        if block.page != page or block.language != "python" or "import ray" in block.text:
            continue
        # Blank lines in front, so that a traceback has the page's own line numbers.
        exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), namespace)
    for name, value in namespace.items():
        if name.startswith("test_") and callable(value):
            value()
    if page.name == "many-models.md":
        assert namespace["shard"](["model.tflite", "bad.tflite"]).count("\n") == 2  # type: ignore[operator]


@each("yaml")
def test_yaml_is_valid(block: Block, tmp_path: Path) -> None:
    name = block.text.splitlines()[0].removeprefix("# ")
    path = tmp_path / Path(name).name
    path.write_text(block.text)
    if name == ".pre-commit-config.yaml":
        command = ["pre-commit", "validate-config", str(path)]
    else:
        (schema,) = (schema for part, schema in SCHEMAS.items() if part in name)
        command = ["check-jsonschema", "--builtin-schema", schema, str(path)]
    subprocess.run([str(BIN / command[0]), *command[1:]], check=True)


def test_the_hooks_are_valid() -> None:
    manifest = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([str(BIN / "pre-commit"), "validate-manifest", str(manifest)], check=True)


@each("toml")
def test_toml_is_read(block: Block, tmp_path: Path) -> None:
    path = tmp_path / block.text.splitlines()[0].removeprefix("# ")
    path.write_text(block.text)
    read = config.load(path, checks.TABLE)
    assert read != config.Config(source=path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_config_page_names_every_key() -> None:
    """What `--show-config` or an error can name is on the page."""
    text = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    with pytest.raises(config.ConfigError) as error:
        config._Reader(Path("x"), checks.TABLE).read({"?": 1})
    known = str(error.value).partition("known: ")[2].split(", ")
    assert len(known) > 10
    assert [key for key in known if not re.search(rf"^\[*{key}\b", text, re.MULTILINE)] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES[1:] if f"(docs/{page.name})" not in readme] == []
