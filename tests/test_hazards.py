"""The rules against the recorded hazards: what the delegate computed wrongly is reported, what was right is not."""

from __future__ import annotations

import pytest
from recorded import cases, judged, known, reported

from tflint.fixtures.hazards import FP16
from tflint.fixtures.hazards.case import Case
from tflint.linter.delegate.placement import Verdict
from tflint.linter.findings import Kind, Severity
from tflint.linter.targets import VERSIONS


def _together(case: Case) -> pytest.MarkDecorator:
    """A rule's cases go to one worker, so that none is built or judged twice."""
    return pytest.mark.xdist_group(case.rule)


ALL = [(family, case) for family, made in cases().items() for case in made]
CASES = [pytest.param(family, case, id=str(case), marks=_together(case)) for family, case in ALL]
REWRITES = [pytest.param(family, case, id=str(case), marks=_together(case)) for family, case in ALL if case.rewrites]
HALF = [pytest.param(case, id=str(case), marks=_together(case)) for family, case in ALL if family in FP16]
RULES = sorted({(family, case.rule) for family, case in ALL})


def outcomes(family: str, case: Case) -> dict[str, str]:
    """What was measured, by release. Releases that lack an option which the case asks for say nothing."""
    return {release: said for release, said in known(family).outcomes(str(case)).items() if said != "not offered"}


def precision(family: str, case: Case) -> str:
    return "fp16" if family in FP16 and not case.enforced else "fp32"


@pytest.mark.parametrize("family", sorted(cases()))
def test_the_record_is_of_these_cases_and_of_all_releases(family: str) -> None:
    record = known(family)
    assert set(record.cases) == {str(case) for case in cases()[family]}
    assert [name for name, entry in record.cases.items() if not set(VERSIONS) <= set(entry)] == []
    assert set(VERSIONS) <= set(record.conditions)


@pytest.mark.parametrize(("family", "case"), CASES)
def test_the_record_is_of_this_model(family: str, case: Case) -> None:
    assert known(family).cases[str(case)]["model"] == case.digest


@pytest.mark.parametrize(("family", "case"), CASES)
def test_the_rules_say_what_was_measured(family: str, case: Case) -> None:
    said = reported(case, precision(family, case))
    for release, outcome in outcomes(family, case).items():
        if outcome == "the CPU refuses it":
            continue  # The GPU ran it, and there is nothing to compare with.
        findings = [finding for finding in said[release] if finding.severity is not Severity.INFO]
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        if outcome == "right":
            assert errors == [], f"{release}: right, and an error is reported"
            if family in FP16 and not case.possible:
                rounding = [finding.message for finding in findings if finding.kind is Kind.PRECISION]
                assert rounding == [], f"{release}: right, and a warning is reported"
        else:
            # Where another rule explains it (a graph that runs in part fails before 2.1.4), that is enough.
            spoken = any(finding.rule == case.rule for finding in findings) or errors
            assert spoken, f"{release}: {outcome}, and nothing is reported"


@pytest.mark.parametrize(("family", "case"), CASES)
def test_the_verdict_says_whether_the_model_was_created(family: str, case: Case) -> None:
    said = judged(case, precision(family, case))
    for release, outcome in outcomes(family, case).items():
        created = " at create" not in outcome
        assert (said[release].placement.verdict in (Verdict.FAILS, Verdict.UNLOADABLE)) is not created, release


@pytest.mark.parametrize(("family", "rule"), RULES)
def test_a_rule_has_faults_and_twins(family: str, rule: str) -> None:
    seen = [set(outcomes(family, case).values()) for case in cases()[family] if case.rule == rule and not case.rewrites]
    assert any(said != {"right"} for said in seen)
    assert any(said == {"right"} for said in seen)


@pytest.mark.parametrize(("family", "case"), REWRITES)
def test_an_advised_rewrite_is_right_where_the_fault_was(family: str, case: Case) -> None:
    (fault,) = [other for other in cases()[family] if other.rule == case.rule and other.name == case.rewrites]
    wrong = {release for release, outcome in outcomes(family, fault).items() if outcome != "right"}
    measured = outcomes(family, case)
    mended = {release for release, outcome in measured.items() if outcome == "right"}
    assert wrong
    assert wrong & mended
    said = reported(case, precision(family, case))
    for release in (wrong & set(measured)) - mended:
        # Another fault remains, and the linter says so.
        assert any(finding.severity is Severity.ERROR for finding in said[release])


@pytest.mark.parametrize(("family", "rule"), RULES)
def test_the_rewrite_of_a_rule_is_measured(family: str, rule: str) -> None:
    assert any(case.rewrites for case in cases()[family] if case.rule == rule)


@pytest.mark.parametrize("case", HALF)
def test_fp32_silences_the_rules_about_half_precision(case: Case) -> None:
    for findings in reported(case, "fp32").values():
        assert [finding.rule for finding in findings if finding.kind is Kind.PRECISION] == []
