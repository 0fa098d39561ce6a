"""Two versions of one model: what a re-conversion made better, and what worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from typing import NamedTuple

from .baseline import fingerprint
from .delegate.placement import Placement, Verdict
from .findings import Finding, Severity
from .results import ModelResult, TargetResult

_RANKS = {Verdict.UNLOADABLE: 0, Verdict.FAILS: 1, Verdict.NONE: 2, Verdict.PARTIAL: 3, Verdict.FULL: 4}
"""A verdict that is not known ranks with none."""


class Trend(str, Enum):
    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNKNOWN = "unknown"


class Residency(NamedTuple):
    """Where both versions run on one release."""

    old: Placement
    new: Placement

    @property
    def trend(self) -> Trend:
        """By verdict; among partly resident versions, by how many operators stay on the CPU."""
        old, new = (_RANKS.get(placement.verdict) for placement in (self.old, self.new))
        if self.old.verdict is self.new.verdict is Verdict.PARTIAL:
            old, new = -self.old.cpu_ops, -self.new.cpu_ops
        if old is None or new is None:
            return Trend.SAME if old is new else Trend.UNKNOWN
        return Trend.SAME if old == new else Trend.BETTER if new > old else Trend.WORSE


class OperatorCount(NamedTuple):
    """How often an operator occurs in both versions."""

    op: str
    old: int
    new: int


class Comparison(NamedTuple):
    """Both versions on the same targets."""

    old: ModelResult
    new: ModelResult
    fixed: ModelResult
    """The old version with those findings alone that the new one does not have."""
    introduced: ModelResult
    """The new version with those findings alone that the old one did not have."""
    kept: ModelResult
    """The new version with the findings that both have."""

    @property
    def residencies(self) -> tuple[Residency, ...]:
        """One a release."""
        pairs = {
            old.target.litert: Residency(old.placement, new.placement)
            for old, new in zip(self.old.targets, self.new.targets, strict=True)
        }
        return tuple(pairs.values())

    @property
    def operators(self) -> tuple[OperatorCount, ...]:
        """Every operator of either version, by name."""
        old, new = (
            Counter(placed.op for placed in version.targets[0].placement.ops) for version in (self.old, self.new)
        )
        return tuple(OperatorCount(op, old[op], new[op]) for op in sorted(old | new))

    @property
    def worst(self) -> Severity | None:
        """How grave the worst is that the new version brings: a finding, or fewer operators on the GPU, which is an
        error where all must be there."""
        found = [self.introduced.worst] if self.introduced.worst else []
        if any(residency.trend is Trend.WORSE for residency in self.residencies):
            required = self.new.targets[0].target.accelerators == "gpu"
            found.append(Severity.ERROR if required else Severity.WARNING)
        return max(found, key=lambda severity: severity.weight, default=None)


def compare(old: ModelResult, new: ModelResult) -> Comparison:
    """Compare two results for the same targets, of which neither has an error."""
    fixed: list[TargetResult] = []
    introduced: list[TargetResult] = []
    kept: list[TargetResult] = []
    for before, after in zip(old.targets, new.targets, strict=True):
        gone, come = before.findings, after.findings
        # By place first. A converter may rename all tensors: then one of the same rule at the same operator is no news.
        for key in (_exactly, _loosely):
            gone, come = _without(gone, come, key), _without(come, gone, key)
        fixed.append(before._replace(findings=gone))
        introduced.append(after._replace(findings=come))
        kept.append(after._replace(findings=_without(after.findings, come, _itself)))
    return Comparison(
        old,
        new,
        old._replace(targets=tuple(fixed)),
        new._replace(targets=tuple(introduced)),
        new._replace(targets=tuple(kept)),
    )


def _exactly(finding: Finding) -> Hashable:
    return fingerprint(finding), finding.severity


def _loosely(finding: Finding) -> Hashable:
    return finding.rule, finding.place.op if finding.place else None, finding.severity


def _itself(finding: Finding) -> Hashable:
    return finding


def _without(
    findings: Iterable[Finding], others: Iterable[Finding], key: Callable[[Finding], Hashable]
) -> tuple[Finding, ...]:
    """The findings that have no partner among the others."""
    partners = Counter(map(key, others))
    left = []
    for finding in findings:
        mine = key(finding)
        if partners[mine]:
            partners[mine] -= 1
        else:
            left.append(finding)
    return tuple(left)
