"""What tests of rules share about the recorded hazards: the cases by rule, and what the rules say of them."""

from __future__ import annotations

from functools import cache

from judging import found, spoken

from tflint import checks
from tflint.fixtures.hazards import families, record
from tflint.fixtures.hazards.case import Case
from tflint.linter.engine import lint_model
from tflint.linter.findings import Finding
from tflint.linter.reader import read
from tflint.linter.results import TargetResult
from tflint.linter.settings import Settings
from tflint.linter.targets import VERSIONS, Target


@cache
def cases() -> dict[str, tuple[Case, ...]]:
    """By family."""
    return {family: tuple(give()) for family, give in families().items()}


@cache
def known(family: str) -> record.Record:
    return record.read(family)


def of(rule: str, name: str) -> Case:
    """One case of a rule."""
    (case,) = [case for made in cases().values() for case in made if case.rule == rule and case.name == name]
    return case


@cache
def judged(case: Case, precision: str = "fp32") -> dict[str, TargetResult]:
    """Verdict and findings by release, where the CPU is allowed, with the case's ranges of inputs."""
    targets = [Target(version, "webgpu", "gpu,cpu", precision) for version in VERSIONS]
    settings = Settings(input_ranges=tuple((name, lo, hi) for name, (lo, hi) in case.ranges.items()))
    results = lint_model(read(case.model), targets, checks.every(), settings)
    return {result.target.litert: result for result in results}


def reported(case: Case, precision: str = "fp32") -> dict[str, tuple[Finding, ...]]:
    """What all rules report, by release."""
    return {release: result.findings for release, result in judged(case, precision).items()}


def spoken_of(
    rule: str, name: str, litert: str = "2.3.0", backend: str = "webgpu", accelerators: str = "gpu,cpu"
) -> str:
    """What a rule says of one of its cases, as text."""
    return spoken(found(of(rule, name).model, rule, litert, backend, accelerators=accelerators))
