"""The HTML report: one self-contained page that people review before a release."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from ..linter.delegate.placement import On, OpPlacement, Placement, Verdict
from ..linter.delegate.refusal import Cause
from ..linter.findings import Evidence, Finding, Place, Severity
from ..linter.results import ModelResult, SubgraphFact, TargetResult
from ..linter.targets import Target
from .merged import Merged, describe, merge, spans
from .page import Page
from .text import printable

if TYPE_CHECKING:
    from ..linter.confirm.answers import Confirmation

TEMPLATES = Path(__file__).parent / "templates"

LISTED_PLACES = 100
"""Places listed under one finding; the operator table has them all."""

DRAWN = 24
"""Findings whose neighbourhood is drawn in the page itself; the others are drawn when asked for."""

STRIP_SEGMENTS = 400
"""Segments of a residency strip: finer than a screen shows."""

NAME_LIMIT = 40
"""Characters of a tensor name in the operator table: converters write names of hundreds."""

_ORDER = [Verdict.UNLOADABLE, Verdict.FAILS, Verdict.NONE, Verdict.PARTIAL, Verdict.UNKNOWN, Verdict.FULL]

_VERDICT_WORDS = {
    Verdict.FULL: "every operator on the GPU",
    Verdict.PARTIAL: "partly on the GPU",
    Verdict.NONE: "nothing on the GPU",
    Verdict.FAILS: "creation fails",
    Verdict.UNLOADABLE: "does not run at all",
    Verdict.UNKNOWN: "cannot be told",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One target in the verdict table."""

    status: str
    """ships, warns or fails: what the page colours by."""
    words: str
    errors: int
    warnings: int


@dataclass(frozen=True, slots=True)
class Row:
    """Releases that fare alike in the verdict table, a cell for each backend."""

    releases: tuple[str, ...]
    litert: str
    verdict: str
    line: str
    gpu: int
    cpu: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """One placement drawn in execution order, and the releases that share it."""

    subgraph: int
    name: str
    releases: str
    gpu: int
    cpu: int
    total: int
    paths: tuple[tuple[str, str], ...]
    """Class and SVG path of each kind of segment, in units of operators."""
    codes: str
    """One letter an operator: g on the GPU, l accepted but left out, r refused, u unknown."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a finding."""

    subgraph: int
    index: int
    op: str
    tensors: str
    targets: str


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one rule that say the same and are mended the same way."""

    number: int
    rule: str
    kind: str
    severity: str
    confidence: str
    message: str
    advice: str
    where: str
    spots: tuple[Spot, ...]
    more: int
    evidence: tuple[str, ...]
    tensors: tuple[tuple[str, str, str], ...]
    drawing: str


@dataclass(frozen=True, slots=True)
class Change:
    """One operator whose place or refusal differs between the releases of the run."""

    subgraph: int
    index: int
    op: str
    states: tuple[tuple[str, str], ...]
    """Releases and what holds on them."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One output of a confirmation: its greatest error as a share of what is tolerated."""

    name: str
    words: str
    width: int
    """Length in percent, on a scale of powers of ten from a thousandth to a thousand times the tolerance."""
    wrong: bool


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What the real delegate did."""

    title: str
    status: str
    text: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One model as the page shows it."""

    number: int
    path: str
    name: str
    error: str
    status: str
    sentence: str
    todo: tuple[str, ...]
    backends: tuple[str, ...]
    rows: tuple[Row, ...]
    strips: tuple[Strip, ...]
    first: tuple[str, ...]
    groups: tuple[Group, ...]
    changes: tuple[Change, ...]
    changes_more: int
    confirms: tuple[Confirmed, ...]
    passed: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    interface: tuple[tuple[str, str, str, str], ...]
    constants: tuple[tuple[str, str, str, str], ...]
    unchecked: tuple[str, ...]
    data: str
    counts: dict[str, int]


def render(page: Page) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    views = [_view(number, result, page) for number, result in enumerate(page.results)]
    ranked = sorted(views, key=lambda view: (("fails", "warns", "ships").index(view.status), view.number))
    return (
        environment.get_template("report.html.j2").render(
            views=views,
            ranked=ranked,
            version=page.version,
            command=printable(page.command),
            style=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
            script=(TEMPLATES / "report.js").read_text(encoding="utf-8"),
            title=views[0].name if len(views) == 1 else f"{len(views)} models",
        )
        + "\n"
    )


def _view(number: int, result: ModelResult, page: Page) -> View:
    if result.error is not None:
        message = printable(str(result.error))
        return View(
            number=number, path=printable(result.path), name=printable(PurePath(result.path).name), error=message,
            status="fails", sentence=f"The file could not be read: {message}.", todo=(), backends=(), rows=(),
            strips=(), first=(), groups=(), changes=(), changes_more=0, confirms=(), passed=(), facts=(),
            interface=(), constants=(), unchecked=(), data="null", counts={"error": 1, "warning": 0, "info": 0},
        )  # fmt: skip
    entries = merge(result)
    groups = _groups(result, entries)
    rows = _rows(result)
    strips = _strips(result)
    changes = _changes(result)
    fired = {finding.rule for finding in result.findings}
    return View(
        number=number,
        path=printable(result.path),
        name=printable(PurePath(result.path).name),
        error="",
        status=_status(cell.status for row in rows for cell in row.cells),
        sentence=_sentence(rows, result),
        todo=_todo(groups),
        backends=_backends(result),
        rows=rows,
        strips=strips,
        first=tuple(
            printable(entry.finding.advice).removeprefix("fix first: ")
            for entry in entries
            if entry.finding.rule == "partitioned-graph"
        ),
        groups=groups,
        changes=tuple(changes[:LISTED_PLACES]),
        changes_more=max(0, len(changes) - LISTED_PLACES),
        confirms=tuple(_confirmed(target.confirm) for target in result.targets if target.confirm is not None),
        passed=tuple(rule.id for rule in page.rules if rule.id not in fired),
        facts=_facts(result),
        interface=_interface(result),
        constants=_constants(result),
        unchecked=_unchecked(result),
        data=_data(result, strips),
        counts={severity.value: sum(entry.finding.severity is severity for entry in entries) for severity in Severity},
    )


# The verdict


def _status(statuses: Iterable[str]) -> str:
    found = set(statuses)
    return "fails" if "fails" in found else "warns" if "warns" in found else "ships"


def _backends(result: ModelResult) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.target.backend for target in result.targets))


def _rows(result: ModelResult) -> tuple[Row, ...]:
    rows: dict[str, list[TargetResult]] = {}
    for target in result.targets:
        rows.setdefault(target.target.litert, []).append(target)
    alike: dict[tuple[object, ...], list[str]] = {}
    for litert, targets in rows.items():
        placement = targets[0].placement
        key = (
            _VERDICT_WORDS[placement.verdict],
            printable((placement.line or "").replace("\n", " ")),
            placement.gpu_ops,
            placement.cpu_ops,
            tuple(_cell(target) for target in targets),
        )
        alike.setdefault(key, []).append(litert)
    return tuple(Row(tuple(releases), spans(releases), *key) for key, releases in alike.items())  # type: ignore[arg-type]


def _cell(target: TargetResult) -> Cell:
    errors = sum(finding.severity is Severity.ERROR for finding in target.findings)
    warnings = sum(finding.severity is Severity.WARNING for finding in target.findings)
    placement = target.placement
    residency_missed = placement.verdict is not Verdict.FULL and target.target.accelerators == "gpu"
    if errors or residency_missed or placement.verdict in (Verdict.FAILS, Verdict.UNLOADABLE):
        status = "fails"
    elif warnings or placement.verdict is Verdict.UNKNOWN:
        status = "warns"
    else:
        status = "ships"
    words = {"fails": "do not ship", "warns": "check", "ships": "ships"}[status]
    return Cell(status, words, errors, warnings)


def _sentence(rows: Sequence[Row], result: ModelResult) -> str:
    """The page's first sentence: can it ship, and if not, why."""
    by_status: dict[str, list[str]] = {}
    for row in rows:
        by_status.setdefault(_status(cell.status for cell in row.cells), []).extend(row.releases)
    if set(by_status) == {"ships"}:
        total = rows[0].gpu
        return (
            f"Ships on LiteRT {spans(by_status['ships'])}: all {total} operators run on the GPU and no fault is known."
        )
    parts = []
    if "fails" in by_status:
        parts.append(f"Do not ship on LiteRT {spans(by_status['fails'])}: {_why(result, by_status['fails'])}.")
    if "warns" in by_status:
        parts.append(f"Check on {spans(by_status['warns'])}: a result may be wrong there.")
    if "ships" in by_status:
        parts.append(f"Ships on {spans(by_status['ships'])}.")
    return " ".join(parts)


def _why(result: ModelResult, releases: Sequence[str]) -> str:
    """The gravest thing that holds on one of these releases."""
    targets = [target for target in result.targets if target.target.litert in releases]
    worst = min((target.placement for target in targets), key=lambda placement: _ORDER.index(placement.verdict))
    refused = sum(why.cause is not Cause.HALF_WEIGHTS for _, why in worst.refused())
    total = worst.gpu_ops + worst.cpu_ops
    if worst.verdict is Verdict.UNLOADABLE:
        return "the runtime cannot run it, on the CPU either"
    if worst.verdict is Verdict.FAILS:
        return "creating the CompiledModel fails"
    if worst.verdict in (Verdict.NONE, Verdict.PARTIAL):
        return f"the GPU refuses {refused} of {total} operators"
    wrong = sum(finding.severity is Severity.ERROR for target in targets for finding in target.findings)
    return f"it runs wholly on the GPU and returns wrong numbers ({wrong} error{'s' if wrong != 1 else ''})"


def _todo(groups: Sequence[Group]) -> tuple[str, ...]:
    """What to change, gravest first, a line a rule."""
    by_rule: dict[str, list[Group]] = {}
    for group in groups:
        if group.severity != "info":
            by_rule.setdefault(group.rule, []).append(group)
    lines = []
    for rule, found in by_rule.items():
        places = {(spot.subgraph, spot.index) for group in found for spot in group.spots}
        ops = list(dict.fromkeys(spot.op for group in found for spot in group.spots))
        named = ", ".join(ops[:4]) + (" and others" if len(ops) > 4 else "") if ops else rule
        many = len(places) + sum(group.more for group in found)
        lines.append(f"{named}{f' ({many} operators)' if many > 1 else ''}: {found[0].advice}")
    return tuple(lines[:3])


# Residency


def _codes(placement: Placement, subgraph: int) -> str:
    return "".join(_code(placed) for placed in placement.ops if placed.subgraph == subgraph)


def _code(placed: OpPlacement) -> str:
    if placed.on is On.GPU:
        return "g"
    if placed.on is On.UNKNOWN:
        return "u"
    # FLOAT16 weights stay behind only because something else is refused: no fault of theirs.
    left_out = placed.refusal is None or placed.refusal.cause is Cause.HALF_WEIGHTS
    return "l" if left_out else "r"


def _strips(result: ModelResult) -> tuple[Strip, ...]:
    names = {graph.index: graph.name for graph in result.facts.subgraphs} if result.facts else {}
    found: dict[tuple[int, str], list[str]] = {}
    for target in result.targets:
        placement = target.placement
        for subgraph in dict.fromkeys(placed.subgraph for placed in placement.ops):
            releases = found.setdefault((subgraph, _codes(placement, subgraph)), [])
            if placement.litert not in releases:
                releases.append(placement.litert)
    return tuple(
        Strip(
            subgraph=subgraph,
            name=printable(names.get(subgraph, "")),
            releases=spans(releases),
            gpu=codes.count("g"),
            cpu=len(codes) - codes.count("g") - codes.count("u"),
            total=len(codes),
            paths=_paths(codes),
            codes=codes,
        )
        for (subgraph, codes), releases in found.items()
    )


def _paths(codes: str) -> tuple[tuple[str, str], ...]:
    """Runs of equal letters as rectangles; in a long strip a segment shows the gravest of its operators."""
    step = max(1, -(-len(codes) // STRIP_SEGMENTS))
    shown = [max(codes[at : at + step], key="gulr".index) for at in range(0, len(codes), step)]
    drawn: dict[str, list[str]] = {}
    start = 0
    for end in range(1, len(shown) + 1):
        if end < len(shown) and shown[end] == shown[start]:
            continue
        left, right = start * step, min(end * step, len(codes))
        top, bottom = {"g": (2, 18), "l": (8, 12), "r": (0, 20), "u": (6, 8)}[shown[start]]
        drawn.setdefault(shown[start], []).append(f"M{left} {top}h{right - left}v{bottom}h{left - right}z")
        start = end
    return tuple((letter, "".join(parts)) for letter, parts in sorted(drawn.items()))


# Findings


def _groups(result: ModelResult, entries: Sequence[Merged]) -> tuple[Group, ...]:
    every = [target.target for target in result.targets]
    gathered: dict[tuple[object, ...], list[Merged]] = {}
    for entry in entries:
        finding = entry.finding
        said = finding.message if finding.place is None else _unnamed(finding)
        key = (finding.rule, finding.severity, said, finding.advice)
        gathered.setdefault(key, []).append(entry)
    ordered = sorted(
        gathered.values(),
        key=lambda found: (-found[0].finding.severity.weight, -len(found), found[0].finding.order),
    )
    return tuple(_group(number, found, every, result) for number, found in enumerate(ordered))


def _unnamed(finding: Finding) -> str:
    """The message without the names of its own tensors, so that one fault at many places is one group."""
    text = finding.message
    if finding.place is not None:
        for name in sorted(finding.place.tensors, key=len, reverse=True):
            if name:
                text = text.replace(name, "…")
    return text


def _group(number: int, found: Sequence[Merged], every: Sequence[Target], result: ModelResult) -> Group:
    entry = found[0]
    finding = entry.finding
    held = {target for merged in found for target, _ in merged.targets}
    spots = tuple(
        Spot(
            place.subgraph,
            place.index,
            printable(place.op),
            ", ".join(printable(name) for name in place.tensors[:4]),
            describe([target for target, _ in merged.targets], every),
        )
        for merged in found[:LISTED_PLACES]
        if (place := merged.finding.place) is not None
    )
    return Group(
        number=number,
        rule=finding.rule,
        kind=finding.kind.value,
        severity=finding.severity.value,
        confidence=finding.confidence.value,
        message=printable(finding.message),
        advice=printable(finding.advice),
        where=describe([target for target in every if target in held], every) or "every target of this report",
        spots=spots,
        more=max(0, len(found) - LISTED_PLACES),
        evidence=tuple(dict.fromkeys(_evidence(evidence) for merged in found for evidence in merged.finding.evidence))[
            :6
        ],
        tensors=_tensor_rows(finding.place, result),
        drawing=_drawing(finding.place, result) if number < DRAWN else "",
    )


def _evidence(evidence: Evidence) -> str:
    words = [evidence.source, f"on {evidence.backend}"]
    if evidence.litert:
        words.append(spans(evidence.litert))
    if evidence.precision:
        words.append(evidence.precision)
    reference = f" ({evidence.ref})" if evidence.ref else ""
    return f"{' '.join(words)}: {printable(evidence.outcome)}{reference}"


def _graph(place: Place | None, result: ModelResult) -> SubgraphFact | None:
    if place is None or result.facts is None:
        return None
    return next((graph for graph in result.facts.subgraphs if graph.index == place.subgraph), None)


def _shape(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def _tensor_rows(place: Place | None, result: ModelResult) -> tuple[tuple[str, str, str], ...]:
    """Name, type with shape, and role of the tensors of the operator at a place."""
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
            rows.append((printable(tensor.name), f"{tensor.type} {_shape(tensor.shape)}", f"{role} {number}{constant}"))
    return tuple(rows)


def _drawing(place: Place | None, result: ModelResult) -> str:
    """The neighbourhood of an operator as data for the page: producers, the operator, consumers."""
    graph = _graph(place, result)
    return "" if graph is None or place is None else f"{place.subgraph}/{place.index}"


# Releases side by side


def _changes(result: ModelResult) -> list[Change]:
    placements = {target.placement.litert: target.placement for target in result.targets}
    if len(placements) < 2:
        return []
    states: dict[tuple[int, int], dict[str, list[str]]] = {}
    names: dict[tuple[int, int], str] = {}
    for litert, placement in placements.items():
        for placed in placement.ops:
            key = (placed.subgraph, placed.index)
            names[key] = placed.op
            states.setdefault(key, {}).setdefault(_state(placed), []).append(litert)
    return [
        Change(
            subgraph, index, printable(names[subgraph, index]), tuple((spans(v), printable(s)) for s, v in held.items())
        )
        for (subgraph, index), held in states.items()
        if len(held) > 1
    ]


def _state(placed: OpPlacement) -> str:
    if placed.refusal is not None:
        return f"refused: {placed.refusal.message}"
    return {On.GPU: "GPU", On.CPU: "CPU, left out of the partition", On.UNKNOWN: "not created"}[placed.on]


# What was run


def _confirmed(confirmation: Confirmation) -> Confirmed:
    from ..linter.confirm.rendering import lines

    status = {"confirmed": "ships", "unconfirmed": "warns"}.get(confirmation.outcome.value, "fails")
    bars = []
    for output in confirmation.outputs:
        difference = output.difference
        if difference is None:
            continue
        limit = difference.tolerance.max_abs
        share = difference.max_abs / limit if limit > 0 else 0.0
        finite = math.isfinite(share)
        width = 100 if not finite else round(100 * min(1.0, max(0.0, (math.log10(max(share, 1e-3)) + 3) / 6)))
        bars.append(
            Bar(
                printable(f"{output.signature}/{output.name}" if output.signature else output.name),
                f"greatest error {difference.max_abs:.3g}, tolerated {limit:.3g}",
                width,
                output.wrong,
            )
        )
    return Confirmed(
        f"LiteRT {confirmation.setting.release}: {confirmation.outcome.value}",
        status,
        printable_lines(lines(confirmation)),
        tuple(bars),
    )


def printable_lines(lines: Iterable[str]) -> str:
    return "\n".join(printable(line) for line in lines)


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
                rows.append((printable(key), role, printable(name), f"{tensor.type} {_shape(tensor.shape)}"))
    return tuple(rows[:60])


def _constants(result: ModelResult) -> tuple[tuple[str, str, str, str], ...]:
    """The largest constants: name, type with shape, size, share of all constants."""
    if result.facts is None:
        return ()
    tensors = [tensor for graph in result.facts.subgraphs for tensor in graph.tensors if tensor.size]
    tensors.sort(key=lambda tensor: (-tensor.size, tensor.name))
    total = max(1, result.facts.constant_bytes)
    return tuple(
        (
            printable(tensor.name),
            f"{tensor.type} {_shape(tensor.shape)}",
            _size(tensor.size),
            f"{100 * tensor.size / total:.0f} %",
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


def _data(result: ModelResult, strips: Sequence[Strip]) -> str:
    """The operators for the page's table and drawings: strings once, numbers elsewhere."""
    words: dict[str, int] = {}

    def word(text: str) -> int:
        return words.setdefault(text, len(words))

    graphs = []
    for graph in result.facts.subgraphs if result.facts else ():
        tensors: dict[int, int] = {}

        def tensor(index: int, known: dict[int, int] = tensors) -> int:
            return -1 if index < 0 else known.setdefault(index, len(known))

        ops = [
            [word(op.op), op.version, [tensor(i) for i in op.inputs[:8]], [tensor(i) for i in op.outputs[:8]]]
            for op in graph.operators
        ]
        described = []
        for index in tensors:
            fact = graph.tensors[index]
            name = printable(fact.name)
            short = name if len(name) <= NAME_LIMIT else "…" + name[1 - NAME_LIMIT :]
            kind = word(f"{fact.type} {_shape(fact.shape)}")
            described.append([short, kind, 1] if fact.constant else [short, kind])
        graphs.append({"i": graph.index, "ops": ops, "t": described})
    refusals: dict[str, list[list[int]]] = {}
    for target in result.targets:
        for placed, why in target.placement.refused():
            spots = refusals.setdefault(why.message, [])
            if [placed.subgraph, placed.index] not in spots[-1:] and len(spots) < 5 * LISTED_PLACES:
                spots.append([placed.subgraph, placed.index])
    document = {
        "w": list(words),
        "g": graphs,
        "s": [{"g": strip.subgraph, "r": strip.releases, "c": strip.codes} for strip in strips],
        "m": [[message, spots] for message, spots in refusals.items()],
    }
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    # Inside a script element nothing may look like its end.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
