"""A zoo spread over processes by GNU parallel, with the lines of the documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures"

pytestmark = pytest.mark.parallel


def documented(shard: int) -> str:
    """The page's shell block about parallel, with smaller shards."""
    page = (ROOT / "docs" / "many-models.md").read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (block,) = (text for text in blocks if "parallel" in text)
    assert "--max-args 50" in block
    return block.replace("--max-args 50", f"--max-args {shard}")


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
    }
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("models", "status"),
    [
        (["models/clean", "models/attention"], 0),
        (["models/clean", "models/select", "models/clean"], 1),
        (["models/clean", "damaged/truncated", "models/select", "models/clean", "damaged/lfs-pointer"], 2),
    ],
    ids=["clean", "findings", "damaged"],
)
def test_the_documented_lines(models: list[str], status: int, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    for number, name in enumerate(models):
        shutil.copyfile(FIXTURES / f"{name}.tflite", tmp_path / "models" / f"{number} model.tflite")
    done = run(documented(2), tmp_path)
    assert done.returncode == status, done.stderr
    one = run("tflint models --format jsonl", tmp_path)
    assert one.returncode == status
    assert (tmp_path / "findings.jsonl").read_text() == one.stdout, "sharding changes nothing, order included"
    assert len(one.stdout.splitlines()) == len(models)
