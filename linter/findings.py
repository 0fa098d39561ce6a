"""What a rule is and what it finds: frozen data, from here to every report."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from .model import Operator, Subgraph


class Severity(str, Enum):
    """ERROR: creation fails on the target, or an output is wrong there by measurement or by the released source.
    WARNING: it may be (depends on values, or reported and not reproduced here). INFO: worth knowing, nothing breaks."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def weight(self) -> int:
        return ("info", "warning", "error").index(self.value)


class Kind(str, Enum):
    LOAD = "load"
    REJECTED = "rejected"
    MISCOMPUTE = "miscompute"
    PRECISION = "precision"
    PLACEMENT = "placement"
    SIZE = "size"
    CONVERSION = "conversion"


class Confidence(str, Enum):
    """MEASURED: this project ran it on that release. SOURCE: read from the released source. REPORTED: a public
    report, not run here."""

    MEASURED = "measured"
    SOURCE = "source"
    REPORTED = "reported"
    HEURISTIC = "heuristic"


class Evidence(NamedTuple):
    """Where a claim comes from, and exactly what it covers."""

    source: str
    """measured, reported or source."""
    outcome: str
    backend: str = "webgpu"
    litert: tuple[str, ...] = ()
    precision: str | None = None
    ref: str | None = None
    """A public issue (``LiteRT#9192``) or an upstream path and tag."""


class Place(NamedTuple):
    """Where in the model: an operator, and the tensors that matter there."""

    subgraph: int
    index: int  # type: ignore[assignment]
    op: str
    tensors: tuple[str, ...] = ()
    offset: int = 0
    """Byte offset of the operator's table in the file."""

    def __str__(self) -> str:
        return f"{self.subgraph}/{self.index}:{self.op}"


def place(graph: Subgraph, op: Operator, tensors: Iterable[int] = ()) -> Place:
    """The place of an operator, with the tensors of interest by index (absent ones are left out)."""
    named = tuple(graph.label(tensor) for tensor in tensors if tensor >= 0)
    return Place(graph.index, op.index, op.title, named, op.offset)


class Finding(NamedTuple):
    """One problem at one place for one target."""

    rule: str
    kind: Kind
    severity: Severity
    confidence: Confidence
    message: str
    """The fact, with its numbers."""
    advice: str
    """What to do about it."""
    place: Place | None
    evidence: tuple[Evidence, ...] = ()

    @property
    def order(self) -> tuple[int, int, str, str]:
        """Sort key: model order, then rule."""
        where = (self.place.subgraph, self.place.index) if self.place else (-1, -1)
        return (*where, self.rule, self.message)


class Rule(NamedTuple):
    """The identity of a rule. Its page is the docstring of its module."""

    id: str
    summary: str
    """What is wrong, in a clause: reads after the rule's name in a list."""
    kind: Kind
    severity: Severity
    """The severity that its findings usually have."""
    since: str
    """tflint version that brought the rule."""
    references: tuple[str, ...] = ()

    def finding(
        self,
        place: Place | None,
        message: str,
        *,
        advice: str,
        confidence: Confidence = Confidence.MEASURED,
        severity: Severity | None = None,
        kind: Kind | None = None,
        evidence: tuple[Evidence, ...] = (),
    ) -> Finding:
        return Finding(
            rule=self.id,
            kind=self.kind if kind is None else kind,
            severity=self.severity if severity is None else severity,
            confidence=confidence,
            message=message,
            advice=advice,
            place=place,
            evidence=evidence,
        )
