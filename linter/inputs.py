"""Which files a run is about: named files, and the models found in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from .source import MODEL_ENDINGS


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files to lint: as named, folders searched recursively and in name order, each file once.

    Links to folders are not followed. A folder that holds no model or cannot be listed is given itself: opening it
    says why, and the run does not pass as clean."""
    seen: set[Path] = set()
    for path in paths:
        found = _in_folder(path) if os.path.isdir(path) else (path,)
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _in_folder(folder: Path) -> list[Path]:
    found: list[Path] = []

    def unlisted(error: OSError) -> None:
        found.append(Path(error.filename))

    for parent, _, names in os.walk(folder, onerror=unlisted):
        paths = (Path(parent, name) for name in names)
        found += (path for path in paths if path.suffix.lower() in MODEL_ENDINGS)
    return sorted(found) or [folder]
