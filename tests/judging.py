"""What tests of rules share: judge a model built in memory, and say findings as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable

from tflint import checks
from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Placement, Placer
from tflint.linter.engine import lint_model
from tflint.linter.findings import Finding
from tflint.linter.reader import read
from tflint.linter.settings import Settings
from tflint.linter.targets import VERSIONS, Target

ALL = VERSIONS


def found(
    graph: Graph | bytes,
    rule: str,
    litert: str = "2.3.0",
    backend: str = "webgpu",
    *,
    accelerators: str = "gpu",
    precision: str = "fp16",
    settings: Settings | None = None,
) -> tuple[Finding, ...]:
    """What one rule finds in a model on one target."""
    data = graph if isinstance(graph, bytes) else graph.build()
    target = Target(litert, backend, accelerators, precision)
    (result,) = lint_model(read(data), [target], checks.some([rule]), settings)
    return result.findings


def releases(graph: Graph | bytes, rule: str, backend: str = "webgpu") -> tuple[str, ...]:
    """The releases on which a rule finds something in a model."""
    data = graph if isinstance(graph, bytes) else graph.build()
    targets = [Target(version, backend) for version in VERSIONS]
    results = lint_model(read(data), targets, checks.some([rule]))
    return tuple(result.target.litert for result in results if result.findings)


def place(graph: Graph | bytes, litert: str = "2.3.0") -> Placement:
    """Where a model's operators run."""
    return Placer(read(graph if isinstance(graph, bytes) else graph.build())).place(litert)


def spoken(findings: Iterable[Finding]) -> str:
    """Findings as text, for snapshots."""
    lines = []
    for finding in findings:
        where = f"{finding.place}: " if finding.place else ""
        lines.append(f"{where}{finding.severity.value}: {finding.message} [{finding.rule}]")
        lines.append(f"  help: {finding.advice}")
    return "\n".join(lines)
