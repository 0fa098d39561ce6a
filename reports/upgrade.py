"""What an upgrade breaks and fixes: the differences between neighbouring releases of a run, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from ..linter.delegate.placement import On
from ..linter.findings import Finding, Kind, Severity
from ..linter.results import ModelResult, TargetResult
from .merged import renamed
from .printing import abbreviated, printable
from .verdict import GRAVE


class Effect(str, Enum):
    BREAKS = "breaks"
    FIXES = "fixes"
    MOVES = "moves"


class Change(NamedTuple):
    """One effect on operators of one kind."""

    effect: Effect
    words: str
    op: str
    """Empty where it is the whole model's."""
    places: tuple[tuple[int, int], ...]
    """Subgraph and index of each operator."""


class Upgrade(NamedTuple):
    """From one release of the run to the next newer one."""

    before: str
    after: str
    gpu_before: int
    gpu_after: int
    changes: tuple[Change, ...]


def upgrades(result: ModelResult) -> tuple[Upgrade, ...]:
    """The steps between the releases of the run that change something, oldest first."""
    by_release = result.by_release
    steps = (
        Upgrade(
            before,
            after,
            by_release[before][0].placement.gpu_ops,
            by_release[after][0].placement.gpu_ops,
            _gathered(_changes(by_release[before], by_release[after])),
        )
        for before, after in pairwise(by_release)
    )
    return tuple(step for step in steps if step.changes)


Single = tuple[Effect, str, str, "tuple[int, int] | None"]


def _gathered(changes: Iterable[Single]) -> tuple[Change, ...]:
    """The same thing at several operators is one change. Breaks come first."""
    found: dict[tuple[Effect, str, str], list[tuple[int, int]]] = {}
    for effect, words, op, place in changes:
        places = found.setdefault((effect, words, op), [])
        if place is not None:
            places.append(place)
    order = list(Effect)
    return tuple(
        Change(effect, words, op, tuple(places))
        for (effect, words, op), places in sorted(found.items(), key=lambda item: order.index(item[0][0]))
    )


def _changes(before: Sequence[TargetResult], after: Sequence[TargetResult]) -> Iterator[Single]:
    old, new = before[0].placement, after[0].placement
    for verdict, words in GRAVE.items():
        if old.verdict is verdict is not new.verdict:
            refused = sum(1 for _ in new.refused())
            but = f", but {refused} operators are refused then" if refused else ""
            yield Effect.FIXES, words + but, "", None
        elif new.verdict is verdict is not old.verdict:
            yield Effect.BREAKS, words, "", None
    for was, now in zip(old.ops, new.ops, strict=True):
        place = (now.subgraph, now.index)
        if was.refusal is None and now.refusal is not None and was.on is not On.UNKNOWN:
            yield Effect.BREAKS, f"refused: {printable(now.refusal.message)}", printable(now.op), place
        elif was.refusal is not None and now.refusal is None and now.on is not On.UNKNOWN:
            words = "accepted" if now.on is On.GPU else "accepted, though it stays on the CPU"
            yield Effect.FIXES, words, printable(now.op), place
        elif {was.on, now.on} == {On.GPU, On.CPU}:
            # Nothing changed about these operators themselves, so their kinds do not matter.
            yield Effect.MOVES, "to the GPU" if now.on is On.GPU else "to the CPU", "", place
    yield from _findings(before, after)


Key = tuple[str, "tuple[int, int] | None"]
"""What a finding is about: its rule and its operator."""


def _findings(before: Sequence[TargetResult], after: Sequence[TargetResult]) -> Iterator[Single]:
    """Errors and warnings that come, go or change their weight. A refusal is told by its operator already."""
    old, new = _held(before), _held(after)
    backends = [target.target.backend for target in after]
    for key in sorted({*old, *new}, key=lambda key: (key[1] or (-1, -1), key[0])):
        was, now = old.get(key, {}), new.get(key, {})
        worse = {name: now[name] for name in backends if _weight(now.get(name)) > _weight(was.get(name))}
        better = {name: was[name] for name in backends if _weight(now.get(name)) < _weight(was.get(name))}
        for effect, held in ((Effect.BREAKS, worse), (Effect.FIXES, better)):
            if held:
                finding = max(held.values(), key=_weight)
                op = printable(finding.place.op) if finding.place else ""
                yield effect, _told(held, len(set(backends))), op, key[1]


def _held(targets: Sequence[TargetResult]) -> dict[Key, dict[str, Finding]]:
    """By rule and place: the gravest finding on each backend."""
    held: dict[Key, dict[str, Finding]] = {}
    for target in targets:
        for finding in target.findings:
            if finding.severity is Severity.INFO or finding.kind is Kind.REJECTED:
                continue
            place = (finding.place.subgraph, finding.place.index) if finding.place else None
            backends = held.setdefault((finding.rule, place), {})
            backends[target.target.backend] = max(finding, backends.get(target.target.backend, finding), key=_weight)
    return held


def _weight(finding: Finding | None) -> int:
    return -1 if finding is None else finding.severity.weight


def _told(held: dict[str, Finding], every: int) -> str:
    """The finding in words, with the backends that it is sure and perhaps wrong on, where these are not all."""
    sure = [name for name, finding in held.items() if finding.severity is Severity.ERROR]
    perhaps = [name for name in held if name not in sure]
    finding = held[(sure or perhaps)[0]]
    text = f"{finding.rule}: {printable(renamed(finding.message, finding, abbreviated))}"
    if len(sure) == every:
        return text
    if len(perhaps) == every:
        return f"perhaps {text}"
    on = [f"on {', '.join(sure)}"] if sure else []
    on += [f"perhaps on {', '.join(perhaps)}"] if perhaps else []
    return f"{text} ({', '.join(on)})"
