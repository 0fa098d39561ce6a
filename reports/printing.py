"""Text from a model as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

from ..linter.findings import Finding

NAME = 48
"""Characters of a tensor's name where it stands in a sentence."""


def printable(text: str) -> str:
    """Text from a model, safe for a terminal: control characters are shown as escapes and not obeyed."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def abbreviated(name: str) -> str:
    """The telling end of a tensor's name: converters write hundreds of characters."""
    return name if len(name) <= NAME else f"...{name[3 - NAME :]}"


def some(words: Sequence[str], most: int) -> str:
    """``a, b and 4 more``: at most so many, the rest counted."""
    shown = ", ".join(words[:most])
    return f"{shown} and {len(words) - most} more" if len(words) > most else shown


def place_words(finding: Finding) -> str:
    """The place as a person finds it again: ``0/3 DIV`` is operator 3 of subgraph 0."""
    if finding.place is None:
        return ""
    return f"{finding.place.subgraph}/{finding.place.index} {printable(finding.place.op)}"
