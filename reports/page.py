"""What every report is given: the results of a run, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..linter.findings import Rule
from ..linter.results import ModelResult


class Page(NamedTuple):
    """One run."""

    results: tuple[ModelResult, ...]
    version: str
    rules: tuple[Rule, ...] = ()
    """The rules that ran, for reports that carry their metadata."""
    command: str = ""
    """The command line to reproduce the run."""
    colour: bool = False
    width: int | None = None
    """Columns of the terminal; None where the output is none, and lines are not broken."""
    pages: Mapping[str, str] = MappingProxyType({})
    """Rule id to its page in Markdown, for reports that show it."""
