"""Markdown for a pull request comment or a model card: the verdict, a table of releases, then one line a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..linter.delegate.placement import Verdict
from ..linter.findings import Finding, Severity
from ..linter.results import ModelResult
from .merged import Same, held_on, merge, renamed, same
from .page import Page
from .printing import abbreviated, place_words, printable
from .text import change_words
from .upgrade import Effect, upgrades
from .verdict import Status, model_status, sentence, target_status, worst

LISTED = 50
"""Findings and changes listed of one model: a comment on GitHub ends at 65,536 characters."""

_WORDS = {
    Verdict.FULL: "every operator on the GPU",
    Verdict.PARTIAL: "partly on the GPU",
    Verdict.NONE: "nothing on the GPU",
    Verdict.FAILS: "creation fails",
    Verdict.UNLOADABLE: "does not run at all",
    Verdict.UNKNOWN: "cannot be told",
}
_STATUS_MARKS = {Status.FAILS: "❌", Status.WARNS: "⚠️", Status.SHIPS: "✅"}
_MARKS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "ℹ️"}  # noqa: RUF001
_EFFECT_MARKS = {Effect.BREAKS: "❌ breaks", Effect.FIXES: "✅ fixes", Effect.MOVES: "moves"}


def render(page: Page) -> str:
    return "\n".join(line for result in page.results for line in _model(result)) + (
        f"\n<sub>tflint {page.version}</sub>\n"
    )


def _model(result: ModelResult) -> Iterator[str]:
    yield f"### {_code(result.path)}"
    yield ""
    if result.error is not None:
        yield f"❌ not read: {_text(str(result.error))}"
        yield ""
        return
    yield f"{_STATUS_MARKS[model_status(result)]} **{_text(sentence(result))}**"
    yield ""
    yield from _table(result)
    yield ""
    changes = list(_upgrades(result))
    yield from _listed(changes)
    if changes:
        yield ""
    entries = merge(result)
    yield from _listed([_finding(group, result) for group in same(entries)])
    if not entries:
        yield "No findings."
    yield ""


def _listed(lines: list[str]) -> Iterator[str]:
    yield from lines[:LISTED]
    if len(lines) > LISTED:
        yield f"- and {len(lines) - LISTED} more"


def _table(result: ModelResult) -> Iterator[str]:
    """A row for each release: the backends differ in nothing but their findings, and the gravest counts."""
    yield "| LiteRT | verdict | GPU | CPU | errors | warnings |"
    yield "|---|---|---:|---:|---:|---:|"
    for litert, targets in result.by_release.items():
        placement = targets[0].placement
        verdict = f"{_STATUS_MARKS[worst(map(target_status, targets))]} {_WORDS[placement.verdict]}"
        counts = [
            max(sum(found.severity is severity for found in target.findings) for target in targets)
            for severity in (Severity.ERROR, Severity.WARNING)
        ]
        cells = [litert, verdict, placement.gpu_ops, placement.cpu_ops, *counts]
        yield f"| {' | '.join(map(str, cells))} |"


def _upgrades(result: ModelResult) -> Iterator[str]:
    for step in upgrades(result):
        for change in step.changes:
            yield f"- **{step.before} to {step.after}** {_EFFECT_MARKS[change.effect]} {_text(change_words(change))}"


def _finding(group: Same, result: ModelResult) -> str:
    entry, finding = group.first, group.first.finding
    where = ""
    if finding.place is not None:
        where = f" at {_code(place_words(finding))}"
        where += f" and {len(group.entries) - 1} more" if len(group.entries) > 1 else ""
    on = held_on(entry, result)
    return (
        f"- {_MARKS[finding.severity]} **{finding.rule}**{where}: {_prose(finding.message.rstrip('. '), finding)}"
        f"{f' ({on})' if on else ''}. Fix: {_prose(finding.advice.removeprefix('fix first: '), finding)}"
    )


def _prose(text: str, finding: Finding) -> str:
    """Text of a finding, with the names of its tensors as code."""
    return _text(renamed(text, finding, lambda name: f"`{printable(abbreviated(name)).replace('`', chr(39))}`"))


def _code(text: str) -> str:
    """Inline code whatever the text holds, backticks included."""
    shown = printable(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _text(text: str) -> str:
    """Prose in which nothing but code spans has a meaning."""
    parts = printable(text).split("`")
    if len(parts) % 2 == 0:
        return _plain("`".join(parts))
    return "".join(_code(part) if number % 2 else _plain(part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    marked = re.sub(r"([\\`<>\[\]*_|~])", r"\\\1", text)
    # GitHub finds mentions and references in the rendered text, so a backslash does not stop it.
    return re.sub("[@#]", r"\g<0><!-- -->", marked)
