"""Which files a run is about: named files, and the models found in folders and by glob."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import ModelError
from .source import MODEL_ENDINGS
from .url import Location

GLOB = frozenset("*?[")
"""What makes a name a glob, when no file has that name."""


def files(places: Iterable[Location]) -> Iterator[Location]:
    """The files to lint: as named, folders searched recursively and in name order, each file once.

    Links to folders are not followed. A folder that holds no model or cannot be listed is given itself: opening it
    says why, and the run does not pass as clean.
    A glob (``*``, ``?``, ``[...]``, ``**`` for any folders) means the models it matches, in name order.
    ModelError when a glob leads to no model."""
    seen: set[Location] = set()
    for place in places:
        for file in _meant(place):
            if file not in seen:
                seen.add(file)
                yield file


def _meant(place: Location) -> Iterable[Location]:
    if not isinstance(place, Path):
        return (place,)
    if os.path.isdir(place):  # unlike Path.is_dir, no error where it may not be known
        return _in_folder(place)
    if GLOB.intersection(str(place)) and not os.path.lexists(place):
        return _matching(str(place))
    return (place,)


def _in_folder(folder: Path) -> list[Path]:
    found: list[Path] = []

    def unlisted(error: OSError) -> None:
        found.append(Path(error.filename))

    for parent, _, names in os.walk(folder, onerror=unlisted):
        found += (path for name in names if _is_model(path := Path(parent, name)))
    return sorted(found) or [folder]


def _matching(pattern: str) -> list[Path]:
    from glob import glob

    paths = map(Path, glob(pattern, recursive=True))
    found = sorted(path for path in paths if _is_model(path) and not os.path.isdir(path))
    if not found:
        raise ModelError(f"{pattern}: no model matches ({', '.join(MODEL_ENDINGS)})")
    return found


def _is_model(path: Path) -> bool:
    return path.suffix.lower() in MODEL_ENDINGS
