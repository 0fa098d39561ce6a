"""The JSON report, schema version 1: public interface."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..linter.findings import Evidence, Finding, Place
from ..linter.results import ModelResult, TargetResult
from .page import Page

if TYPE_CHECKING:
    from ..linter.confirm.answers import Confirmation

SCHEMA = 1


def render(page: Page) -> str:
    document = {
        "schema": SCHEMA,
        "tool": {"name": "tflint", "version": page.version},
        "models": [model_object(result) for result in page.results],
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def model_object(result: ModelResult) -> dict[str, Any]:
    error = result.error
    return {
        "path": result.path,
        "sha256": result.sha256,
        "size": result.size,
        "error": None if error is None else {"message": error.message, "offset": error.offset},
        "targets": [_target(target) for target in result.targets],
    }


def _target(result: TargetResult) -> dict[str, Any]:
    placement = result.placement
    confirm = result.confirm
    return {
        "litert": result.target.litert,
        "backend": result.target.backend,
        "placement": {
            "verdict": placement.verdict.value,
            "gpu_ops": placement.gpu_ops,
            "cpu_ops": placement.cpu_ops,
            "line": placement.line,
            "ops": [
                {
                    "subgraph": placed.subgraph,
                    "index": placed.index,
                    "op": placed.op,
                    "on": placed.on.value,
                    "rejected": None if placed.refusal is None else placed.refusal.message,
                }
                for placed in placement.ops
            ],
        },
        "findings": [finding_object(finding) for finding in result.findings],
        "confirm": None if confirm is None else _confirm(confirm),
    }


def _confirm(confirmation: Confirmation) -> dict[str, Any]:
    from ..linter.confirm.rendering import to_json

    return to_json(confirmation)


def finding_object(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "advice": finding.advice,
        "place": None if finding.place is None else _place(finding.place),
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        "subgraph": place.subgraph,
        "index": place.index,
        "op": place.op,
        "tensors": list(place.tensors),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "source": evidence.source,
        "backend": evidence.backend,
        "litert": list(evidence.litert),
        "precision": evidence.precision,
        "outcome": evidence.outcome,
        "ref": evidence.ref,
    }
