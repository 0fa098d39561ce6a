"""What is compared: each tool in an environment of its own, as its user would install it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .measure import Command

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

ANALYZE = """\
import sys
from ai_edge_litert import _pywrap_analyzer_wrapper
dump = _pywrap_analyzer_wrapper.ModelAnalyzer(sys.argv[1], True, False)
print(dump)
if "Subgraph#0" not in dump:
    print(dump.strip() or "nothing said", file=sys.stderr)
    sys.exit(2)
"""
"""The analyzer has no command of its own. What hinders it, it returns."""

MATRIX = {
    "schema_version": "1.3",
    "litert_version": "2.3.0",
    "backend": "gpu_mldrift",
    "generated_at": "2026-11-30",
    "entries": [
        {"op": operator, "status": "delegated", "provenance": "example"}
        for operator in ("ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "LOGISTIC", "MEAN", "MUL", "SOFTMAX")
    ],
}
"""What edge-lint looks operators up in: a small file of its schema. A larger one only takes it longer."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The command lines."""

    folder: Path

    def python(self, *arguments: str) -> Command:
        """The interpreter that tflint is installed for."""
        return (str(self.folder / "tflint/bin/python"), *arguments)

    def tflint(self, *arguments: str) -> Command:
        return (str(self.folder / "tflint/bin/tflint"), *arguments)

    def edge_lint(self, model: str) -> Command:
        return (str(self.folder / "edge-lint/bin/edge-lint"), model, "--matrix", str(self.folder / "matrix.json"))

    def analyzer(self, model: str) -> Command:
        return (str(self.folder / "analyzer/bin/python"), "-c", ANALYZE, model)


def install(folder: Path) -> Tools:
    """Install tflint from this tree, and the others from PyPI where they are not yet there."""
    _environment(folder / "tflint", str(ROOT))
    for name in ("edge-lint", "analyzer"):
        if not (folder / name).exists():
            _environment(folder / name, "--requirement", str(HERE / f"{name}.txt"))
    (folder / "matrix.json").write_text(json.dumps(MATRIX), encoding="utf-8")
    return Tools(folder)


def _environment(folder: Path, *what: str) -> None:
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *what], check=True)
