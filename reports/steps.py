"""What to change first, and what each change wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..linter.findings import Kind, Severity
from ..linter.results import Fix, ModelResult, TargetResult
from .merged import Merged

MOST = 5
"""Steps named: beyond a handful the order no longer guides anybody."""

_WINS = {
    (Severity.ERROR, Kind.LOAD): "the model can be created",
    (Severity.ERROR, Kind.MISCOMPUTE): "right numbers",
    (Severity.ERROR, Kind.PRECISION): "right numbers in fp16",
    (Severity.WARNING, Kind.LOAD): "creation is safe",
    (Severity.WARNING, Kind.MISCOMPUTE): "numbers to rely on",
    (Severity.WARNING, Kind.PRECISION): "numbers to rely on in fp16",
}


class Step(NamedTuple):
    """One change. `gpu` says how many of `total` operators run on the GPU before and after it; None where it wins
    something else, which `wins` names."""

    entries: tuple[Merged, ...]
    wins: str
    gpu: tuple[int, int] | None = None
    total: int = 0


def steps(result: ModelResult, entries: Sequence[Merged]) -> tuple[Step, ...]:
    """What keeps the model from being created, then refused operators by what they win, then wrong numbers, then
    what may be wrong. The newest release decides the order of the refused ones."""
    told: set[int] = set()
    found: list[Step] = []
    for step in (*_others(entries, Severity.ERROR, {Kind.LOAD}), *_refused(result, entries)):
        told.update(map(id, step.entries))
        found.append(step)
    for severity in (Severity.ERROR, Severity.WARNING):
        rest = [entry for entry in entries if id(entry) not in told]
        found += _others(rest, severity, set(Kind) - ({Kind.LOAD} if severity is Severity.ERROR else set()))
    return tuple(found)


def _refused(result: ModelResult, entries: Sequence[Merged]) -> Iterator[Step]:
    by_place: dict[tuple[int, int], list[Merged]] = {}
    for entry in entries:
        if entry.finding.place is not None and entry.finding.kind is Kind.REJECTED:
            by_place.setdefault((entry.finding.place.subgraph, entry.finding.place.index), []).append(entry)
    done: set[tuple[int, int]] = set()
    for target in _newest_first(result):
        now = {graph.index: graph.gpu for graph in target.placement.subgraphs}
        for fix in target.fixes:
            before, now[fix.subgraph] = now.get(fix.subgraph, 0), fix.gpu
            spots = [(fix.subgraph, index) for index in fix.operators]
            held = [entry for spot in spots for entry in by_place.get(spot, ()) if _holds(entry, target)]
            if held and not done.issuperset(spots):
                done.update(spots)
                yield Step(tuple(held), _win(target, fix, before), (before, fix.gpu), _total(target, fix))


def _newest_first(result: ModelResult) -> Iterator[TargetResult]:
    seen = set()
    for target in reversed(result.targets):
        if target.target.litert not in seen:
            seen.add(target.target.litert)
            yield target


def _holds(entry: Merged, target: TargetResult) -> bool:
    return any(held.litert == target.target.litert for held, _ in entry.targets)


def _total(target: TargetResult, fix: Fix) -> int:
    return sum(placed.subgraph == fix.subgraph for placed in target.placement.ops)


def _win(target: TargetResult, fix: Fix, before: int) -> str:
    if fix.gpu <= before:
        return "wins together with the next"
    where = f" of subgraph {fix.subgraph}" if len(target.placement.subgraphs) > 1 else ""
    return f"+{fix.gpu - before}: {fix.gpu} of {_total(target, fix)}{where} on the GPU"


def _others(entries: Sequence[Merged], severity: Severity, kinds: set[Kind]) -> Iterator[Step]:
    by_rule: dict[str, list[Merged]] = {}
    for entry in entries:
        if entry.finding.severity is severity and entry.finding.kind in kinds:
            by_rule.setdefault(entry.finding.rule, []).append(entry)
    for found in sorted(by_rule.values(), key=lambda found: found[0].finding.order):
        yield Step(tuple(found), _WINS.get((severity, found[0].finding.kind), ""))
