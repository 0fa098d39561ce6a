"""What tests of the delegate's check share: its answer to the last operator of a model, release by release, as text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from tflint.linter.delegate.acceptance import refusal
from tflint.linter.delegate.failure import Stage
from tflint.linter.delegate.node import Node
from tflint.linter.delegate.placement import Placer
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS, Era

ACCEPTED = "2.1.2-2.3.0 accepted"
BUILT = "2.1.2-2.3.0 built"


def answers(build: Callable[[], bytes]) -> str:
    """One line for each span of releases with the same answer: the runtime's words, or `accepted`.

    The delegate alone is asked: that the CPU's kernels refuse some of these models before it is told elsewhere.
    """
    model = read(build())
    graph = model.subgraphs[0]
    said = []
    for version in VERSIONS:
        answer = refusal(Node(model, graph, graph.operators[-1], Era(version), {}))
        said.append((version, answer.message if answer else "accepted"))
    return spans(said)


def fates(build: Callable[[], bytes]) -> str:
    """One line for each span of releases: the fault that building the accepted operators ends with, or `built`."""
    placer = Placer(read(build()))
    said = []
    for version in VERSIONS:
        failures = placer.place(version).failures
        faults = [failure.fault.name for failure in failures if failure.stage is Stage.AFTER_CHECK]
        said.append((version, ", ".join(faults) or "built"))
    return spans(said)


def spans(said: list[tuple[str, str]]) -> str:
    """One line for each span of releases of which the same is said."""
    lines = []
    for message, span in groupby(said, key=lambda pair: pair[1]):
        versions = [version for version, _ in span]
        lines.append(f"{'-'.join(dict.fromkeys((versions[0], versions[-1])))} {message}")
    return "\n".join(lines)
