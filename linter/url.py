"""Addresses of files that are not on this machine."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TypeAlias, TypeGuard


class Url(str):
    """An address such as ``https://host/model.tflite``."""

    __slots__ = ()

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.shown).suffix

    @property
    def shown(self) -> str:
        """As reports name it: without what may be secret, which is a user with a password, and a signed query."""
        scheme, separator, rest = self.partition("://")
        host, slash, path = rest.partition("?")[0].partition("#")[0].partition("/")
        if scheme != "hf":  # there a revision follows the @
            host = host.rpartition("@")[2]
        return f"{scheme}{separator}{host}{slash}{path}"


Location: TypeAlias = Path | Url
"""Where a model is."""


def is_url(text: object) -> TypeGuard[str]:
    """Whether text is an address. A scheme has at least two characters: one letter is a drive."""
    if not isinstance(text, str):
        return False
    scheme, separator, _ = text.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.replace("+", "").replace("-", "").isalnum()


def location(text: str | Path) -> Location:
    """The place that a user names."""
    return Url(text) if is_url(text) else Path(text)


def name_of(place: Location) -> str:
    """How reports name a place."""
    return place.shown if isinstance(place, Url) else str(place)
