"""Every cut and every changed byte of the demo models: a lint, or one line with an offset, in a moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz.limits import within_limits

from tflint import checks
from tflint.fixtures.demo_models import MODELS
from tflint.linter.case import Case
from tflint.linter.engine import Registered, lint_bytes, lint_file
from tflint.linter.findings import Finding
from tflint.linter.targets import LATEST, Target

SMALL = 1000
"""Bytes of a model up to which every offset is damaged. Of a larger one it is every seventh, or every 131st."""


def offsets(data: bytes) -> range:
    return range(0, len(data), 1 if len(data) <= SMALL else 7 if len(data) <= 5000 else 131)


def ends_well(data: bytes) -> bool:
    """Whether the model is linted still. What cannot be read has a line of its own, which the command prints before it
    exits with 2."""
    result = lint_bytes(data, [Target(LATEST, "webgpu")], checks.some(checks.TABLE))
    if result.error is None:
        assert len(result.targets) == 1
        return True
    assert result.error.message
    assert result.error.message.isprintable()
    assert result.error.offset is None or 0 <= result.error.offset <= len(data)
    return False


def held(data: bytes) -> bool:
    answers: list[bool] = []
    within_limits(lambda given: answers.append(ends_well(given)), data)
    return answers[0]


@pytest.fixture(scope="module", params=MODELS)
def good(request: pytest.FixtureRequest) -> bytes:
    data = MODELS[request.param]().build()
    assert held(data)
    return data


def test_every_truncation(good: bytes) -> None:
    """Whatever is cut off is missed: these models end with their tables."""
    for size in offsets(good):
        assert not held(good[:size]) or size >= len(good) - 3  # the last bytes may be alignment


@pytest.mark.parametrize("change", ["inverted", "one bit"])
def test_every_byte_changed(good: bytes, change: str) -> None:
    linted = 0
    changed = bytearray(good)
    for position in offsets(good):
        byte = good[position]
        changed[position] = byte ^ (0xFF if change == "inverted" else 1 << position % 8)
        linted += held(bytes(changed))
        changed[position] = byte
    # Both happen: the damage reaches the rules, and the reader refuses some.
    assert 0 < linted < len(offsets(good))


def test_a_fault_of_the_linter_s_own_costs_one_file(tmp_path: Path) -> None:
    """The others are linted, and nobody takes it for a fault of the model."""
    rule = checks.registered("split").rule

    def broken(case: Case) -> Iterator[Finding]:
        if case.model.size != len(other):
            raise IndexError("tuple index out of range")
        yield rule.finding(None, "found", advice="none")

    data, other = MODELS["identical_div"]().build(), MODELS["split"]().build()
    (tmp_path / "a.tflite").write_bytes(data)
    (tmp_path / "b.tflite").write_bytes(other)
    first, second = (
        lint_file(tmp_path / name, [Target(LATEST, "webgpu")], [Registered(rule, broken)])[0]
        for name in ("a.tflite", "b.tflite")
    )
    assert first.error is not None
    assert first.error.message.startswith(
        "fault of tflint itself (IndexError: tuple index out of range, test_damaged.py:"
    )
    assert [finding.message for finding in second.findings] == ["found"]


def test_the_command_exits_with_two(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from tflint.commands import tflint

    data = MODELS["identical_div"]().build()
    for size in range(0, len(data), 23):
        (tmp_path / "cut.tflite").write_bytes(data[:size])
        result = CliRunner().invoke(tflint, [str(tmp_path / "cut.tflite")], catch_exceptions=False)
        assert result.exit_code == 2
        assert len(result.stdout.splitlines()) == 3  # the line, an empty one, the sum
