"""The command line: parses, calls, renders, exits. 0 clean, 1 findings, 2 could not be done."""

from __future__ import annotations

import gc
import io
import os
import sys

OBJECTS_BEFORE_COLLECTION = 100_000
"""Objects made before Python looks for cycles among them. A lint makes many records and hardly a cycle: with Python's
own 700 a tenth of the time went into looking."""


def main() -> None:
    """Entry point of the `tflint` and `tflite-lint` scripts."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Answered before anything is imported: editors and hooks ask for it often.
        from . import __version__

        print(f"tflint {__version__}")
        return
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    from .commands import tflint

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What the terminal's encoding lacks is shown as an escape: names in a model may be in any script.
            stream.reconfigure(errors="backslashreplace")
    # Help and completion go by the name that was called; `python -m tflint` is called __main__.py.
    called = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    try:
        tflint(prog_name=called if called == "tflite-lint" else "tflint")
    finally:
        gc.freeze()  # on its way out Python would look for cycles in all of it, several times
