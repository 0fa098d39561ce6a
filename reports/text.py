"""What a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ..linter.delegate.placement import Placement, Verdict
from ..linter.findings import Finding, Severity
from ..linter.results import ModelResult
from ..linter.targets import Target
from .merged import Same, describe, merge, renamed, same, spans
from .page import Page
from .printing import abbreviated, place_words, printable, some
from .residency import GPU, LEFT_OUT, REFUSED, condensed, letters, subgraphs
from .upgrade import Change, Effect, Upgrade, upgrades
from .verdict import Status, confirmed_status, model_status, refuted, sentence

if TYPE_CHECKING:
    from ..linter.confirm.answers import Confirmation

PLACES = 5
"""Places named of one finding; the rest are counted."""

CHANGES = 6
"""Changes named of one upgrade; the rest are counted."""

STRIP = 64
"""Columns that a residency strip takes at most."""

_COLOURS = {"error": "31", "warning": "33", "info": "36", "bold": "1", "dim": "2", "good": "32", "gpu": "34"}
_STATUS = {Status.FAILS: "error", Status.WARNS: "warning", Status.SHIPS: "good"}
_EFFECTS = {Effect.BREAKS: "error", Effect.FIXES: "good", Effect.MOVES: "dim"}
_SIGNS = {GPU: ("#", "gpu"), LEFT_OUT: ("-", "warning"), REFUSED: ("x", "error")}
_LEGEND = {GPU: "GPU", LEFT_OUT: "accepted, but left on the CPU", REFUSED: "refused"}
_VERDICTS = {
    Verdict.FULL: ("good", "every operator on the GPU"),
    Verdict.PARTIAL: ("warning", "partly on the GPU"),
    Verdict.NONE: ("error", "nothing on the GPU"),
    Verdict.FAILS: ("error", "creating the CompiledModel with the GPU fails"),
    Verdict.UNLOADABLE: ("error", "the runtime cannot run it, on the CPU either"),
    Verdict.UNKNOWN: ("warning", "cannot be told from the file"),
}


class _Paint:
    """Colour and line width of the terminal; neither where the output is no terminal."""

    def __init__(self, colour: bool, width: int | None = None) -> None:
        self._colour = colour
        self._width = width

    def __call__(self, text: str, *styles: str) -> str:
        if not (self._colour and text and styles):
            return text
        return f"\x1b[{';'.join(_COLOURS[style] for style in styles)}m{text}\x1b[0m"

    def name(self, name: str) -> str:
        """A tensor's name: a terminal gets its end, other outputs all of it."""
        return name if self._width is None else abbreviated(name)

    def lines(
        self, head: str, text: str, hang: int, label: Sequence[str] = (), style: Sequence[str] = ()
    ) -> Iterator[str]:
        """Head and text, each in its style; broken at the edge of the terminal, later lines `hang` columns in."""
        found = [head + text]
        if self._width is not None:
            import textwrap

            room = max(self._width, hang + 30)
            found = textwrap.wrap(
                head + text, room, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
            )
        yield self(head, *label) + self(found[0][len(head) :], *style)
        for line in found[1:]:
            yield " " * hang + self(line[hang:], *style)


def render(page: Page) -> str:
    return "".join(f"{line}\n" for result in page.results for line in model_lines(result, page)) + closing(page)


def closing(page: Page) -> str:
    """The last lines: what the run found in all."""
    paint = _Paint(page.colour, page.width)
    counts = dict.fromkeys(Severity, 0)
    failed = unconfirmed = 0
    for result in page.results:
        failed += result.error is not None
        unconfirmed += any(refuted(target) for target in result.targets)
        for entry in merge(result):
            counts[entry.finding.severity] += 1
    models = count(len(page.results), "model")
    besides = f", {count(failed, 'file')} not read" if failed else ""
    besides += f", {unconfirmed} not confirmed" if unconfirmed else ""
    ships = f" ({_ships(page)})" if len(page.results) > 1 else ""
    if not any(counts.values()):
        clean = "No findings" if not failed else "No findings in what could be read"
        return paint(f"{clean} in {models}{besides}.", "error" if failed or unconfirmed else "good") + "\n"
    found = ", ".join(
        paint(count(number, severity.value, plural=severity is not Severity.INFO), severity.value, "bold")
        for severity, number in counts.items()
        if number
    )
    return f"Found {found} in {models}{besides}{ships}.\n"


def _ships(page: Page) -> str:
    statuses = [model_status(result) for result in page.results if result.error is None]
    return ", ".join(f"{statuses.count(status)} {status.words}" for status in Status if status in statuses)


def count(number: int, noun: str, plural: bool = True) -> str:
    return f"{number} {noun}{'s' if plural and number != 1 else ''}"


def model_lines(result: ModelResult, page: Page) -> Iterator[str]:
    paint = _Paint(page.colour, page.width)
    name = printable(result.path)
    if result.error is not None:
        yield f"{paint(name, 'bold')}: {paint('error', 'error', 'bold')}: {printable(str(result.error))}"
        yield ""
        return
    yield paint(name, "bold")
    yield from paint.lines("  ", printable(sentence(result)), 2, style=(_STATUS[model_status(result)], "bold"))
    if any(target.placement.verdict is not Verdict.FULL for target in result.targets):
        yield ""
        yield from _placements(result, paint)
    for step in upgrades(result):
        yield ""
        yield from _upgrade(step, paint)
    for target in result.targets:
        if target.confirm is not None:
            yield from _confirmation(target.confirm, paint)
    for group in same(merge(result)):
        yield ""
        yield from _finding(group, [target.target for target in result.targets], paint)
    yield ""


# Where it runs


def _placements(result: ModelResult, paint: _Paint) -> Iterator[str]:
    """A few lines for each group of releases with the same placement."""
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
    heads = [spans(versions) for _, versions in groups]
    hang = 4 + max(map(len, heads), default=0)
    gpu_only = bool(result.targets) and result.targets[0].target.accelerators == "gpu"
    for (placement, _), head in zip(groups, heads, strict=True):
        style, words = _VERDICTS[placement.verdict]
        short = placement.verdict in (Verdict.PARTIAL, Verdict.NONE)
        if short and gpu_only:
            words += ", so a GPU-only CompiledModel is not created"
        yield from paint.lines(f"  {head:{hang - 2}}", words, hang, ("bold",), (style,))
        for line in (placement.line or "").splitlines():
            yield from paint.lines(" " * hang, line, hang, style=("dim",))
        if short:
            for subgraph in subgraphs(placement):
                yield " " * hang + _strip(letters(placement, subgraph), paint)
    drawn = {
        code for placement, _ in groups for subgraph in subgraphs(placement) for code in letters(placement, subgraph)
    }
    if any(placement.verdict is Verdict.PARTIAL for placement, _ in groups):
        yield " " * hang + ", ".join(
            f"{paint(sign, style)} {_LEGEND[code]}" for code, (sign, style) in _SIGNS.items() if code in drawn
        )


def _strip(codes: str, paint: _Paint) -> str:
    """The operators in execution order, a sign each, or for several in a large graph."""
    shown = condensed(codes, STRIP)
    parts = []
    for code, run in groupby(shown):
        sign, style = _SIGNS.get(code, ("?", "dim"))
        parts.append(paint(sign * len(list(run)), style))
    return "".join(parts)


def _upgrade(step: Upgrade, paint: _Paint) -> Iterator[str]:
    gpu = f", {step.gpu_before} -> {step.gpu_after} operators on the GPU" if step.gpu_before != step.gpu_after else ""
    yield f"  {paint('upgrade', 'bold')} {paint(f'{step.before} -> {step.after}', 'bold')}{gpu}"
    for change in step.changes[:CHANGES]:
        yield from paint.lines(
            f"    {change.effect.value:7}", change_words(change), 11, (_EFFECTS[change.effect], "bold")
        )
    if len(step.changes) > CHANGES:
        yield f"           and {len(step.changes) - CHANGES} more"


def change_words(change: Change) -> str:
    if change.effect is Effect.MOVES:
        return f"{count(len(change.places), 'operator')} {change.words}"
    where = f"{places(change.places)} {change.op}: " if change.places else ""
    return f"{where}{change.words}"


def places(found: Sequence[tuple[int, int]], most: int = PLACES) -> str:
    """``0/3, 0/17 and 4 more``: operators of subgraphs, by index."""
    return some([f"{subgraph}/{index}" for subgraph, index in found], most)


def _confirmation(confirmation: Confirmation, paint: _Paint) -> Iterator[str]:
    from ..linter.confirm.rendering import lines

    style = _STATUS[confirmed_status(confirmation)]
    first, *rest = lines(confirmation)
    yield ""
    yield f"  {paint('confirm', 'bold')} {paint(printable(first), style)}"
    for line in rest:
        yield f"  {printable(line)}".rstrip()


# Findings


def _finding(group: Same, every: Sequence[Target], paint: _Paint) -> Iterator[str]:
    entry = group.first
    finding = entry.finding
    severity = finding.severity.value
    head = f"  {severity}[{finding.rule}]: "
    yield from paint.lines(
        head, printable(renamed(finding.message, finding, paint.name)), 4, (severity, "bold"), ("bold",)
    )
    if finding.place is not None:
        yield from paint.lines("   --> ", _where(group, finding, paint), 7, ("info",))
    for grade in Severity:
        targets = entry.at(grade)
        words = describe(targets, every) if targets else ""
        if words:
            on = "on: " if grade is finding.severity else f"{grade.value} on: "
            yield from paint.lines(f"   = {on}", words, 7, ("dim",))
    for older, targets in entry.otherwise:
        told = f"{describe(targets, every)} say: "
        yield from paint.lines(f"   = {told}", printable(renamed(older.message, older, paint.name)), 7, ("dim",))
    yield from paint.lines("   = help: ", printable(renamed(finding.advice, finding, paint.name)), 7, ("info",))


def _where(group: Same, finding: Finding, paint: _Paint) -> str:
    """The operator with its tensors, or the operators where the same holds."""
    if len(group.entries) == 1:
        tensors = ", ".join(printable(paint.name(tensor)) for tensor in finding.place.tensors) if finding.place else ""
        return f"{place_words(finding)}{f' ({tensors})' if tensors else ''}"
    spots = [(place.subgraph, place.index) for entry in group.entries if (place := entry.finding.place) is not None]
    op = printable(finding.place.op) if finding.place else ""
    return f"{places(spots)} {op}"
