"""What a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..linter.delegate.placement import Placement, Verdict
from ..linter.findings import Finding, Severity
from ..linter.results import ModelResult
from .merged import Merged, describe, merge, spans
from .page import Page

if TYPE_CHECKING:
    from ..linter.confirm.answers import Confirmation

_COLOURS = {"error": "31", "warning": "33", "info": "36", "bold": "1", "dim": "2", "good": "32"}

_VERDICTS = {
    Verdict.FULL: ("good", "every operator on the GPU"),
    Verdict.PARTIAL: ("warning", "partly on the GPU"),
    Verdict.NONE: ("error", "nothing on the GPU"),
    Verdict.FAILS: ("error", "creating the CompiledModel with the GPU fails"),
    Verdict.UNLOADABLE: ("error", "the runtime cannot run it, on the CPU either"),
    Verdict.UNKNOWN: ("warning", "cannot be told from the file"),
}


class _Paint:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, *styles: str) -> str:
        if not self._colour or not text:
            return text
        codes = ";".join(_COLOURS[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def printable(text: str) -> str:
    """Text from a model, safe for a terminal: control characters are shown as escapes and not obeyed."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def render(page: Page) -> str:
    return "".join(f"{line}\n" for result in page.results for line in model_lines(result, page)) + closing(page)


def closing(page: Page) -> str:
    """The last line: what the run found in all."""
    paint = _Paint(page.colour)
    counts = dict.fromkeys(Severity, 0)
    failed = 0
    for result in page.results:
        failed += result.error is not None
        for entry in merge(result):
            counts[entry.finding.severity] += 1
    models = _count(len(page.results), "model")
    unread = f", {_count(failed, 'file')} not read" if failed else ""
    if not any(counts.values()):
        clean = "No findings" if not failed else "No findings in what could be read"
        return paint(f"{clean} in {models}{unread}.", "good" if not failed else "error") + "\n"
    found = ", ".join(
        paint(_count(number, severity.value, plural=severity is not Severity.INFO), severity.value)
        for severity, number in counts.items()
        if number
    )
    return f"Found {found} in {models}{unread}.\n"


def _count(number: int, noun: str, plural: bool = True) -> str:
    return f"{number} {noun}{'s' if plural and number != 1 else ''}"


def model_lines(result: ModelResult, page: Page) -> Iterator[str]:
    paint = _Paint(page.colour)
    name = printable(result.path)
    if result.error is not None:
        yield f"{paint(name, 'bold')}: {paint('error', 'error')}: {printable(str(result.error))}"
        yield ""
        return
    yield paint(name, "bold")
    yield from _placements(result, paint)
    entries = merge(result)
    for target in result.targets:
        if target.confirm is not None:
            yield from _confirmation(target.confirm, paint)
    if entries:
        yield ""
    last = None
    for entry in entries:
        where = entry.finding.place
        if where != last:
            if last is not None:
                yield ""
            last = where
        yield from _finding(entry, result, paint)
    yield ""


def _confirmation(confirmation: Confirmation, paint: _Paint) -> Iterator[str]:
    from ..linter.confirm.answers import Outcome
    from ..linter.confirm.rendering import lines

    style = {Outcome.CONFIRMED: "good", Outcome.UNCONFIRMED: "warning"}.get(confirmation.outcome, "error")
    first, *rest = lines(confirmation)
    yield ""
    yield f"  {paint('confirm', 'bold')} {paint(printable(first), style)}"
    for line in rest:
        yield f"  {printable(line)}".rstrip()


def _placements(result: ModelResult, paint: _Paint) -> Iterator[str]:
    """One line for each group of releases with the same placement."""
    groups: list[tuple[Placement, list[str]]] = []
    for target in result.targets:
        placement = target.placement
        for known, versions in groups:
            if known.line == placement.line and known.verdict is placement.verdict:
                if placement.litert not in versions:
                    versions.append(placement.litert)
                break
        else:
            groups.append((placement, [placement.litert]))
    for placement, versions in groups:
        style, words = _VERDICTS[placement.verdict]
        if placement.verdict in (Verdict.PARTIAL, Verdict.NONE) and result.targets[0].target.accelerators == "gpu":
            words += ", so a GPU-only CompiledModel is not created"
        yield f"  {paint(spans(versions), 'bold')}: {paint(words, style)}"
        for line in (placement.line or "").splitlines():
            yield f"    {paint(line, 'dim')}"


def _finding(entry: Merged, result: ModelResult, paint: _Paint) -> Iterator[str]:
    finding = entry.finding
    where = f"{place_words(finding)}: " if finding.place else ""
    yield (
        f"  {paint(where, 'bold')}{paint(finding.severity.value, finding.severity.value)}"
        f"{paint(f'[{finding.rule}]', 'dim')} {printable(finding.message)}"
    )
    if finding.place is not None and finding.place.tensors:
        yield f"    {paint('tensors:', 'dim')} {', '.join(printable(tensor) for tensor in finding.place.tensors)}"
    yield f"    {paint('help:', 'dim')} {printable(finding.advice)}"
    every = [target.target for target in result.targets]
    for severity in reversed(Severity):
        targets = entry.at(severity)
        if not targets:
            continue
        words = describe(targets, every)
        if severity is finding.severity:
            if words:
                yield f"    {paint('on:', 'dim')} {words}"
        else:
            yield f"    {paint(severity.value, severity.value)} {paint('on:', 'dim')} {words}"


def place_words(finding: Finding) -> str:
    """The place as a person finds it again: ``0/3 DIV`` is operator 3 of subgraph 0."""
    if finding.place is None:
        return ""
    return f"{finding.place.subgraph}/{finding.place.index} {printable(finding.place.op)}"
