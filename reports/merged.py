"""Findings of several targets, each said once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..linter.findings import Evidence, Finding, Severity
from ..linter.results import ModelResult
from ..linter.targets import INDEX, Target


@dataclass(frozen=True, slots=True)
class Merged:
    """One finding, and the targets that it holds for. `finding` is the gravest of them."""

    finding: Finding
    targets: tuple[tuple[Target, Severity], ...]

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
            replace(
                max((finding for _, finding in found), key=lambda finding: finding.severity.weight),
                evidence=_united(evidence for _, finding in found for evidence in finding.evidence),
            ),
            tuple((target, finding.severity) for target, finding in found),
        )
        for found in groups.values()
    ]
    return tuple(sorted(merged, key=lambda entry: entry.finding.order))


def _united(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each piece of evidence once, with all the releases that it is for."""
    releases: dict[Evidence, set[str]] = {}
    for entry in evidence:
        releases.setdefault(replace(entry, litert=()), set()).update(entry.litert)
    return tuple(
        replace(entry, litert=tuple(sorted(litert, key=INDEX.__getitem__))) for entry, litert in releases.items()
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
    for target in targets:
        by_backend.setdefault(target.backend, []).append(target.litert)
    every_backend = {target.backend for target in all_targets}
    every_release = {target.litert for target in all_targets}
    by_releases: dict[tuple[str, ...], list[str]] = {}
    for backend, versions in by_backend.items():
        by_releases.setdefault(tuple(sorted(versions, key=INDEX.__getitem__)), []).append(backend)
    parts = []
    for releases, backends in by_releases.items():
        words = []
        if set(releases) != every_release:
            words.append(spans(releases))
        if set(backends) != every_backend:
            words.append(", ".join(backends))
        parts.append(" on ".join(words))
    return "; ".join(part for part in parts if part)
