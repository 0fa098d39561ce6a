"""The rules of wrong numbers against the reference corpus: what they find, keep and flag, as tables."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tflint import checks
from tflint.linter.delegate.placement import Verdict
from tflint.linter.engine import lint_model
from tflint.linter.findings import Finding, Kind, Severity
from tflint.linter.reader import read_file
from tflint.linter.results import TargetResult
from tflint.linter.targets import LATEST, Target

Rows = dict[str, dict[str, dict[str, Any]]]

RIGHT = ("ok", "rejected-ok")
WRONG = ("wrong", "rejected-wrong")

FOUND = 0.98
"""Least share of the faults that must be found."""


MOST_FINDINGS = 1
"""Warnings and errors that a real model may have on average, right ones included."""


def recorded(corpus: Path) -> Rows:
    """What the delegate did with each small model, by model and release."""
    reference = corpus.parent / "reference" / "miscompute-measured.json"
    if not reference.exists():
        pytest.skip(f"{reference} is absent")
    rows: Rows = defaultdict(dict)
    for row in json.loads(reference.read_text(encoding="utf-8")):
        rows[row["id"]][row["release"]] = row
    return rows


def loud(findings: Iterable[Finding], *kinds: Kind) -> list[Finding]:
    return [found for found in findings if found.kind in kinds and found.severity is not Severity.INFO]


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [found for found in findings if found.severity is Severity.ERROR]


def agrees(status: str, result: TargetResult) -> bool:
    """Whether the findings on a model are what its measured outcome asks for."""
    computed = loud(result.findings, Kind.MISCOMPUTE)
    loads = errors(loud(result.findings, Kind.LOAD))
    if status in WRONG:
        return bool(computed)
    if status.startswith("crash") or status == "init-fail":
        return result.placement.verdict is Verdict.FAILS or bool(loads)
    if status == "run-fail":
        return bool(loads or computed)
    return not errors(computed)


def table(counts: Mapping[tuple[str, str], list[int]]) -> Iterator[str]:
    for (name, status), (good, total) in sorted(counts.items()):
        yield f"  {name:4} {status:15} {good:4} of {total:4}{'' if good == total else '  *'}"


@pytest.mark.corpus
def test_measured_faults_are_found_and_what_is_right_is_kept(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    alarms = []
    for model, rows in recorded(corpus).items():
        with read_file(corpus / "miscompute" / f"{model}.tflite") as read:
            targets = [Target(release, "webgpu", "gpu,cpu") for release in rows]
            for result in lint_model(read, targets, checks.every()):
                row = rows[result.target.litert]
                good = agrees(row["status"], result)
                count = counts[row["name"][:3], row["status"]]
                count[0] += good
                count[1] += 1
                if not good and row["status"] in RIGHT:
                    rules = {found.rule for found in errors(loud(result.findings, Kind.MISCOMPUTE))}
                    alarms.append(f"{model} {result.target.litert} {row['name']}: {', '.join(sorted(rules))}")
    faults = [count for (_, status), count in counts.items() if status not in RIGHT]
    found, wrong = (sum(count[position] for count in faults) for position in (0, 1))
    kept, right = (sum(count[position] for count in counts.values()) for position in (0, 1))
    with capsys.disabled():
        print(f"\nfaults found {found} of {wrong}, right kept {kept - found} of {right - wrong}")
        print("\n".join(table(counts)))
    assert not alarms, "\n".join(alarms)
    assert found >= FOUND * wrong


@pytest.mark.corpus
def test_real_models_are_not_flooded(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many real models each rule flags, and how many findings a model gets on the newest release."""
    models: Counter[tuple[str, str]] = Counter()
    findings: Counter[str] = Counter()
    paths = sorted((corpus / "models").glob("*.tflite"))
    for path in paths:
        with read_file(path) as read:
            (result,) = lint_model(read, [Target(LATEST, "webgpu", "gpu,cpu")], checks.every())
        found = loud(result.findings, Kind.MISCOMPUTE, Kind.PRECISION)
        models.update({(finding.rule, finding.severity.value) for finding in found})
        findings.update(finding.severity.value for finding in found)
    with capsys.disabled():
        print(f"\n{len(paths)} real models on {LATEST}, miscompute and precision: {dict(sorted(findings.items()))}")
        for (rule, severity), count in sorted(models.items(), key=lambda item: (-item[1], item[0])):
            print(f"  {rule:28} {severity:8} {count:4} models")
    assert sum(findings.values()) < MOST_FINDINGS * len(paths)
