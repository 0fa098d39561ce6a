"""The list of rules, for people and machines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..linter.findings import Rule


def render(form: str, rules: Sequence[Rule]) -> str:
    if form == "json":
        return json.dumps([_object(rule) for rule in rules], indent=1) + "\n"
    if form == "markdown":
        return markdown(rules)
    width = max(len(rule.id) for rule in rules)
    return "".join(
        f"{rule.id:{width}}  {rule.severity.value:7}  {rule.kind.value:10}  {rule.summary}\n" for rule in rules
    )


def _object(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "summary": rule.summary,
        "kind": rule.kind.value,
        "severity": rule.severity.value,
        "since": rule.since,
        "references": list(rule.references),
    }


def markdown(rules: Sequence[Rule]) -> str:
    lines = ["| rule | severity | kind | what it reports |", "|---|---|---|---|"]
    lines += [f"| `{rule.id}` | {rule.severity.value} | {rule.kind.value} | {rule.summary} |" for rule in rules]
    return "\n".join(lines) + "\n"
