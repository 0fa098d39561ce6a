"""Settings from a file: `tflint.toml`, or `[tool.tflint]` in pyproject.toml, in the nearest parent folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .findings import Finding, Severity
from .settings import Limits
from .source import read_text
from .targets import ACCELERATORS, BACKEND_NAMES, PRECISIONS, VERSIONS

NAME = "tflint.toml"
OFF = "off"
MAX_SIZE = 1 << 20
"""Bytes of a config file."""

LEVELS = (*(severity.value for severity in Severity), OFF)


class ConfigError(Exception):
    """A config file that cannot be used, in one line."""


class Ignore(NamedTuple):
    """Findings that are accepted, and why. What is left empty matches everything."""

    reason: str
    rule: str = ""
    op: str = ""
    tensor: str = ""
    path: str = ""

    def matches(self, path: str, finding: Finding) -> bool:
        place = finding.place
        return (
            (not self.rule or finding.rule == self.rule)
            and (not self.path or fnmatchcase(path, self.path))
            and (not self.op or (place is not None and fnmatchcase(place.op, self.op)))
            and (not self.tensor or (place is not None and any(fnmatchcase(t, self.tensor) for t in place.tensors)))
        )


class Config(NamedTuple):
    """What a config file says; None where it says nothing."""

    source: Path | None = None
    litert: tuple[str, ...] | None = None
    backend: tuple[str, ...] | None = None
    accelerators: str | None = None
    precision: str | None = None
    fail_on: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = MappingProxyType({})
    per_path_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignores: tuple[Ignore, ...] = ()
    input_ranges: tuple[tuple[str, float, float], ...] = ()
    limits: Limits = Limits()


def find(start: Path) -> Path | None:
    """The config file that holds for a folder: its own, or that of the nearest parent that has one."""
    for folder in (start, *start.parents):
        own = folder / NAME
        if os.path.isfile(own):
            return own
        project = folder / "pyproject.toml"
        if os.path.isfile(project) and "tflint" in _toml(project).get("tool", {}):
            return project
    return None


def load(path: Path, rules: Collection[str]) -> Config:
    """Read a config file. ConfigError names the key that is wrong, with what it might have been."""
    document = _toml(path)
    if path.name == "pyproject.toml":
        document = document.get("tool", {}).get("tflint", {})
    return _Reader(path, rules).read(document)


def _toml(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(read_text(path, MAX_SIZE))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, no TOML, or too large
        raise ConfigError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply") from error


class _Reader:
    """Reads one document and holds it to what is known."""

    def __init__(self, path: Path, rules: Collection[str]) -> None:
        self._path = path
        self._rules = rules

    def read(self, document: Mapping[str, Any]) -> Config:
        keys: dict[str, Callable[[str, Any], Any]] = {
            "litert": lambda key, value: self._words(key, value, (*VERSIONS, "latest", "all")),
            "backend": lambda key, value: self._words(key, value, (*BACKEND_NAMES, "all")),
            "accelerators": lambda key, value: self._word(key, value, ACCELERATORS),
            "precision": lambda key, value: self._word(key, value, PRECISIONS),
            "fail-on": lambda key, value: self._word(key, value, ("error", "warning", "info", "never")),
            "select": self._rule_words,
            "ignore": self._rule_words,
            "severity": self._severities,
            "per-path-ignores": self._per_path,
            "ignores": self._ignores,
            "input-ranges": self._ranges,
            "limits": self._limits,
        }
        read: dict[str, Any] = {"source": self._path}
        for key, value in document.items():
            if key not in keys:
                self._unknown(key, keys)
            read[key.replace("-", "_")] = keys[key](key, value)
        return Config(**read)

    def _fail(self, text: str) -> Any:
        raise ConfigError(f"{self._path}: {text}")

    def _unknown(self, key: str, known: Collection[str], where: str = "") -> None:
        close = _closest(key, known)
        hint = f"did you mean {close!r}?" if close else f"known: {', '.join(known)}"
        self._fail(f"unknown key {where}{key!r}; {hint}")

    def _word(self, key: str, value: object, known: Collection[str]) -> str:
        if not isinstance(value, str) or value not in known:
            self._fail(f"{key}: {value!r} is not one of {', '.join(known)}")
        return str(value)

    def _words(self, key: str, value: object, known: Collection[str]) -> tuple[str, ...]:
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list):
            self._fail(f"{key}: a string or a list of strings is wanted")
            return ()
        return tuple(self._word(key, word, known) for word in given)

    def _rule_words(self, key: str, value: object) -> tuple[str, ...]:
        given = [value] if isinstance(value, str) else value
        known = (*self._rules, *(severity.value for severity in Severity))
        for word in given if isinstance(given, list) else [given]:
            if word not in known:
                close = _closest(str(word), known)
                self._fail(f"{key}: unknown rule {word!r}" + (f"; did you mean {close!r}?" if close else ""))
        return self._words(key, value, known)

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._fail(f"{key}: a table is wanted")
            return {}
        return value

    def _severities(self, key: str, value: object) -> dict[str, str]:
        table = self._table(key, value)
        for rule in table:
            self._rule_words(key, rule)
        return {rule: self._word(f"{key}.{rule}", level, LEVELS) for rule, level in table.items()}

    def _per_path(self, key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (glob, self._rule_words(f"{key}.{glob}", rules)) for glob, rules in self._table(key, value).items()
        )

    def _ignores(self, key: str, value: object) -> tuple[Ignore, ...]:
        known = ("rule", "op", "tensor", "path", "reason")
        found = []
        for number, entry in enumerate(
            value if isinstance(value, list) else self._fail(f"{key}: a list of tables is wanted")
        ):
            table = self._table(f"{key}[{number}]", entry)
            for name, text in table.items():
                if name not in known:
                    self._unknown(name, known, f"{key}[{number}].")
                if not isinstance(text, str):
                    self._fail(f"{key}[{number}].{name}: a string is wanted")
            if not str(table.get("reason", "")).strip():
                self._fail(f"{key}[{number}]: a reason is wanted")
            if len(table) == 1:
                self._fail(f"{key}[{number}]: name a rule, op, tensor or path")
            if "rule" in table:
                self._rule_words(f"{key}[{number}].rule", table["rule"])
            found.append(Ignore(**table))
        return tuple(found)

    def _ranges(self, key: str, value: object) -> tuple[tuple[str, float, float], ...]:
        found = []
        for name, pair in self._table(key, value).items():
            if (
                not isinstance(pair, list)
                or len(pair) != 2
                or not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in pair)
                or not pair[0] <= pair[1]
            ):
                self._fail(f"{key}.{name}: [lowest, highest] is wanted")
            found.append((name, float(pair[0]), float(pair[1])))
        return tuple(found)

    def _limits(self, key: str, value: object) -> Limits:
        known = ("oversized-constant",)
        table = self._table(key, value)
        for name, number in table.items():
            if name not in known:
                self._unknown(name, known, f"{key}.")
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                self._fail(f"{key}.{name}: a number of bytes is wanted")
        return Limits(**{name.replace("-", "_"): number for name, number in table.items()})


def _closest(word: str, known: Collection[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), 1)), None)
