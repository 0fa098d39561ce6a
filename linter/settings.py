"""What the user may set about the checks themselves, apart from which of them run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds of the size rules, in bytes."""

    oversized_constant: int = 16 * 1024
    """A folded constant from this size on is reported."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The same for every model and target of a run."""

    input_ranges: tuple[tuple[str, float, float], ...] = ()
    """Graph input name, lowest and highest value, as given with --input-range."""
    limits: Limits = field(default_factory=Limits)
