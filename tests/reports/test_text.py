"""The terminal: colour, width, folding. What a whole report says is a snapshot in test_formats.py."""

from __future__ import annotations

import re

import pytest
from reporting import graph, partly

import tflint
from tflint import checks
from tflint.fixtures.builder import Graph
from tflint.linter.engine import lint_bytes
from tflint.linter.targets import Target
from tflint.reports.page import Page
from tflint.reports.text import PLACES, STRIP, render

LONG = "model/" * 60 + "end"


def text(data: bytes, litert: tuple[str, ...] = ("2.3.0",), *, colour: bool = False, width: int | None = None) -> str:
    targets = [Target(version, "webgpu") for version in litert]
    result = lint_bytes(data, targets, checks.every(), name="m.tflite")
    return render(Page((result,), tflint.__version__, colour=colour, width=width))


def refusals(count: int) -> bytes:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    g.output(*(g.op("RELU_0_TO_1", x, name=f"y{number}") for number in range(count)))
    return g.build()


def test_colour_changes_nothing_but_colour() -> None:
    coloured = text(partly(), colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text(partly())
    assert coloured.count("\x1b[0m") > 10


@pytest.mark.parametrize("width", [80, 120])
def test_lines_end_at_the_edge_of_the_terminal(width: int) -> None:
    g = Graph()
    x = g.input([1, 4, 4, 8], name=LONG)
    g.output(g.op("LOG_SOFTMAX", g.op("RESHAPE", x, [1, 4, 4, 4, 2], name=LONG + "2")))
    lines = text(g.build(), ("2.1.4", "2.3.0"), width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert max(map(len, lines)) > width - 20


def test_outside_a_terminal_names_are_whole_and_lines_are_not_broken() -> None:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    y = g.op("ADD", x, g.input([1, 4, 4, 8], name="z"), name=LONG)
    g.output(y, g.op("SUM", y, [1, 2]))
    assert LONG in text(g.build())
    assert LONG not in text(g.build(), width=80)


def test_one_fault_at_many_operators_is_said_once() -> None:
    count = PLACES + 3
    shown = text(refusals(count))
    assert shown.count("error[relu-0-to-1]") == 1
    assert f"0/{PLACES - 1} and 3 more RELU_0_TO_1" in shown
    assert f"Found {count} errors" in shown


@pytest.mark.parametrize("operators", [12, 1000])
def test_the_strip_shows_what_is_refused_however_long_the_graph(operators: int) -> None:
    (strip,) = (line.strip() for line in text(partly(operators)).splitlines() if set(line.strip()) == set("#-x"))
    assert len(strip) <= STRIP
    assert strip.count("x") == 2


def test_what_an_upgrade_breaks_stands_before_the_findings() -> None:
    shown = text(graph(), ("2.1.4", "2.1.6"))
    assert 0 < shown.index("upgrade 2.1.4 -> 2.1.6") < shown.index("breaks 0/1 RELU_0_TO_1") < shown.index("error[")
    assert "upgrade" not in text(graph())
