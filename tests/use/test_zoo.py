"""The reference corpus in one call: every model is reported, in order, as it is done, whatever stands beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DAMAGED = Path(__file__).resolve().parent.parent.parent / "fixtures" / "damaged"


@pytest.mark.corpus
def test_one_call_over_the_corpus(corpus: Path) -> None:
    broken = DAMAGED / "truncated.tflite"
    glob = corpus / "models" / "*.tflite"
    command = [sys.executable, "-m", "tflint", str(broken), str(glob), "--format", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert process.poll() is None, "the first line comes while the others are still to be judged"
        rest, notes = process.communicate()
    models = [json.loads(line) for line in [first, *rest.splitlines()]]
    assert [model["path"] for model in models] == [
        str(path) for path in [broken, *sorted(glob.parent.glob("*.tflite"))]
    ]
    assert [model["path"] for model in models if model["error"]] == [str(broken)]
    assert notes.splitlines() == [
        f"tflint: {broken}: {models[0]['error']['message']} (at byte {models[0]['error']['offset']})"
    ]
    assert process.returncode == 2
