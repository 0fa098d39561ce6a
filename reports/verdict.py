"""Whether a model ships, in one sentence: what every report for people says first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from ..linter.delegate.placement import Placement, Verdict
from ..linter.delegate.refusal import Cause
from ..linter.findings import Kind, Severity
from ..linter.results import ModelResult, TargetResult
from .merged import describe, spans
from .printing import some

if TYPE_CHECKING:
    from ..linter.confirm.answers import Confirmation

NAMED = 2
"""Rules named in a sentence; more of them are counted."""

NUMBERS = frozenset({Kind.MISCOMPUTE, Kind.PRECISION})
"""Kinds of finding that are about the values that come back."""


class Status(str, Enum):
    """FAILS: something is known to break. WARNS: something may. SHIPS: nothing is known against it."""

    FAILS = "fails"
    WARNS = "warns"
    SHIPS = "ships"

    @property
    def words(self) -> str:
        return {Status.FAILS: "do not ship", Status.WARNS: "check", Status.SHIPS: "ships"}[self]


def worst(statuses: Iterable[Status]) -> Status:
    return min(statuses, key=list(Status).index, default=Status.SHIPS)


def confirmed_status(confirmation: Confirmation) -> Status:
    """What a confirmation says of the model."""
    return {"confirmed": Status.SHIPS, "unconfirmed": Status.WARNS}.get(confirmation.outcome.value, Status.FAILS)


def refuted(result: TargetResult) -> bool:
    """Whether the model was run on the target, and what came of it speaks against it."""
    return result.confirm is not None and confirmed_status(result.confirm) is Status.FAILS


def target_status(result: TargetResult) -> Status:
    placement = result.placement
    severities = {finding.severity for finding in result.findings}
    missed = placement.verdict is not Verdict.FULL
    if (
        Severity.ERROR in severities
        or placement.verdict in (Verdict.FAILS, Verdict.UNLOADABLE)
        or (placement.verdict in (Verdict.PARTIAL, Verdict.NONE) and result.target.accelerators == "gpu")
        or refuted(result)
    ):
        return Status.FAILS
    return Status.WARNS if missed or Severity.WARNING in severities else Status.SHIPS


def model_status(result: ModelResult) -> Status:
    if result.error is not None:
        return Status.FAILS
    return worst(target_status(target) for target in result.targets)


def sentence(result: ModelResult) -> str:
    return " ".join(sentences(result))


def sentences(result: ModelResult) -> tuple[str, ...]:
    """Can it ship, on which releases, and if not, why: a sentence for each status, the gravest first."""
    if result.error is not None:
        return (f"The file could not be read: {result.error}.",)
    by_status: dict[Status, list[TargetResult]] = {}
    for target in result.targets:
        by_status.setdefault(target_status(target), []).append(target)
    parts: list[str] = []
    for status in Status:
        targets = by_status.get(status, [])
        if not targets:
            continue
        where = _where(targets, result, first=not parts)
        if status is Status.SHIPS:
            why = f": {_all_run(targets[0].placement)} and no fault is known" if len(by_status) == 1 else ""
            parts.append(f"Ships on {where}{why}.")
            continue
        lead, severity = _LEADS[status]
        why = "; ".join(
            _reason(words, found, targets) for words, found in _reasons(targets, severity, told=bool(parts))
        )
        parts.append(f"{lead} {where}: {why}.")
    return tuple(parts)


def reason(result: ModelResult) -> str:
    """Why the model has its status, without the releases: for a list of models."""
    status = model_status(result)
    if result.error is not None or not result.targets:
        return sentence(result)
    if status is Status.SHIPS:
        return _all_run(result.targets[0].placement)
    targets = [target for target in result.targets if target_status(target) is status]
    return "; ".join(words for words, _ in _reasons(targets, _LEADS[status][1], told=False))


_LEADS = {Status.FAILS: ("Do not ship on", Severity.ERROR), Status.WARNS: ("Check on", Severity.WARNING)}


def _where(targets: Sequence[TargetResult], result: ModelResult, first: bool) -> str:
    every = [target.target for target in result.targets]
    words = describe([target.target for target in targets], every)
    releases = {target.target.litert for target in targets}
    if releases == {target.litert for target in every}:
        # All releases: named in the first sentence, so that the reader knows which were asked for.
        backends = words and not words[0].isdigit()
        words = f"{spans(releases)} with {words}" if backends and first else words or spans(releases)
    return f"LiteRT {words}" if first else words


def _all_run(placement: Placement) -> str:
    count = placement.gpu_ops
    return "its one operator runs on the GPU" if count == 1 else f"all {count} operators run on the GPU"


Reason = tuple[str, list[TargetResult]]
"""What is wrong, and the targets that it is wrong on."""

GRAVE = {
    Verdict.UNLOADABLE: "the runtime cannot run it, on the CPU either",
    Verdict.FAILS: "creating the CompiledModel fails",
}


def _reasons(targets: Sequence[TargetResult], severity: Severity, *, told: bool) -> list[Reason]:
    """What breaks (or may, for warnings), the gravest first. `told`: that all runs on the GPU was said before."""
    reasons: list[Reason] = []

    def tell(words: str, found: list[TargetResult]) -> None:
        if found:
            reasons.append((words, found))

    for verdict, words in GRAVE.items():
        tell(words, [target for target in targets if target.placement.verdict is verdict])
    short = [target for target in targets if target.placement.verdict in (Verdict.NONE, Verdict.PARTIAL)]
    if short:
        tell(_refusals([target.placement for target in short]), short)
    tell("where it runs cannot be told", [target for target in targets if target.placement.verdict is Verdict.UNKNOWN])
    # What is not created returns no numbers.
    wrong = [
        target for target in targets if target.placement.verdict not in GRAVE and _rules(target, severity, NUMBERS)
    ]
    lead = "numbers come back wrong" if severity is Severity.ERROR else "numbers may be wrong"
    if wrong and not told and all(target.placement.verdict is Verdict.FULL for target in wrong):
        lead = f"every operator runs on the GPU, but {lead}"
    tell(f"{lead}: {_named(rule for target in wrong for rule in _rules(target, severity, NUMBERS))}", wrong)
    for target in targets:
        if target.confirm is not None and refuted(target):
            tell(f"run here: {target.confirm.reason}", [target])
    known = {target.target for _, found in reasons for target in found}
    rest = [target for target in targets if target.target not in known]
    tell(_named(rule for target in rest for rule in _rules(target, severity, frozenset(Kind))), rest)
    return reasons


def _reason(words: str, found: Sequence[TargetResult], among: Sequence[TargetResult]) -> str:
    where = describe([target.target for target in found], [target.target for target in among])
    return f"{words} ({where})" if where else words


def _rules(target: TargetResult, severity: Severity, kinds: frozenset[Kind]) -> list[str]:
    return [finding.rule for finding in target.findings if finding.severity is severity and finding.kind in kinds]


def _refusals(placements: Sequence[Placement]) -> str:
    """``the GPU refuses 6 of 17 operators``, a span where the releases differ."""
    counts = [sum(why.cause is not Cause.HALF_WEIGHTS for _, why in placement.refused()) for placement in placements]
    low, high = min(counts), max(counts)
    total = max(len(placement.ops) for placement in placements)
    if not high:
        return f"{max(placement.cpu_ops for placement in placements)} of {total} operators stay on the CPU"
    if total == 1:
        return "the GPU refuses its only operator"
    return f"the GPU refuses {high if low == high else f'{low} to {high}'} of {total} operators"


def _named(rules: Iterable[str]) -> str:
    names = list(dict.fromkeys(rules))
    return some(names, NAMED)
