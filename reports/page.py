"""What every report is given: the results of a run, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..linter.findings import Rule
from ..linter.results import ModelResult


@dataclass(frozen=True, slots=True)
class Page:
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
    pages: dict[str, str] = field(default_factory=dict)
    """Rule id to its page in Markdown, for reports that show it."""
