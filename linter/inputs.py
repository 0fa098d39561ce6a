"""Which files a run is about: named files, and the models found in folders and by glob."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path

from .errors import ModelError
from .url import Location

MODEL_ENDINGS = (".tflite", ".task", ".litertlm")
"""What is looked for in a folder and by a glob. A file that is named is read whatever its ending."""

GLOB = frozenset("*?[")
"""What makes a name a glob, when no file has that name."""


def files(places: Iterable[Location]) -> Iterator[Location]:
    """The files to lint: as named, folders searched recursively and in name order, each file once.

    A glob (``*``, ``?``, ``[...]``, ``**`` for any folders) means the models it matches, in name order.
    ModelError when a folder or a glob leads to no model."""
    seen: set[Location] = set()
    for place in places:
        for file in _meant(place):
            if file not in seen:
                seen.add(file)
                yield file


def _meant(place: Location) -> Iterable[Location]:
    if not isinstance(place, Path):
        return (place,)
    if place.is_dir():
        return _in_folder(place)
    if GLOB.intersection(str(place)) and not place.exists():
        return _matching(str(place))
    return (place,)


def _in_folder(folder: Path) -> list[Path]:
    found = _models(folder.rglob("*"))
    if not found:
        raise ModelError(f"{folder}: no model in this folder ({', '.join(MODEL_ENDINGS)})")
    return found


def _matching(pattern: str) -> list[Path]:
    found = _models(map(Path, glob(pattern, recursive=True)))
    if not found:
        raise ModelError(f"{pattern}: no model matches ({', '.join(MODEL_ENDINGS)})")
    return found


def _models(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.suffix.lower() in MODEL_ENDINGS and not path.is_dir())
