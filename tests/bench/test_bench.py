"""The benchmark's models, cases, measuring and table. No time is judged here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import models
from bench.cases import HEADER, Case, cases, line, row
from bench.measure import ENVIRONMENT, Measured, Side, in_turns, sample
from bench.subjects import Subject
from bench.tools import Tools
from tflint import lint

GOALS = {
    "tiny model": ("0.5 of edge-lint", None),
    "EfficientNet-B3": ("0.4 of edge-lint", None),
    "1 GB": ("0.1 of edge-lint, 64 MiB", 64 << 20),
    "2.4 GB": ("0.1 of edge-lint, 64 MiB", 64 << 20),
    "20,000 operators": ("2.2 of 10,000 operators", None),
    "4 made models": ("0.15 of edge-lint", None),
    "`tflint --version`": ("2.5 of `python -c pass`", None),
}


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def subjects(folder: Path) -> list[Subject]:
    many = folder / "many"
    many.mkdir()
    for number in range(4):
        (many / f"{number}.tflite").touch()
    counts = {"tiny": 2, "network": 386, "1 GB": 1, "2.4 GB": 1, "10,000": 10_000, "20,000": 20_000}
    alone = [Subject(name, str(folder / f"{name}.tflite"), count, 5 * 10**7) for name, count in counts.items()]
    return [*alone, Subject("many", str(many), 4, 0)]


def test_each_case_has_its_goal_and_runs_the_tools_it_names(tmp_path: Path) -> None:
    made = list(cases(Tools(tmp_path), subjects(tmp_path)))
    for case, (name, (goal, memory)) in zip(made, GOALS.items(), strict=True):
        assert case.name.startswith(name)
        assert (case.goal, case.most_memory) == (goal, memory)
        assert case.tflint[0] == str(tmp_path / "tflint/bin/tflint")
    assert [len(side.commands) for side in made[5].sides] == [1, 4, 4]
    assert made[4].others["10,000 operators"].commands == ((made[0].tflint[0], str(tmp_path / "10,000.tflite")),)


def measured(seconds: float, mib: int = 20, failure: str | None = None) -> Measured:
    return Measured(seconds, seconds / 2, mib << 20, failure)


@pytest.mark.parametrize(
    ("ours", "theirs", "cells"),
    [
        (measured(0.1), measured(1.0), ("0.100", "1.000", "3.000", "0.100", "0.100", "20", "yes")),
        (measured(0.11), measured(1.0), ("0.110", "1.000", "3.000", "0.110", "0.110", "20", "no")),
        (measured(0.1, 65), measured(1.0), ("0.100", "1.000", "3.000", "0.100", "0.100", "65", "no")),
        (measured(0.1), measured(9, 0, "a | b"), ("0.100", r"fails: a \| b", "3.000", "", "", "20", "")),
        (measured(0.1, 20, "signal 9"), measured(1.0), ("fails: signal 9", "1.000", "3.000", "", "", "20", "no")),
    ],
)
def test_a_row_says_what_came_out_and_whether_the_goal_is_met(
    ours: Measured, theirs: Measured, cells: tuple[str, ...]
) -> None:
    case = Case("c", ("t",), {"edge-lint": Side((("e",),)), "analyzer": Side((("a",),))}, 0.1, 64 << 20)
    shown = row(case, [ours, theirs, measured(3.0)])
    assert len(shown) == len(HEADER)
    assert line(shown) == f"| c | 0.1 of edge-lint, 64 MiB | {' | '.join(cells)} |"


def test_what_is_compared_with_itself_names_its_base() -> None:
    case = Case("c", ("t",), {"half": Side((("t",),))}, 2.2)
    assert row(case, [measured(2.0), measured(1.0)])[5] == "2.000 (of 1.000 s)"


def test_a_process_is_measured_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = sample(python("held = bytearray(200 << 20); import time; time.sleep(0.05)"))
    assert taken.failure is None
    assert taken.seconds >= 0.05
    assert taken.peak >= 200 << 20
    assert not any(name.startswith("PYTHON") for name in ENVIRONMENT)


@pytest.mark.parametrize(
    ("program", "failure"),
    [
        ("raise SystemExit(1)", None),
        ("import sys; print('first\\nlast', file=sys.stderr); sys.exit(2)", "exit status 2: last"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
    ],
)
def test_a_finding_is_no_failure(program: str, failure: str | None) -> None:
    assert sample(python(program)).failure == failure


def test_one_command_runs_in_every_turn_and_several_once_each(tmp_path: Path) -> None:
    log = tmp_path / "log"
    said = [python(f"open({str(log)!r}, 'a').write({word!r})") for word in "abcde"]
    alone, dealt = in_turns([Side((said[0],)), Side(tuple(said[1:]))], 3)
    assert log.read_text() == "abeacad"
    assert dealt.seconds > alone.seconds


def test_a_tool_that_fails_is_not_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (result,) = in_turns([Side((python(f"open({str(log)!r}, 'a').write('x'); raise SystemExit(3)"),))], 3)
    assert (result.failure, log.read_text()) == ("exit status 3: no word on stderr", "x")


def test_the_models_are_what_the_cases_say(tmp_path: Path) -> None:
    path = models.network([(16, 6), (16, 6), (24, 1)], stem=16, head=32).write(tmp_path / "network.tflite")
    (result,) = lint(path)
    assert result.error is None
    assert models.described("x", path).operators == 3 + 15 + 15 + 11 + 6
    big = models.efficientnet()
    assert 350 <= len(big.operators) <= 450
    assert len(models.deep(600).operators) in range(600, 615)


def test_the_nearest_model_is_so_by_size_and_by_operators() -> None:
    given = [
        Subject(name, "", count, size)
        for name, count, size in (
            ("small", 400, 10**6),
            ("few", 10, 5 * 10**7),
            ("near", 450, 3 * 10**7),
            ("none", 0, 5 * 10**7),
        )
    ]
    assert models.nearest(given).name == "near"
