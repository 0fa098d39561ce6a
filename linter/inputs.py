"""Which files a run is about: named files, and the models found in folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import ModelError
from .url import Location

MODEL_ENDINGS = (".tflite", ".task", ".litertlm")
"""What is looked for in a folder. A file that is named is read whatever its ending."""


def files(places: Iterable[Location]) -> Iterator[Location]:
    """The files to lint: as named, folders searched recursively and in name order, each file once."""
    seen: set[Location] = set()
    for place in places:
        found = _in_folder(place) if isinstance(place, Path) and place.is_dir() else (place,)
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _in_folder(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in MODEL_ENDINGS and not path.is_dir())
    if not found:
        raise ModelError(f"{folder}: no model in this folder ({', '.join(MODEL_ENDINGS)})")
    return found
