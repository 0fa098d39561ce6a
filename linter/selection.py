"""Which findings count: rules and severities chosen, severities changed, findings ignored with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import NamedTuple

from .config import OFF, Ignore
from .findings import Finding, Severity
from .results import ModelResult

EVERY = frozenset(severity.value for severity in Severity)


class Selection(NamedTuple):
    """What is kept of a result."""

    severities: frozenset[str] = EVERY
    levels: Mapping[str, str] = MappingProxyType({})
    """Rule id to the severity that its findings get, or ``off``."""
    per_path: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignores: tuple[Ignore, ...] = ()

    def apply(self, result: ModelResult) -> ModelResult:
        if self.severities == EVERY and not (self.levels or self.per_path or self.ignores):
            return result
        path = result.path.replace("\\", "/")
        unwanted = {word for glob, words in self.per_path if fnmatchcase(path, glob) for word in words}
        targets = []
        for target in result.targets:
            kept = []
            for finding in target.findings:
                judged = self._level(finding)
                if judged is None or judged.severity.value not in self.severities:
                    continue
                if judged.rule in unwanted or judged.severity.value in unwanted:
                    continue
                if any(ignore.matches(path, judged) for ignore in self.ignores):
                    continue
                kept.append(judged)
            targets.append(target._replace(findings=tuple(kept)))
        return result._replace(targets=tuple(targets))

    def _level(self, finding: Finding) -> Finding | None:
        level = self.levels.get(finding.rule)
        if level is None:
            return finding
        return None if level == OFF else finding._replace(severity=Severity(level))
