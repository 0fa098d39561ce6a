"""Read the native log of one run: the only place where the delegate says what it did.

The delegate reports through LiteRT's error reporter to file descriptor 2. For each subgraph with
a refused operator it prints one block::

    ERROR: Following operations are not supported by GPU delegate:
    LOG_SOFTMAX: Operation is not supported.
    2 operations will run on the GPU, and the remaining 3 operations will run on the CPU.

A subgraph that is taken whole prints nothing (upstream ``tflite/delegates/utils.cc``,
``ml_drift_delegate/tflite/model_builder.cc``, v2.2.0; measured on 2.1.2 to 2.3.0).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HEADER = "Following operations are not supported by GPU delegate:"
"""The line that opens a block. The second, inactive checker would print another one."""

STAGE_MARK = "tflint-stage: "
"""The child process prints this before each of its stages, so that a line has a time."""

_SOME = re.compile(r"(\d+) operations will run on the GPU, and the remaining (\d+) operations will run on the CPU\.")
_NONE = re.compile(r"No operations will run on the GPU, and all (\d+) operations will run on the CPU\.")
# absl: severity letter, date, time, thread, file:line]
_ABSL = re.compile(r"([IWEF])\d{4} [\d:.]+\s+\d+ ([\w./]+:\d+)\] ?(.*)")
# LiteRT's own logger: INFO: [file:line] text, where the place is optional
_TFLITE = re.compile(r"(VERBOSE|DEBUG|INFO|WARNING|ERROR|FATAL): (?:\[([\w./]+:\d+)\] ?)?(.*)")
_ADAPTER = re.compile(r"Selected adapter: (.*), arch=(.*), vendor=(.*), backend=(\w+), adapterType=(.*)")
_KERNEL = re.compile(r"Failed to create \S*DelegateKernelLiteRt: (.*)")
# Printed for every model where no NPU is installed (2.1.5, 2.1.6): says nothing about the model.
_NOISE = ("Failed to initialize Dispatch API",)
_SEVERITY = {"I": "info", "W": "warning", "E": "error", "F": "fatal"}


@dataclass(frozen=True, slots=True)
class Adapter:
    """The device that Dawn chose, as the log names it."""

    name: str
    type: str
    backend: str
    vendor: str
    architecture: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """One line of a block: operator name (with the custom name, if any) and its message.

    Spaces are kept: some messages end in one, and the message of a constant FLOAT16 DEQUANTIZE
    is empty. The newline that ends some messages up to 2.1.5 is not.
    """

    op: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """One block: the refused operators of one subgraph and its residency sentence.

    `gpu` and `cpu` count operators and add up to the subgraph's operator count.
    """

    rejected: tuple[Rejection, ...]
    gpu: int
    cpu: int
    line: str


@dataclass(frozen=True, slots=True)
class Line:
    """One logged line: `severity` is info, warning, error, fatal, or plain (no known prefix).

    `source` is the upstream file and line that logged it, or the empty string.
    """

    severity: str
    source: str
    text: str
    stage: str


@dataclass(frozen=True, slots=True)
class Log:
    """What one native log says.

    `reports` are in printing order, each counted once; `printed` is the number of blocks that
    were printed. `kernel_errors` are the statuses of failed kernel creations; `topk` the lines of
    a TopK kernel that cannot be built, which change no residency sentence; `errors` the other
    error lines.
    """

    adapter: Adapter | None
    reports: tuple[Report, ...]
    printed: int
    kernel_errors: tuple[str, ...]
    topk: tuple[str, ...]
    errors: tuple[Line, ...]
    no_adapter: bool


def parse(text: str) -> Log:
    """Parse the captured text of file descriptor 2."""
    adapter: Adapter | None = None
    reports: list[Report] = []
    kernel_errors: list[str] = []
    topk: list[str] = []
    errors: list[Line] = []
    no_adapter = False
    for entry in _entries(text):
        if isinstance(entry, Report):
            reports.append(entry)
            continue
        if "No adapters found" in entry.text:
            no_adapter = True
        if found := _ADAPTER.match(entry.text):
            name, arch, vendor, backend, kind = found.groups()
            adapter = Adapter(name, kind, backend, vendor, arch)
            continue
        if entry.severity not in ("error", "fatal", "plain"):
            continue
        if entry.stage == "reference" or entry.text.startswith(_NOISE):
            continue
        if found := _KERNEL.search(entry.text):
            kernel_errors.append(found[1])
        elif entry.text.startswith("TopK requires"):
            topk.append(entry.text)
        else:
            errors.append(entry)
    return Log(
        adapter=adapter,
        reports=once(reports),
        printed=len(reports),
        kernel_errors=tuple(kernel_errors),
        topk=tuple(topk),
        errors=tuple(errors),
        no_adapter=no_adapter,
    )


def once(reports: list[Report]) -> tuple[Report, ...]:
    """Each report once.

    The bodies of IF and WHILE and the decompositions of refused composites print theirs three
    times over (measured on 2.1.2 to 2.3.0), so equal reports are merged. Two different subgraphs
    with equal reports are merged as well: the log gives no means to tell them apart.
    """
    return tuple(dict.fromkeys(reports))


def _entries(text: str) -> list[Report | Line]:
    entries: list[Report | Line] = []
    rejected: list[Rejection] | None = None
    stage = "start"
    for raw in text.split("\n"):
        if raw.startswith(STAGE_MARK):
            stage = raw.removeprefix(STAGE_MARK)
            continue
        severity, source, body = _split(raw)
        if body == HEADER:
            rejected = []
            continue
        if severity == "plain" and rejected is not None:
            if report := _report(body, rejected):
                entries.append(report)
                rejected = None
            elif ": " in body and body[:1].isupper():
                op, _, message = body.partition(": ")
                rejected.append(Rejection(op, message))
            elif rejected and body:
                # Up to 2.1.5 some messages end in a newline (GATHER): an empty line adds nothing.
                last = rejected[-1]
                rejected[-1] = Rejection(last.op, f"{last.message}\n{body}")
            continue
        if severity == "plain":
            _plain(entries, body, stage)
            continue
        entries.append(Line(severity, source, body, stage))
    return entries


def _split(raw: str) -> tuple[str, str, str]:
    """Severity, source and body of one raw line."""
    if found := _ABSL.fullmatch(raw):
        return _SEVERITY[found[1]], found[2], found[3]
    if found := _TFLITE.fullmatch(raw):
        return found[1].lower(), found[2] or "", found[3]
    return "plain", "", raw


def _report(body: str, rejected: list[Rejection]) -> Report | None:
    if found := _SOME.fullmatch(body):
        return Report(tuple(rejected), int(found[1]), int(found[2]), body)
    if found := _NONE.fullmatch(body):
        return Report(tuple(rejected), 0, int(found[1]), body)
    return None


def _plain(entries: list[Report | Line], body: str, stage: str) -> None:
    """A line without prefix: the source trace of an error, its continuation, or somebody else's."""
    if not body.strip() or body.startswith(("=== Source Location Trace", "third_party/")):
        return
    last = entries[-1] if entries else None
    if body.startswith("└ ") and isinstance(last, Line):
        entries[-1] = Line(last.severity, last.source, f"{last.text}\n{body[2:]}", last.stage)
        return
    entries.append(Line("plain", "", body, stage))
