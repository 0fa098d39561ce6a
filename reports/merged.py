"""Findings of several targets, each said once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..linter.findings import Evidence, Finding, Kind, Severity
from ..linter.results import ModelResult
from ..linter.targets import INDEX, Target


class Merged(NamedTuple):
    """One finding, and the targets that it holds for. `finding` is the gravest of them."""

    finding: Finding
    targets: tuple[tuple[Target, Severity], ...]
    otherwise: tuple[tuple[Finding, tuple[Target, ...]], ...] = ()
    """What older releases say instead, where they refuse the operator in other words."""

    def at(self, severity: Severity) -> tuple[Target, ...]:
        return tuple(target for target, found in self.targets if found is severity)


def merge(result: ModelResult) -> tuple[Merged, ...]:
    """The findings of a model, one entry for what differs between targets only in severity and evidence."""
    groups: dict[tuple[object, ...], list[tuple[Target, Finding]]] = {}
    for target in result.targets:
        for finding in target.findings:
            key = (finding.place, finding.rule, finding.message, finding.advice)
            groups.setdefault(key, []).append((target.target, finding))
    merged = [
        Merged(
            max((finding for _, finding in found), key=lambda finding: finding.severity.weight)._replace(
                evidence=_united(evidence for _, finding in found for evidence in finding.evidence),
            ),
            tuple((target, finding.severity) for target, finding in found),
        )
        for found in groups.values()
    ]
    return tuple(sorted(_reworded(merged), key=lambda entry: entry.finding.order))


def _reworded(entries: Iterable[Merged]) -> Iterator[Merged]:
    """One entry for a refusal that releases word differently: the newest wording, and the others beside it."""
    groups: dict[object, list[Merged]] = {}
    for number, entry in enumerate(entries):
        finding, place = entry.finding, entry.finding.place
        same: object = number
        if place is not None and finding.kind is Kind.REJECTED:
            same = (place.subgraph, place.index, finding.rule, finding.advice, finding.severity)
        groups.setdefault(same, []).append(entry)
    for found in groups.values():
        found.sort(key=_newest, reverse=True)
        holders = [target for entry in found for target, _ in entry.targets]
        if len(holders) > len(set(holders)):
            # Two things at one operator on one release: they stay two.
            yield from found
            continue
        evidence = _united(evidence for entry in reversed(found) for evidence in entry.finding.evidence)
        yield Merged(
            found[0].finding._replace(evidence=evidence),
            tuple(held for entry in reversed(found) for held in entry.targets),
            tuple((entry.finding, tuple(target for target, _ in entry.targets)) for entry in found[1:]),
        )


def _newest(entry: Merged) -> int:
    return max(INDEX[target.litert] for target, _ in entry.targets)


class Same(NamedTuple):
    """The same thing at several operators of one kind: one entry stands for all."""

    entries: tuple[Merged, ...]

    @property
    def first(self) -> Merged:
        return self.entries[0]


def same(entries: Iterable[Merged], *, numbers: bool = True) -> tuple[Same, ...]:
    """Entries that differ in nothing but their place and the names of its tensors, in the order of the first ones.
    Without `numbers` they may differ in sizes and figures too."""
    groups: dict[object, list[Merged]] = {}
    for entry in entries:
        finding = entry.finding
        op = finding.place.op if finding.place else None
        words = (
            renamed(finding.advice, finding, lambda name: ""),
            *(renamed(each.message, each, lambda name: "") for each in (finding, *(old for old, _ in entry.otherwise))),
        )
        if not numbers:
            words = tuple(re.sub(r"[\d.]+(?:, [\d.]+)*", "0", text) for text in words)
        key = (finding.rule, op, words, tuple(targets for _, targets in entry.otherwise), entry.targets)
        groups.setdefault(key, []).append(entry)
    return tuple(Same(tuple(found)) for found in groups.values())


def renamed(text: str, finding: Finding, name: Callable[[str], str]) -> str:
    """Text of a finding with other names for its tensors."""
    names = {old for old in finding.place.tensors if old and old in text} if finding.place else ()
    if not names:
        return text
    # Whole words alone: a tensor may be called "a". All at once: one name may stand in what another is replaced by.
    old = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{old})(?!\w)", lambda match: name(match[0]), text)


def _united(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each piece of evidence once, with all the releases that it is for."""
    releases: dict[Evidence, set[str]] = {}
    for entry in evidence:
        releases.setdefault(entry._replace(litert=()), set()).update(entry.litert)
    return tuple(
        entry._replace(litert=tuple(sorted(litert, key=INDEX.__getitem__))) for entry, litert in releases.items()
    )


def spans(versions: Iterable[str]) -> str:
    """Releases in few words: ``2.1.2 to 2.1.5, 2.3.0``."""
    indices = sorted({INDEX[version] for version in versions})
    names = {index: version for version, index in INDEX.items()}
    parts: list[str] = []
    start = 0
    for end in range(1, len(indices) + 1):
        if end < len(indices) and indices[end] == indices[end - 1] + 1:
            continue
        run = indices[start:end]
        start = end
        if len(run) > 2:
            parts.append(f"{names[run[0]]} to {names[run[-1]]}")
        else:
            parts += [names[index] for index in run]
    return ", ".join(parts)


def describe(targets: Sequence[Target], all_targets: Sequence[Target]) -> str:
    """Which targets, in few words; empty when it is all of them."""
    if len(set(targets)) == len(set(all_targets)):
        return ""
    by_backend: dict[str, list[str]] = {}
    by_release: dict[str, list[str]] = {}
    for target in targets:
        by_backend.setdefault(target.backend, []).append(target.litert)
        by_release.setdefault(target.litert, []).append(target.backend)
    backends = {target.backend for target in all_targets}
    releases = {target.litert for target in all_targets}
    ways = (
        [(litert, names) for names, litert in _alike(by_backend)],
        [(litert, names) for litert, names in _alike(by_release)],
    )
    return min(("; ".join(_words(*part, releases, backends) for part in way) for way in ways), key=len)


def held_on(entry: Merged, result: ModelResult) -> str:
    """Which targets of a run an entry holds for, as `describe` says it."""
    return describe([target for target, _ in entry.targets], [target.target for target in result.targets])


def _alike(groups: dict[str, list[str]]) -> list[tuple[list[str], list[str]]]:
    """Keys that have the same values, and these values."""
    found: dict[tuple[str, ...], list[str]] = {}
    for key, values in groups.items():
        found.setdefault(tuple(sorted(set(values))), []).append(key)
    return [(keys, groups[keys[0]]) for keys in found.values()]


def _words(litert: Sequence[str], names: Sequence[str], releases: set[str], backends: set[str]) -> str:
    words = [] if set(litert) == releases else [spans(litert)]
    if set(names) != backends:
        words.append(", ".join(dict.fromkeys(names)))
    return " with ".join(words)
