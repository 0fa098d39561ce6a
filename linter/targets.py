"""The LiteRT releases and backends that verdicts are given for, and how each was established."""

from __future__ import annotations

from typing import NamedTuple


class Release(NamedTuple):
    """One LiteRT release that carries a GPU accelerator."""

    version: str
    date: str
    """ISO date of the release tag; empty when the tag was not public when this was written."""
    established: str


_MEASURED = "measured: the x86-64 Linux wheel's own delegate on a software Vulkan device"

RELEASES = (
    Release("2.1.2", "2026-01-27", _MEASURED),
    Release("2.1.3", "2026-03-11", _MEASURED),
    Release("2.1.4", "2026-04-04", _MEASURED),
    Release("2.1.5", "2026-05-14", _MEASURED),
    Release("2.1.6", "2026-06-29", _MEASURED),
    Release("2.2.0", "2026-08-06", _MEASURED + ", and read from the released source"),
    Release("2.3.0", "", _MEASURED),
)
"""Oldest first. 2.0.x, 2.1.0 and 2.1.1 wheels carry no GPU accelerator."""

VERSIONS = tuple(release.version for release in RELEASES)
LATEST = VERSIONS[-1]
INDEX = {version: index for index, version in enumerate(VERSIONS)}


class Backend(NamedTuple):
    """One implementation of the GPU delegate."""

    name: str
    where: str
    established: str


BACKENDS = (
    Backend(
        "webgpu",
        "desktop wheels and LiteRT.js",
        "placement and hazards measured on every release",
    ),
    Backend(
        "opencl",
        "Android",
        "placement as WebGPU (one acceptance check serves all backends in v2.2.0); "
        "hazards from public reports and shared code",
    ),
    Backend(
        "metal",
        "macOS and iOS",
        "placement as WebGPU (one acceptance check serves all backends in v2.2.0); "
        "hazards from public reports and shared code",
    ),
)
BACKEND_NAMES = tuple(backend.name for backend in BACKENDS)

ACCELERATORS = ("gpu", "gpu,cpu")
PRECISIONS = ("fp16", "fp32")


class Target(NamedTuple):
    """What a model is judged for: a release on a backend, with what the application asks of it."""

    litert: str
    backend: str
    accelerators: str = "gpu"
    precision: str = "fp16"


class Era:
    """A release, and the span of neighbouring releases for which every question asked so far has the same answer.

    Whoever decides something by asking `since` can therefore reuse the decision for the whole span, which is what makes
    `--litert all` cost little more than one release.
    """

    __slots__ = ("first", "index", "last")

    def __init__(self, version: str) -> None:
        self.index = INDEX[version]
        self.first = 0
        self.last = len(VERSIONS) - 1

    def since(self, version: str) -> bool:
        """Whether the release is `version` or later."""
        index = INDEX[version]
        if self.index >= index:
            self.first = max(self.first, index)
            return True
        self.last = min(self.last, index - 1)
        return False

    def before(self, version: str) -> bool:
        return not self.since(version)

    def within(self, first: str, last: str) -> bool:
        """Whether the release lies in `first` … `last`, both included."""
        if not self.since(first):
            return False
        index = INDEX[last]
        if self.index <= index:
            self.last = min(self.last, index)
            return True
        self.first = max(self.first, index + 1)
        return False

    def covers(self, index: int) -> bool:
        """Whether the answers so far hold for the release at `index` too."""
        return self.first <= index <= self.last

    def note(self, other: Era) -> None:
        """Take over the questions that another decision about the same release rested on."""
        self.first = max(self.first, other.first)
        self.last = min(self.last, other.last)

    def pinned(self) -> str:
        """The release itself; no other gives this answer."""
        self.first = self.last = self.index
        return VERSIONS[self.index]

    @property
    def version(self) -> str:
        return VERSIONS[self.index]
