"""The cases, their goals, and the table of what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .measure import Command, Measured, Side
from .subjects import Subject
from .tools import Tools

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured, and how much of the first of `others` it may take."""

    name: str
    tflint: Command
    others: Mapping[str, Side]
    """By name, in the order of the columns. tflint is compared with the first."""
    most: float
    most_memory: int | None = None
    """Bytes."""

    @property
    def sides(self) -> list[Side]:
        return [Side((self.tflint,)), *self.others.values()]

    @property
    def goal(self) -> str:
        memory = f", {self.most_memory // MIB} MiB" if self.most_memory else ""
        return f"{self.most:g} of {next(iter(self.others))}{memory}"


def cases(tools: Tools, subjects: Sequence[Subject]) -> Iterator[Case]:
    """The cases about these subjects (`models.make`)."""
    of = {subject.name: subject for subject in subjects}

    def one(label: str, name: str, most: float, most_memory: int | None = None) -> Case:
        path = of[name].path
        return Case(label, tools.tflint(path), _both(tools, [path]), most, most_memory)

    yield one("tiny model, cold start", "tiny", 0.5)
    yield one(f"EfficientNet-B3 made anew, {_size(of['network'])}", "network", 0.4)
    if "corpus" in of:
        yield one(f"the corpus model nearest to 50 MB and 400 operators, {_size(of['corpus'])}", "corpus", 0.4)
    if "given" in of:
        yield one(f"{Path(of['given'].path).name}, {_size(of['given'])}", "given", 0.4)
    yield one("1 GB of weights", "1 GB", 0.1, 64 * MIB)
    yield one("2.4 GB of weights behind the flatbuffer", "2.4 GB", 0.1, 64 * MIB)
    half, whole = of["10,000"], of["20,000"]
    others = {f"{half.operators:,} operators": Side((tools.tflint(half.path),)), **_both(tools, [whole.path])}
    yield Case(f"{whole.operators:,} operators", tools.tflint(whole.path), others, 2.2)
    many = of["many"]
    models = [str(path) for path in sorted(Path(many.path).glob("*.tflite"))]
    called = f"{many.operators} {'corpus' if 'corpus' in of else 'made'} models in one call"
    yield Case(called, tools.tflint(many.path), _both(tools, models), 0.15)
    alone = {"`python -c pass`": Side((tools.python("-c", "pass"),))}
    yield Case("`tflint --version`", tools.tflint("--version"), alone, 2.5)


def _both(tools: Tools, models: Sequence[str]) -> dict[str, Side]:
    """The other tools, once a model."""
    commands: dict[str, Callable[[str], Command]] = {"edge-lint": tools.edge_lint, "analyzer": tools.analyzer}
    return {name: Side(tuple(map(command, models))) for name, command in commands.items()}


def _size(subject: Subject) -> str:
    return f"{subject.operators} operators, {subject.size / 1e6:.0f} MB"


HEADER = ("case", "at most", "tflint s", "edge-lint s", "analyzer s", "ratio", "in CPU time", "peak MiB", "met")


def row(case: Case, measured: Sequence[Measured]) -> tuple[str, ...]:
    """The cells of a case, from the results of its sides."""
    ours, *theirs = measured
    by_name = dict(zip(case.others, theirs, strict=True))
    base = theirs[0]
    cells = (_seconds(ours), _seconds(by_name.get("edge-lint")), _seconds(by_name.get("analyzer")))
    peak = f"{ours.peak / MIB:.0f}"
    if ours.failure or base.failure:
        return (case.name, case.goal, *cells, "", "", peak, "no" if ours.failure else "")
    ratio = ours.seconds / base.seconds
    met = ratio <= case.most and (case.most_memory is None or ours.peak <= case.most_memory)
    against = "" if next(iter(case.others)) == "edge-lint" else f" (of {base.seconds:.3f} s)"
    return (
        case.name,
        case.goal,
        *cells,
        f"{ratio:.3f}{against}",
        f"{ours.processor / base.processor:.3f}",
        peak,
        "yes" if met else "no",
    )


def _seconds(measured: Measured | None) -> str:
    if measured is None:
        return ""
    return f"fails: {measured.failure}" if measured.failure else f"{measured.seconds:.3f}"


def line(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
