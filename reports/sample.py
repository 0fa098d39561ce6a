"""`python -m tflint.reports.sample [--check]`: makes `reports/sample.html` from a demo model, or says that it is
stale."""

from __future__ import annotations

import sys
from pathlib import Path

from .. import __version__, checks
from ..linter.engine import lint_path
from ..linter.settings import Settings
from ..linter.targets import BACKEND_NAMES, VERSIONS, Target
from .html import render
from .page import Page

ROOT = Path(__file__).parent.parent
MODEL = "fixtures/models/partial.tflite"
SAMPLE = Path(__file__).parent / "sample.html"


def text() -> str:

    targets = [Target(version, backend) for version in VERSIONS for backend in BACKEND_NAMES]
    results = lint_path(ROOT / MODEL, targets, checks.every(), Settings(), facts=True, sha256=True)
    return render(
        Page(
            results=tuple(result._replace(path=MODEL) for result in results),
            version=__version__,
            rules=tuple(entry.rule for entry in checks.every()),
            command=f"tflint {MODEL} --litert all --report sample.html",
        )
    )


def main() -> int:
    made = text()
    if sys.argv[1:] == ["--check"]:
        if not SAMPLE.exists() or SAMPLE.read_text(encoding="utf-8") != made:
            print(f"{SAMPLE} is stale: run `python -m tflint.reports.sample`", file=sys.stderr)
            return 1
        return 0
    SAMPLE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
