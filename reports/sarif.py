"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..linter.baseline import fingerprint
from ..linter.findings import Rule, Severity
from ..linter.results import ModelResult
from ..linter.url import is_url
from .merged import Merged, held_on, merge
from .page import Page

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

MOST = 25_000
"""Results of a run that GitHub's code scanning takes; it refuses a file with more."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def render(page: Page) -> str:
    results = list(_results(page))
    if left := max(0, len(results) - MOST):
        results.sort(key=lambda result: list(_LEVELS.values()).index(result["level"]))
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tflint",
                        "semanticVersion": page.version,
                        "rules": [_rule(rule, page.pages.get(rule.id, "")) for rule in page.rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "artifacts": [_artifact(result) for result in page.results],
                "invocations": [_invocation(page, left)],
                "results": results[:MOST],
            }
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _rule(rule: Rule, page: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": [rule.kind.value],
            "problem.severity": _PROBLEMS[rule.severity],
            "since": rule.since,
        },
    }
    if page:
        described["fullDescription"] = {"text": page.partition("\n\n")[0]}
        described["help"] = {"text": page, "markdown": page}
    return described


def _artifact(result: ModelResult) -> dict[str, Any]:
    artifact: dict[str, Any] = {"location": _location(result.path), "length": result.size}
    if result.sha256 is not None:
        artifact["hashes"] = {"sha-256": result.sha256}
    return artifact


def _location(path: str) -> dict[str, Any]:
    """Where a file is: in the folder of the run where it can be, so that the report says the same on every machine."""
    if is_url(path):
        return {"uri": quote(path, safe=":/%@")}
    pure = Path(path)
    if pure.is_absolute():
        try:
            pure = pure.relative_to(Path.cwd())
        except (ValueError, OSError):  # it lies elsewhere, or the working directory has been deleted
            return {"uri": pure.as_uri()}
    # A file name may hold any bytes: `fsencode` gives them back.
    return {"uri": quote(os.fsencode(pure.as_posix())), "uriBaseId": "%SRCROOT%"}


def _text(text: str) -> str:
    """A message in which names from a model make no links."""
    return re.sub(r"\[(?=[^\[\]]*\]\()", r"\\[", text)


def _invocation(page: Page, left: int) -> dict[str, Any]:
    """Files that could not be read are notifications: they are no results of a rule."""
    failed: list[dict[str, Any]] = [
        {
            "level": "error",
            "message": {"text": _text(str(result.error))},
            "locations": [{"physicalLocation": _physical(result, number, result.error.offset)}],
        }
        for number, result in enumerate(page.results)
        if result.error is not None
    ]
    notes = [{"level": "warning", "message": {"text": f"{left} more results, the least grave, are left out"}}]
    return {"executionSuccessful": not failed, "toolExecutionNotifications": failed + (notes if left else [])}


def _physical(result: ModelResult, number: int, offset: int | None) -> dict[str, Any]:
    # Code scanning shows no result without a line, though a model has none.
    region = {"startLine": 1}
    if offset is not None:
        region |= {"byteOffset": offset, "byteLength": 0}
    return {"artifactLocation": {**_location(result.path), "index": number}, "region": region}


def _results(page: Page) -> Iterator[dict[str, Any]]:
    index = {rule.id: number for number, rule in enumerate(page.rules)}
    for number, result in enumerate(page.results):
        times: Counter[str] = Counter()
        for entry in merge(result):
            mark = fingerprint(entry.finding)
            times[mark] += 1
            described = _result(result, number, entry)
            # Code scanning tells results apart by the first of these alone. Where it is missing, it is made of the
            # line, which is the same for all of a model.
            described["partialFingerprints"] = {
                "primaryLocationLineHash": f"{mark}:{times[mark]}",
                "tflint/v1": mark,
            }
            if entry.finding.rule in index:
                described["ruleIndex"] = index[entry.finding.rule]
            yield described


def _result(result: ModelResult, number: int, entry: Merged) -> dict[str, Any]:
    finding = entry.finding
    where = held_on(entry, result)
    on = f" (on {where})" if where else ""
    place = finding.place
    location: dict[str, Any] = {"physicalLocation": _physical(result, number, place.offset if place else 0)}
    if place is not None:
        location["logicalLocations"] = [{"name": place.op, "fullyQualifiedName": str(place), "kind": "function"}]
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(f"{finding.message.rstrip('. ')}{on}. Fix: {finding.advice}")},
        "locations": [location],
        "properties": {
            "kind": finding.kind.value,
            "confidence": finding.confidence.value,
            "targets": [f"{target.litert}/{target.backend}" for target, _ in entry.targets],
        },
    }
