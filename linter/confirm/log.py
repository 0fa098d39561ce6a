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
from collections import Counter
from collections.abc import Sequence
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
_BUILT = re.compile(r"Initializing \S+-based API from graph")
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


@dataclass(frozen=True, slots=True)
class Log:
    """What one native log says.

    `kernels` counts the graphs that were handed to the GPU while creating, one a delegated subgraph and application of
    the delegate; 0 is proof that nothing runs there, where the log is as chatty as the wheels' is.
    `reports` are those of the creation, in printing order, one a subgraph (see `once`); `later` are those printed
    while running, where composites are inlined and the delegate looks again. `kernel_errors` are the statuses of
    failed kernel creations; `topk` the lines of a TopK kernel that cannot be built, which change no residency
    sentence; `shaders` how many kernels have a shader that the device refuses, which ends nothing: the model runs, and
    what hangs on such a kernel is never written; `errors` the other error lines.
    """

    adapter: Adapter | None
    kernels: int
    reports: tuple[Report, ...]
    later: tuple[Report, ...]
    kernel_errors: tuple[str, ...]
    topk: tuple[str, ...]
    shaders: int
    errors: tuple[Line, ...]
    no_adapter: bool


def parse(text: str) -> Log:
    """Parse the captured text of file descriptor 2."""
    adapter: Adapter | None = None
    created: list[Report] = []
    later: list[Report] = []
    kernels = 0
    kernel_errors: list[str] = []
    topk: list[str] = []
    shaders = 0
    errors: list[Line] = []
    no_adapter = False
    for stage, entry in _entries(text):
        if isinstance(entry, Report):
            (created if stage in ("start", "create") else later).append(entry)
            continue
        if "No adapters found" in entry.text:
            no_adapter = True
        if found := _ADAPTER.match(entry.text):
            name, arch, vendor, backend, kind = found.groups()
            adapter = Adapter(name, kind, backend, vendor, arch)
            continue
        if _BUILT.match(entry.text) and stage in ("start", "create"):
            kernels += 1
            continue
        if entry.severity not in ("error", "fatal", "plain"):
            continue
        if stage == "reference" or entry.text.startswith(_NOISE):
            continue
        if found := _KERNEL.search(entry.text):
            kernel_errors.append(found[1])
        elif entry.text.startswith("TopK requires"):
            topk.append(entry.text)
        elif "Error while parsing WGSL" in entry.text:
            shaders += 1
            errors.append(entry)
        else:
            errors.append(entry)
    return Log(
        adapter=adapter,
        kernels=kernels,
        reports=once(created),
        later=once(later),
        kernel_errors=tuple(kernel_errors),
        topk=tuple(topk),
        shaders=shaders,
        errors=tuple(errors),
        no_adapter=no_adapter,
    )


def once(reports: Sequence[Report]) -> tuple[Report, ...]:
    """Each subgraph's report once, in the order of their first appearance.

    The bodies of IF and WHILE and the decompositions of refused composites print theirs three times over (measured
    on 2.1.3 and 2.3.0), so three equal reports are taken for one subgraph. Two equal ones are two subgraphs, as of two
    signatures. Three equal signatures cannot be told from one body: they count once.
    """
    printed = Counter(reports)
    left = {report: count // 3 + count % 3 for report, count in printed.items()}
    kept = []
    for report in reports:
        if left[report]:
            left[report] -= 1
            kept.append(report)
    return tuple(kept)


def _entries(text: str) -> list[tuple[str, Report | Line]]:
    entries: list[tuple[str, Report | Line]] = []
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
                entries.append((stage, report))
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
        entries.append((stage, Line(severity, source, body)))
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


def _plain(entries: list[tuple[str, Report | Line]], body: str, stage: str) -> None:
    """A line without prefix: the source trace of an error, its continuation, or somebody else's."""
    if not body.strip() or body.startswith(("=== Source Location Trace", "third_party/")):
        return
    last = entries[-1][1] if entries else None
    if body.startswith("└ ") and isinstance(last, Line):
        entries[-1] = (entries[-1][0], Line(last.severity, last.source, f"{last.text}\n{body[2:]}"))
        return
    entries.append((stage, Line("plain", "", body)))
