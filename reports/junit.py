"""JUnit XML, for CI systems that show test results: one suite a model, one case a target."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # written, never parsed

from ..linter.findings import Severity
from ..linter.results import ModelResult, TargetResult
from .page import Page
from .printing import place_words, printable


def render(page: Page) -> str:
    root = ET.Element("testsuites", name="tflint")
    totals = {"tests": 0, "failures": 0, "errors": 0}
    for result in page.results:
        suite = ET.SubElement(root, "testsuite", name=_clean(result.path))
        counts = _fill(suite, result)
        for key, count in counts.items():
            suite.set(key, str(count))
            totals[key] += count
    for key, count in totals.items():
        root.set(key, str(count))
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _fill(suite: ET.Element, result: ModelResult) -> dict[str, int]:
    if result.error is not None:
        case = ET.SubElement(suite, "testcase", name="read", classname=_clean(result.path))
        ET.SubElement(case, "error", message=_clean(str(result.error)))
        return {"tests": 1, "failures": 0, "errors": 1}
    failures = 0
    for target in result.targets:
        name = f"LiteRT {target.target.litert} {target.target.backend}"
        case = ET.SubElement(suite, "testcase", name=name, classname=_clean(result.path))
        failures += _judge(case, target)
    return {"tests": len(result.targets), "failures": failures, "errors": 0}


def _judge(case: ET.Element, target: TargetResult) -> bool:
    """A target fails by its errors; what is less grave is said in its output."""
    lines: dict[Severity, list[str]] = {severity: [] for severity in Severity}
    for finding in target.findings:
        where = f"{place_words(finding)}: " if finding.place else ""
        said, advice = printable(finding.message), printable(finding.advice)
        lines[finding.severity].append(f"{where}[{finding.rule}] {said}\n  {advice}")
    errors = lines[Severity.ERROR]
    if errors:
        verdict = f"{len(errors)} error{'s' if len(errors) > 1 else ''}: {target.placement.verdict.value}"
        failure = ET.SubElement(case, "failure", message=verdict)
        failure.text = _clean("\n".join(errors))
    rest = lines[Severity.WARNING] + lines[Severity.INFO]
    if rest:
        ET.SubElement(case, "system-out").text = _clean("\n".join(rest))
    return bool(errors)


def _clean(text: str) -> str:
    """XML has no way to write most control characters, and a terminal obeys them: they become escapes."""
    return "\n".join(printable(line) for line in text.split("\n"))
