"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

from ..linter.baseline import fingerprint
from ..linter.findings import Rule, Severity
from ..linter.results import ModelResult
from ..linter.url import is_url
from .merged import Merged, describe, merge
from .page import Page

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(page: Page) -> str:
    index = {rule.id: number for number, rule in enumerate(page.rules)}
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
                "invocations": [_invocation(page)],
                "results": [
                    _result(result, number, entry, index)
                    for number, result in enumerate(page.results)
                    for entry in merge(result)
                ],
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
        "properties": {"tags": [rule.kind.value], "since": rule.since},
    }
    if page:
        described["fullDescription"] = {"text": page.partition("\n\n")[0]}
        described["help"] = {"text": page, "markdown": page}
    return described


def _artifact(result: ModelResult) -> dict[str, Any]:
    artifact: dict[str, Any] = {"location": {"uri": _uri(result.path)}, "length": result.size}
    if result.sha256 is not None:
        artifact["hashes"] = {"sha-256": result.sha256}
    return artifact


def _uri(path: str) -> str:
    from urllib.parse import quote

    if is_url(path):
        return quote(path, safe=":/%@")
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())


def _invocation(page: Page) -> dict[str, Any]:
    """Files that could not be read are notifications: they are no results of a rule."""
    failed = [
        {
            "level": "error",
            "message": {"text": str(result.error)},
            "locations": [{"physicalLocation": _physical(result, number, result.error.offset)}],
        }
        for number, result in enumerate(page.results)
        if result.error is not None
    ]
    return {"executionSuccessful": not failed, "toolExecutionNotifications": failed}


def _physical(result: ModelResult, number: int, offset: int | None) -> dict[str, Any]:
    # GitHub's code scanning places results by line and reads no byte offsets: the file counts as one line there.
    region = {"startLine": 1}
    if offset is not None:
        region |= {"byteOffset": offset, "byteLength": 0}
    return {"artifactLocation": {"uri": _uri(result.path), "index": number}, "region": region}


def _result(result: ModelResult, number: int, entry: Merged, index: dict[str, int]) -> dict[str, Any]:
    finding = entry.finding
    where = describe([target for target, _ in entry.targets], [target.target for target in result.targets])
    on = f" (on {where})" if where else ""
    place = finding.place
    location: dict[str, Any] = {"physicalLocation": _physical(result, number, place.offset if place else None)}
    if place is not None:
        location["logicalLocations"] = [
            {
                "name": place.op,
                "fullyQualifiedName": str(place),
                "kind": "function",
            }
        ]
    described: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message.rstrip('. ')}{on}. Fix: {finding.advice}"},
        "locations": [location],
        "partialFingerprints": {"tflint/v1": fingerprint(finding)},
        "properties": {
            "kind": finding.kind.value,
            "confidence": finding.confidence.value,
            "targets": [f"{target.litert}/{target.backend}" for target, _ in entry.targets],
        },
    }
    if finding.rule in index:
        described["ruleIndex"] = index[finding.rule]
    return described
