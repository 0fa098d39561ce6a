"""Markdown for a pull request comment or a model card: a verdict table, then one line a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..linter.delegate.placement import Verdict
from ..linter.results import ModelResult
from .merged import describe, merge
from .page import Page
from .text import place_words, printable

_WORDS = {
    Verdict.FULL: "✅ every operator on the GPU",
    Verdict.PARTIAL: "⚠️ partly on the GPU",
    Verdict.NONE: "❌ nothing on the GPU",
    Verdict.FAILS: "❌ creation fails",
    Verdict.UNLOADABLE: "❌ does not run at all",
    Verdict.UNKNOWN: "❔ unknown",
}
_MARKS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}  # noqa: RUF001


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
    yield "| LiteRT | verdict | GPU | CPU | errors | warnings |"
    yield "|---|---|---:|---:|---:|---:|"
    seen = set()
    for target in result.targets:
        if target.target.litert in seen:
            continue
        seen.add(target.target.litert)
        same = [other for other in result.targets if other.target.litert == target.target.litert]
        counts = {
            severity: max(sum(found.severity.value == severity for found in other.findings) for other in same)
            for severity in ("error", "warning")
        }
        placement = target.placement
        yield (
            f"| {target.target.litert} | {_WORDS[placement.verdict]} | {placement.gpu_ops} | {placement.cpu_ops} "
            f"| {counts['error']} | {counts['warning']} |"
        )
    yield ""
    every = [target.target for target in result.targets]
    entries = merge(result)
    for entry in entries:
        finding = entry.finding
        where = f" at {_code(place_words(finding))}" if finding.place else ""
        on = describe([target for target, _ in entry.targets], every)
        yield (
            f"- {_MARKS[finding.severity.value]} **{finding.rule}**{where}: {_text(finding.message.rstrip('. '))}"
            f"{f' ({on})' if on else ''}. Fix: {_text(finding.advice)}"
        )
    if not entries:
        yield "No findings."
    yield ""


def _code(text: str) -> str:
    """Inline code whatever the text holds, backticks included."""
    shown = printable(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _text(text: str) -> str:
    """Prose in which only code spans of our own keep a meaning: a name from a model cannot mark up anything."""
    return re.sub(r"([\\<>\[\]*_|~#@])", r"\\\1", printable(text).replace("\n", " "))
