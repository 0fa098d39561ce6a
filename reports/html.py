"""The HTML report: one self-contained page that people review before a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from ..linter.delegate.placement import On, Placement, Verdict
from ..linter.facts import SubgraphFact
from ..linter.findings import Evidence, Finding, Place, Rule, Severity
from ..linter.results import ModelResult, TargetResult
from ..linter.targets import Target
from .graph_data import graph_data, shape_words
from .merged import Merged, Same, describe, merge, renamed, same, spans
from .page import Page
from .printing import abbreviated, printable
from .residency import GPU, condensed, letters, subgraphs
from .steps import MOST, steps
from .text import change_words, count, places
from .upgrade import upgrades
from .verdict import Status, model_status, reason, sentence, sentences, target_status, worst

if TYPE_CHECKING:
    import jinja2

    from .confirmed import Confirmed

TEMPLATES = Path(__file__).parent / "templates"

LISTED_PLACES = 100
"""Places listed of one finding; the operator table has them all."""

LISTED_CHANGES = 40
"""Changes listed of one upgrade."""

LISTED_EVIDENCE = 6
"""Pieces of evidence listed of one rule."""

STRIP_SEGMENTS = 400
"""Segments of a residency strip: finer than a screen shows."""

OPEN = 3
"""Findings that are unfolded when the page opens."""

SIGNS = {Status.FAILS: "\N{BALLOT X}", Status.WARNS: "!", Status.SHIPS: "\N{CHECK MARK}"}
"""So that nothing is told by colour alone."""

_RESIDENCY = {
    Verdict.FAILS: "creation fails",
    Verdict.UNLOADABLE: "does not run",
    Verdict.UNKNOWN: "cannot be told",
}
_HEIGHTS = {"g": (3, 17), "l": (8, 12), "r": (0, 20), "u": (6, 8)}
"""Top and bottom of a strip's segments: the kinds differ in height as well as in colour."""


class Cell(NamedTuple):
    """One release on one backend."""

    status: str
    words: str


class Column(NamedTuple):
    """One release of the verdict table."""

    litert: str
    residency: str
    status: str
    sentence: str


class Change(NamedTuple):
    """One change that the page proposes."""

    op: str
    rule: str
    card: int
    """Number of the finding that tells more."""
    where: str
    advice: str
    wins: str
    before: float
    after: float
    """Percent on the GPU; both 0 where it wins something else."""
    on: str


class Strip(NamedTuple):
    """One placement drawn in execution order, and the releases that share it."""

    subgraph: int
    name: str
    releases: str
    on: str
    gpu: int
    total: int
    paths: tuple[tuple[str, str], ...]
    """Class and SVG path of each kind of segment, in units of operators."""


class Spot(NamedTuple):
    """One place of a finding; `said` and `advice` only where they differ from the first place's."""

    place: str
    said: str
    advice: str


class Variant(NamedTuple):
    """The same thing at one or more operators."""

    op: str
    said: str
    advice: str
    where: str
    on: str
    otherwise: tuple[tuple[str, str], ...]
    spots: tuple[Spot, ...]
    count: int  # type: ignore[assignment]
    tensors: tuple[tuple[str, str, str], ...]
    """Name, type with shape, and role of the first place's operands."""


class Card(NamedTuple):
    """All findings of one rule."""

    number: int
    rule: str
    summary: str
    kind: str
    severity: str
    confidence: str
    count: int  # type: ignore[assignment]
    on: str
    variants: tuple[Variant, ...]
    evidence: tuple[str, ...]
    open: bool


class Step(NamedTuple):
    """One upgrade: what it breaks, fixes and moves."""

    title: str
    on: str
    gpu: str
    changes: tuple[tuple[str, str], ...]
    more: int


class View(NamedTuple):
    """One model as the page shows it."""

    number: int
    path: str
    name: str
    status: str
    sentences: tuple[str, ...]
    reason: str
    counts: dict[str, int]
    error: bool = False
    meta: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
    changes: tuple[Change, ...] = ()
    changes_more: int = 0
    strips: tuple[Strip, ...] = ()
    kinds: str = ""
    """Letters of the kinds of segment that the strips hold."""
    cards: tuple[Card, ...] = ()
    upgrades: tuple[Step, ...] = ()
    confirms: tuple[Confirmed, ...] = ()
    passed: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    interface: tuple[tuple[str, str, str, str], ...] = ()
    constants: tuple[tuple[str, str, str, float], ...] = ()
    unchecked: tuple[str, ...] = ()
    data: str = "null"


@cache
def environment() -> jinja2.Environment:
    """Where the templates are; what they are given is escaped. Compiling them takes longer than a page does."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def render(page: Page) -> str:
    views = [_view(number, result, page) for number, result in enumerate(page.results)]
    statuses = [view.status for view in views]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            views=sorted(views, key=lambda view: (list(Status).index(Status(view.status)), view.number)),
            totals=[(status, statuses.count(status.value)) for status in Status if status.value in statuses],
            releases=list(dict.fromkeys(column.litert for view in views for column in view.columns)),
            signs={status.value: sign for status, sign in SIGNS.items()},
            words={status.value: status.words for status in Status},
            version=page.version,
            command=printable(page.command),
            style=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
            script=(TEMPLATES / "report.js").read_text(encoding="utf-8"),
            title=views[0].name if len(views) == 1 else f"{len(views)} models",
        )
        + "\n"
    )


def _view(number: int, result: ModelResult, page: Page) -> View:
    status = model_status(result)
    path, why = printable(result.path), printable(reason(result))
    said = tuple(printable(text) for text in sentences(result))
    name = printable(PurePath(result.path).name)
    if result.error is not None:
        counts = {"error": 1, "warning": 0, "info": 0}
        return View(number, path, name, status.value, said, why, counts, error=True)
    releases = list(result.by_release)
    entries = merge(result)
    cards = _cards(entries, result, releases, page.rules)
    changes = _changes(result, entries, cards, releases)
    strips, codes = _strips(result, releases)
    columns, rows = _verdicts(result, releases)
    fired = {entry.finding.rule for entry in entries}
    return View(
        number=number,
        path=path,
        name=name,
        status=status.value,
        sentences=said,
        reason=why,
        counts={severity.value: sum(entry.finding.severity is severity for entry in entries) for severity in Severity},
        meta=_meta(result),
        columns=columns,
        rows=rows,
        changes=changes[:MOST],
        changes_more=max(0, len(changes) - MOST),
        strips=strips,
        kinds="".join(
            letter for letter in _HEIGHTS if any(letter == kind for strip in strips for kind, _ in strip.paths)
        ),
        cards=cards,
        upgrades=_upgrades(result, releases),
        confirms=_confirms(result),
        passed=tuple(rule.id for rule in page.rules if rule.id not in fired),
        facts=_facts(result),
        interface=_interface(result),
        constants=_constants(result),
        unchecked=_unchecked(result),
        data=graph_data(result, releases, entries, r=releases, s=codes, v=[column.sentence for column in columns]),
    )


def _on(targets: Iterable[Target], releases: Sequence[str]) -> str:
    """Numbers of the releases, for the page's choice of one."""
    held = {target.litert for target in targets}
    return " ".join(str(number) for number, litert in enumerate(releases) if litert in held)


# The verdict


def _meta(result: ModelResult) -> tuple[str, ...]:
    graphs = result.facts.subgraphs if result.facts else ()
    operators = sum(len(graph.operators) for graph in graphs)
    parts = [count(operators, "operator"), *([f"{len(graphs)} subgraphs"] if len(graphs) > 1 else [])]
    parts.append(_size(result.size))
    if result.sha256:
        parts.append(f"SHA-256 {result.sha256[:12]}\N{HORIZONTAL ELLIPSIS}")
    return tuple(parts)


def _verdicts(
    result: ModelResult, releases: Sequence[str]
) -> tuple[tuple[Column, ...], tuple[tuple[str, tuple[Cell, ...]], ...]]:
    """The releases as columns, and a row of cells for the backends that fare alike."""
    by_backend: dict[str, dict[str, Cell]] = {}
    for target in result.targets:
        by_backend.setdefault(target.target.backend, {})[target.target.litert] = _cell(target)
    columns = tuple(
        Column(
            litert,
            _residency(targets[0].placement),
            worst(target_status(target) for target in targets).value,
            printable(sentence(result._replace(targets=tuple(targets)))),
        )
        for litert, targets in result.by_release.items()
    )
    alike: dict[tuple[Cell, ...], list[str]] = {}
    for name, cells in by_backend.items():
        alike.setdefault(tuple(cells[litert] for litert in releases), []).append(name)
    return columns, tuple((", ".join(names), row) for row, names in alike.items())


def _residency(placement: Placement) -> str:
    total = len(placement.ops)
    return _RESIDENCY.get(placement.verdict) or f"{placement.gpu_ops} of {total}"


def _cell(target: TargetResult) -> Cell:
    status = target_status(target)
    severities = [finding.severity for finding in target.findings]
    errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
    words = count(errors, "error") if errors else count(warnings, "warning") if warnings else status.words
    return Cell(status.value, words)


# What to change


def _changes(
    result: ModelResult, entries: Sequence[Merged], cards: Sequence[Card], releases: Sequence[str]
) -> tuple[Change, ...]:
    numbers = {card.rule: card.number for card in cards}
    every = [target.target for target in result.targets]
    changes = []
    for step in steps(result, entries):
        first = step.entries[0].finding
        spots = list(dict.fromkeys((p.subgraph, p.index, p.op) for e in step.entries if (p := e.finding.place)))
        ops = list(dict.fromkeys(printable(op) for _, _, op in spots))
        held = {target for entry in step.entries for target, _ in entry.targets}
        before, after = step.gpu or (0, 0)
        place = places([(subgraph, index) for subgraph, index, _ in spots], 3)
        on = describe([target for target in every if target in held], every)
        changes.append(
            Change(
                op=", ".join(ops[:3]) + (" and others" if len(ops) > 3 else ""),
                rule=first.rule,
                card=numbers[first.rule],
                where=", ".join(filter(None, (place, f"on {on}" if on else ""))),
                advice=_said(first.advice, first),
                wins=step.wins,
                before=round(100 * before / max(1, step.total), 2),
                after=round(100 * after / max(1, step.total), 2),
                on=_on(held, releases),
            )
        )
    return tuple(changes)


# Where operators run


def _strips(result: ModelResult, releases: Sequence[str]) -> tuple[tuple[Strip, ...], list[dict[str, object]]]:
    """The strips as drawn, and their letters for the page's script."""
    names = {graph.index: graph.name for graph in result.facts.subgraphs} if result.facts else {}
    found: dict[tuple[int, str], list[Target]] = {}
    for target in result.targets:
        for subgraph in subgraphs(target.placement):
            found.setdefault((subgraph, letters(target.placement, subgraph)), []).append(target.target)
    drawn, told = [], []
    for (subgraph, codes), targets in found.items():
        held = spans(target.litert for target in targets)
        on = _on(targets, releases)
        strip = Strip(
            subgraph, printable(names.get(subgraph, "")), held, on, codes.count(GPU), len(codes), _paths(codes)
        )
        drawn.append(strip)
        told.append({"g": subgraph, "r": [int(number) for number in on.split()], "c": codes})
    return tuple(drawn), told


def _paths(codes: str) -> tuple[tuple[str, str], ...]:
    """Runs of equal letters as rectangles."""
    shown = condensed(codes, STRIP_SEGMENTS)
    step = -(-len(codes) // max(1, len(shown)))
    drawn: dict[str, list[str]] = {}
    for run in re.finditer(r"(.)\1*", shown):
        left, right = run.start() * step, min(run.end() * step, len(codes))
        top, bottom = _HEIGHTS[run[1]]
        drawn.setdefault(run[1], []).append(f"M{left} {top}h{right - left}v{bottom - top}h{left - right}z")
    return tuple((letter, "".join(parts)) for letter, parts in sorted(drawn.items()))


# Findings


def _cards(
    entries: Sequence[Merged], result: ModelResult, releases: Sequence[str], rules: Sequence[Rule]
) -> tuple[Card, ...]:
    summaries = {rule.id: rule.summary for rule in rules}
    by_rule: dict[str, list[Merged]] = {}
    for entry in entries:
        by_rule.setdefault(entry.finding.rule, []).append(entry)
    ordered = sorted(
        by_rule.items(),
        key=lambda item: (-max(e.finding.severity.weight for e in item[1]), -len(item[1]), item[1][0].finding.order),
    )
    cards = []
    for number, (rule, found) in enumerate(ordered):
        gravest = max(found, key=lambda entry: entry.finding.severity.weight).finding
        several = len({severity for entry in found for _, severity in entry.targets}) > 1
        groups = sorted(same(found, numbers=False), key=lambda group: -group.first.finding.severity.weight)
        cards.append(
            Card(
                number=number,
                rule=rule,
                summary=summaries.get(rule, ""),
                kind=gravest.kind.value,
                severity=gravest.severity.value,
                confidence=", ".join(dict.fromkeys(entry.finding.confidence.value for entry in found)),
                count=len({entry.finding.order[:2] for entry in found}),
                on=_on((target for entry in found for target, _ in entry.targets), releases),
                variants=tuple(_variant(group, result, releases, several) for group in groups),
                evidence=_evidence(found),
                open=number < OPEN and gravest.severity is not Severity.INFO,
            )
        )
    return tuple(cards)


def _variant(group: Same, result: ModelResult, releases: Sequence[str], several: bool) -> Variant:
    every = [target.target for target in result.targets]
    entry, finding = group.first, group.first.finding
    parts = []
    for severity in Severity:
        if targets := entry.at(severity):
            words = describe(targets, every) or "every release and backend of this report"
            parts.append(f"{severity.value} on {words}" if several else f"on {words}")
    return Variant(
        op=printable(finding.place.op) if finding.place else "",
        said=_said(finding.message, finding),
        advice=_said(finding.advice, finding),
        where="; ".join(parts),
        on=_on((target for target, _ in entry.targets), releases),
        otherwise=tuple((describe(targets, every), _said(older.message, older)) for older, targets in entry.otherwise),
        spots=tuple(_spot(each.finding, finding) for each in group.entries[:LISTED_PLACES] if each.finding.place),
        count=len(group.entries),
        tensors=_operands(finding.place, result),
    )


def _said(text: str, finding: Finding) -> str:
    """Text of a finding with its tensors' names cut: the table of operands has them whole."""
    return printable(renamed(text, finding, abbreviated))


def _spot(finding: Finding, first: Finding) -> Spot:
    place = finding.place
    assert place is not None
    said = "" if finding.message == first.message else _said(finding.message, finding)
    advice = "" if finding.advice == first.advice else _said(finding.advice, finding)
    return Spot(f"{place.subgraph}/{place.index}", said, advice)


def _evidence(entries: Iterable[Merged]) -> tuple[str, ...]:
    """Where the claims come from, a line for the backends that say the same."""
    backends: dict[Evidence, list[str]] = {}
    for evidence in dict.fromkeys(evidence for entry in entries for evidence in entry.finding.evidence):
        backends.setdefault(evidence._replace(backend=""), []).append(evidence.backend)
    lines = []
    for evidence, names in list(backends.items())[:LISTED_EVIDENCE]:
        words = [evidence.source, "on", ", ".join(names), spans(evidence.litert), evidence.precision or ""]
        reference = f" ({evidence.ref})" if evidence.ref else ""
        lines.append(f"{' '.join(filter(None, words))}: {printable(evidence.outcome)}{reference}")
    return tuple(lines)


def _graph(place: Place | None, result: ModelResult) -> SubgraphFact | None:
    if place is None or result.facts is None:
        return None
    return next((graph for graph in result.facts.subgraphs if graph.index == place.subgraph), None)


def _operands(place: Place | None, result: ModelResult) -> tuple[tuple[str, str, str], ...]:
    graph = _graph(place, result)
    if graph is None or place is None:
        return ()
    op = graph.operators[place.index]
    rows = []
    for role, tensors in (("input", op.inputs), ("output", op.outputs)):
        for number, index in enumerate(tensors[:6]):
            if index < 0:
                continue
            tensor = graph.tensors[index]
            constant = ", constant" if tensor.constant else ""
            rows.append((printable(tensor.name), shape_words(tensor.type, tensor.shape), f"{role} {number}{constant}"))
    return tuple(rows)


# Releases side by side, and what was run


def _upgrades(result: ModelResult, releases: Sequence[str]) -> tuple[Step, ...]:
    return tuple(
        Step(
            title=f"{step.before} to {step.after}",
            on=f"{releases.index(step.before)} {releases.index(step.after)}",
            gpu=f"{step.gpu_before} to {step.gpu_after} operators on the GPU"
            if step.gpu_before != step.gpu_after
            else "",
            changes=tuple((change.effect.value, change_words(change)) for change in step.changes[:LISTED_CHANGES]),
            more=max(0, len(step.changes) - LISTED_CHANGES),
        )
        for step in upgrades(result)
    )


def _confirms(result: ModelResult) -> tuple[Confirmed, ...]:
    answers = [target.confirm for target in result.targets if target.confirm is not None]
    if not answers:
        return ()
    from .confirmed import confirmed

    return tuple(map(confirmed, answers))


# Facts


def _facts(result: ModelResult) -> tuple[tuple[str, str], ...]:
    facts = [("file", printable(result.path)), ("size", _size(result.size))]
    if result.sha256:
        facts.append(("SHA-256", result.sha256))
    if result.facts is not None:
        graphs = result.facts.subgraphs
        facts.append(("operators", str(sum(len(graph.operators) for graph in graphs))))
        facts.append(("subgraphs", str(len(graphs))))
        facts.append(("constants", _size(result.facts.constant_bytes)))
        if result.facts.description:
            facts.append(("description", printable(result.facts.description)))
    return tuple(facts)


def _interface(result: ModelResult) -> tuple[tuple[str, str, str, str], ...]:
    """Signature, input or output, name, type with shape."""
    if result.facts is None:
        return ()
    rows = []
    graphs = {graph.index: graph for graph in result.facts.subgraphs}
    entries = [(entry.key, entry.subgraph, entry.inputs, entry.outputs) for entry in result.facts.signatures]
    if not entries and graphs:
        first = graphs[min(graphs)]
        entries = [
            (
                "(none)",
                first.index,
                tuple((first.tensors[index].name, index) for index in first.inputs if index >= 0),
                tuple((first.tensors[index].name, index) for index in first.outputs if index >= 0),
            )
        ]
    for key, subgraph, inputs, outputs in entries:
        for role, named in (("input", inputs), ("output", outputs)):
            for name, index in named:
                tensor = graphs[subgraph].tensors[index]
                rows.append((printable(key), role, printable(name), shape_words(tensor.type, tensor.shape)))
    return tuple(rows[:60])


def _constants(result: ModelResult) -> tuple[tuple[str, str, str, float], ...]:
    """The largest constants: name, type with shape, size, percent of all constants."""
    if result.facts is None:
        return ()
    tensors = [tensor for graph in result.facts.subgraphs for tensor in graph.tensors if tensor.size]
    tensors.sort(key=lambda tensor: (-tensor.size, tensor.name))
    total = max(1, result.facts.constant_bytes)
    return tuple(
        (
            printable(tensor.name),
            shape_words(tensor.type, tensor.shape),
            _size(tensor.size),
            round(100 * tensor.size / total, 1),
        )
        for tensor in tensors[:8]
    )


def _size(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def _unchecked(result: ModelResult) -> tuple[str, ...]:
    """What this report does not say anything about."""
    notes = ["What the application does around the model: resizing inputs, several models at once, drivers."]
    if all(target.confirm is None for target in result.targets):
        notes.append("Nothing was run: add --confirm to compile with the real delegate and compare results.")
    if any(target.target.backend != "webgpu" for target in result.targets):
        notes.append(
            "OpenCL and Metal were not run by this project: their findings rest on shared code and on reports."
        )
    if any(placed.on is On.UNKNOWN for target in result.targets for placed in target.placement.ops):
        notes.append(
            "Operators of a model that is not created have no place: what else the GPU would refuse shows later."
        )
    return tuple(notes)
