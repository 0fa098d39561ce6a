"""Help that reads like a manual page, and whose claims hold."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tflint import manual
from tflint.commands import lint, tflint

ROOT = Path(__file__).resolve().parent.parent.parent


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(tflint, [*arguments, "--help"], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_the_sections_of_the_overview() -> None:
    sections = re.findall(r"^(\w[\w ]*):", shown(), re.MULTILINE)
    assert sections == ["Usage", "Options", "Commands", "Examples", "Exit status", "Shell completion", "See also"]


def test_every_option_of_lint_stands_in_one_section() -> None:
    declared = {parameter.name for parameter in lint.params if isinstance(parameter, click.Option)}
    listed = Counter(name for names in manual.OPTIONS.values() for name in names)
    assert set(listed) == declared
    assert set(listed.values()) == {1}
    sections = re.findall(r"^([\w-][\w -]*):$", shown("lint"), re.MULTILINE)
    assert sections == [*manual.OPTIONS, "Options", "Examples", "Exit status", "Environment", "Files"]


def test_every_option_says_what_it_does() -> None:
    for command in (tflint, *tflint.commands.values()):
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, (command.name, parameter.name)


def test_lines_fit_a_terminal_and_nothing_is_cut() -> None:
    for command in ([], *([name] for name in tflint.commands)):
        text = shown(*command)
        assert "..." not in text.replace("MODEL...", "").replace("ARGS]...", "").replace("R,...", "")
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("example", [command for command, _ in (*manual.START, *manual.LINT)])
def test_the_examples_are_commands(example: str) -> None:
    """They parse; what runs them for real are the tests of the documentation."""
    words = shlex.split(example.rpartition("|")[2].partition(">")[0])
    assert words.pop(0) == "tflint"
    context = tflint.make_context("tflint", words, resilient_parsing=True)
    name, command, rest = tflint.resolve_command(context, [*context._protected_args, *context.args])
    assert command is not None
    assert command.make_context(name, rest, parent=context).params


def test_the_variables_named_are_read_somewhere() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8") for folder in ("linter", "reports") for path in (ROOT / folder).rglob("*.py")
    ) + (ROOT / "commands.py").read_text(encoding="utf-8")
    for names, _ in manual.ENVIRONMENT:
        for name in names.split(", "):
            assert f'"{name}"' in sources


@pytest.mark.parametrize("value", ["", "1"])
def test_no_color(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setenv("NO_COLOR", value)
    runner = CliRunner()
    with runner.isolation(color=True) as streams:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        tflint.main([str(ROOT / "fixtures" / "models" / "clean.tflite")], standalone_mode=False)
        assert (b"\x1b[" in streams[0].getvalue()) is not bool(value)
