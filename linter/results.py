"""What a run found, for the reports: they see this and never the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .delegate.placement import Placement
from .errors import ModelError
from .findings import Finding, Severity
from .targets import Target

if TYPE_CHECKING:
    from .confirm.answers import Confirmation
    from .facts import ModelFacts


class Fix(NamedTuple):
    """Refused operators of one kind, and how many of their subgraph run on the GPU once they are rewritten."""

    subgraph: int
    operators: tuple[int, ...]
    gpu: int


class TargetResult(NamedTuple):
    """One model on one target."""

    target: Target
    placement: Placement
    findings: tuple[Finding, ...]
    confirm: Confirmation | None = None
    """What the real delegate did, on the target that it can be asked for here."""
    fixes: tuple[Fix, ...] = ()
    """What to rewrite first, each with the ones before it made; worked out only with the facts."""


class ModelResult(NamedTuple):
    """One model on all targets of the run; or the reason why it could not be read."""

    path: str
    size: int
    sha256: str | None
    error: ModelError | None
    targets: tuple[TargetResult, ...]
    facts: ModelFacts | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for target in self.targets for finding in target.findings)

    @property
    def by_release(self) -> dict[str, list[TargetResult]]:
        found: dict[str, list[TargetResult]] = {}
        for target in self.targets:
            found.setdefault(target.target.litert, []).append(target)
        return found

    @property
    def worst(self) -> Severity | None:
        return max((finding.severity for finding in self.findings), key=lambda severity: severity.weight, default=None)
