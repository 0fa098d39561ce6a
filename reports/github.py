"""Annotations for a GitHub Actions log."""

from __future__ import annotations

from ..linter.findings import Severity
from .merged import held_on, merge
from .page import Page
from .printing import place_words, printable

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(page: Page) -> str:
    lines = []
    for result in page.results:
        if result.error is not None:
            lines.append(f"::error file={_property(result.path)},title=tflint::{_data(str(result.error))}")
        for entry in merge(result):
            finding = entry.finding
            where = f"{place_words(finding)}: " if finding.place else ""
            on = held_on(entry, result)
            text = f"{where}{finding.message}{f' (on {on})' if on else ''}\nhelp: {finding.advice}"
            lines.append(
                f"::{_COMMANDS[finding.severity]} file={_property(result.path)},"
                f"title={_property(f'tflint {finding.rule}')}::{_data(text)}"
            )
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return "%0A".join(printable(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return printable(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
