"""What the user may set about the checks themselves, apart from which of them run."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Thresholds of the size rules, in bytes."""

    oversized_constant: int = 16 * 1024
    """A folded constant from this size on is reported."""


class Settings(NamedTuple):
    """The same for every model and target of a run."""

    input_ranges: tuple[tuple[str, float, float], ...] = ()
    """Graph input name, lowest and highest value, as given with --input-range."""
    limits: Limits = Limits()
