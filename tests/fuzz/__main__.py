"""Fuzz one target with coverage guidance: `python -m fuzz model --runs 100000`, from `tests/`. See `README.md`."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import sys
import tempfile
import time
import traceback
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NoReturn

import atheris

from fuzz.coverage import COVERED
from fuzz.limits import OverLimitError, held, within_limits

if TYPE_CHECKING:
    from fuzz.targets import Subject

FOLDER = Path(tempfile.gettempdir()) / "tflint-fuzz"


def instrumented(*folders: str) -> AbstractContextManager[object]:
    """Within it, what is imported from these folders of the package counts its branches.

    Counted code runs several times slower, so a target counts what it is about. What makes the damage reads models too,
    and is never counted.
    """
    root = Path(__file__).resolve().parents[2]
    others = [path for path in root.iterdir() if path.name not in folders and (path / "__init__.py").is_file()]
    files = [*root.glob("*.py"), *(path for other in others for path in other.rglob("*.py"))]
    names = [".".join(("tflint", *path.relative_to(root).with_suffix("").parts)) for path in files]
    hooks: AbstractContextManager[object] = atheris.instrument_imports(
        include=["tflint"],
        exclude=[name.removesuffix(".__init__") for name in names],
        enable_loader_override=False,
    )
    return hooks


class Campaign:
    """One target, fuzzed until the runs or the time are used up. A finding is kept, and the fuzzing goes on."""

    def __init__(self, name: str, subject: Subject, folder: Path, runs: float, seconds: float) -> None:
        self.name = name
        self.subject = subject
        self.most = runs
        self.end = time.monotonic() + seconds
        self.findings = folder / name
        self.findings.mkdir(parents=True, exist_ok=True)
        self.runs = 0
        self.slowest = 0.0
        self.found: dict[str, int] = {}
        self.began = time.process_time()

    def __call__(self, data: bytes) -> None:
        self.runs += 1
        start = time.process_time()
        try:
            within_limits(self.subject.run, data)
        except Exception as error:
            self.keep(data, error)
        self.slowest = max(self.slowest, time.process_time() - start)
        if self.runs >= self.most or time.monotonic() > self.end:
            self.finish()

    def finish(self) -> NoReturn:
        """Say what came of it. libFuzzer ends the process without Python's own farewell, so this is done by hand."""
        count = sum(self.found.values())
        print(
            f"\n{self.name}: {self.runs} executions in {time.process_time() - self.began:.0f} s of processor time, "
            f"{count} findings of {len(self.found)} kinds, slowest {self.slowest:.2f} s, most memory {held() >> 20} MiB",
        )
        for what, times in sorted(self.found.items()):
            print(f"  {times} x {what}")
        sys.stdout.flush()
        os._exit(1 if self.found else 0)

    def keep(self, data: bytes, error: Exception) -> None:
        """The first input for each place where something goes wrong."""
        root = str(Path(sys.modules["tflint"].__file__ or "").parent)
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(root)]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        what = "over limit" if isinstance(error, OverLimitError) else f"{type(error).__name__} {where}"
        self.found[what] = self.found.get(what, 0) + 1
        if self.found[what] > (20 if isinstance(error, OverLimitError) else 1):
            return
        name = hashlib.sha256(data).hexdigest()[:12]
        (self.findings / name).write_bytes(data)
        print(f"\n== {what}: {error} -> {self.findings / name}", file=sys.stderr, flush=True)
        traceback.print_exception(error, limit=-4, file=sys.stderr)

    def mutate(self, data: bytes, most: int, seed: int) -> bytes:
        """Damage that knows the form of the input, seven times in ten; else changed bytes."""
        random = Random(seed)
        if self.subject.mutate is not None and random.random() < 0.7:
            return self.subject.mutate(data, random)[:most]
        return bytes(atheris.Mutate(data, most))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("target", choices=sorted(COVERED))
    parser.add_argument("--runs", type=int, default=math.inf, help="stop after so many executions")
    parser.add_argument("--seconds", type=int, default=math.inf, help="stop after this time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where corpus and findings go (default: {FOLDER})")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with instrumented(*COVERED[options.target]):
        from fuzz.targets import SUBJECTS

        subject = SUBJECTS[options.target]
        seeds = list(subject.seeds())
        for data in seeds[:1]:
            subject.run(data)  # modules that are imported late count as well
    campaign = Campaign(options.target, subject, options.folder / "findings", options.runs, options.seconds)
    corpus = options.folder / "corpus" / options.target
    corpus.mkdir(parents=True, exist_ok=True)
    for data in seeds:
        (corpus / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
    arguments = [
        sys.argv[0],
        str(corpus),
        f"-seed={options.seed}",
        "-max_len=65536",
        "-timeout=30",
        "-rss_limit_mb=1500",
        f"-artifact_prefix={campaign.findings}/",
    ]
    mutator = {} if campaign.subject.mutate is None else {"custom_mutator": campaign.mutate}
    atheris.Setup(arguments, campaign, **mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
