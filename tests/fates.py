"""What tests of failures share: the verdict on a model, release by release, as text."""

from __future__ import annotations

from collections.abc import Callable

from answers import spans

from tflint.linter.delegate.placement import Placer
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS


def fates(build: Callable[[], bytes]) -> str:
    """One line for each span of releases with the same verdict, with the first fault where there is one."""
    placer = Placer(read(build()))
    said = []
    for version in VERSIONS:
        placement = placer.place(version)
        said.append((version, " ".join([placement.verdict.value, *(f.fault.name for f in placement.failures[:1])])))
    return spans(said)
