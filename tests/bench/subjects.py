"""What a case is about: a model, or a folder of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    path: str
    operators: int
    """Of a folder: models."""
    size: int
    """Bytes."""
