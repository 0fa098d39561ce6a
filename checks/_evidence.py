"""Shorthands for the evidence of a claim."""

from __future__ import annotations

from ..linter.findings import Evidence
from ..linter.targets import VERSIONS

ALL = VERSIONS
"""Every release that carries a GPU accelerator."""


def releases(first: str = VERSIONS[0], last: str | None = None) -> tuple[str, ...]:
    """The releases from `first` to `last`, both included; to the latest one without a `last`."""
    return VERSIONS[VERSIONS.index(first) : VERSIONS.index(last or VERSIONS[-1]) + 1]


def measured(outcome: str, litert: tuple[str, ...] = ALL, precision: str | None = "fp32") -> Evidence:
    """Run by this project: the WebGPU delegate of the Linux wheels on a software Vulkan device."""
    return Evidence("measured", outcome, "webgpu", litert, precision)


def reported(
    outcome: str, backend: str, ref: str, litert: tuple[str, ...] = (), precision: str | None = None
) -> Evidence:
    """A public report, not run here."""
    return Evidence("reported", outcome, backend, litert, precision, ref)


def from_source(outcome: str, ref: str, litert: tuple[str, ...] = ("2.2.0",)) -> Evidence:
    """Read from the released source."""
    return Evidence("source", outcome, "all", litert, None, ref)
