"""Findings that are accepted as they are today: new ones still count."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from .findings import Finding
from .results import ModelResult
from .source import read_text
from .url import is_url

SCHEMA = 1

MAX_SIZE = 64 << 20
"""Bytes of a baseline: some hundred thousand findings."""


class BaselineError(Exception):
    """A baseline that cannot be used, in one line."""


def fingerprint(finding: Finding) -> str:
    """Stays when operators are renumbered: made of the rule, the operator and the names of its tensors, not of
    indices."""
    place = finding.place
    parts = [finding.rule, *((place.op, *place.tensors) if place else ())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Baseline:
    """Accepted findings: how many of each fingerprint, by model."""

    def __init__(self, folder: Path, accepted: dict[str, Counter[str]]) -> None:
        self._folder = folder
        self._accepted = accepted

    @classmethod
    def read(cls, path: Path) -> Baseline:
        try:
            document = json.loads(read_text(path, MAX_SIZE))
            if document["schema"] != SCHEMA:
                raise BaselineError(f"{path}: baseline schema {document['schema']} is not {SCHEMA}")
            models = {
                str(model): Counter({entry["fingerprint"]: int(entry["count"]) for entry in entries})
                for model, entries in document["models"].items()
            }
        except OSError as error:
            raise BaselineError(f"{path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise BaselineError(f"{path}: not a baseline written by --write-baseline ({error})") from error
        return cls(path.parent, models)

    def apply(self, result: ModelResult) -> ModelResult:
        """The result without what is accepted. Each target may have each accepted finding once more."""
        accepted = self._accepted.get(_name(result.path, self._folder))
        if not accepted:
            return result
        targets = []
        for target in result.targets:
            left = Counter(accepted)
            kept = []
            for finding in target.findings:
                key = fingerprint(finding)
                if left[key] > 0:
                    left[key] -= 1
                else:
                    kept.append(finding)
            targets.append(target._replace(findings=tuple(kept)))
        return result._replace(targets=tuple(targets))


def text(path: Path, results: Iterable[ModelResult]) -> str:
    """The baseline file that accepts all findings of these results; `path` is where it will be kept."""
    models = {}
    for result in results:
        most: Counter[str] = Counter()
        first: dict[str, Finding] = {}
        for target in result.targets:
            counts = Counter(fingerprint(finding) for finding in target.findings)
            most |= counts
            for finding in target.findings:
                first.setdefault(fingerprint(finding), finding)
        if most:
            models[_name(result.path, path.parent)] = [
                {
                    "fingerprint": key,
                    "rule": first[key].rule,
                    "op": first[key].place.op if first[key].place else None,  # type: ignore[union-attr]
                    "count": count,
                }
                for key, count in sorted(most.items(), key=lambda item: (first[item[0]].order, item[0]))
            ]
    return json.dumps({"schema": SCHEMA, "models": dict(sorted(models.items()))}, indent=1) + "\n"


def _name(path: str, folder: Path) -> str:
    """A model's path as the baseline says it: relative to the baseline, so that both can move together."""
    if is_url(path):
        return path
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return Path(path).as_posix()
