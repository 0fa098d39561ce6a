"""What is fuzzed: each target takes any bytes, and must end well whatever they are.

To end well is to return, or to raise the error that the command line turns into one line and exit status 2. What a
target gets back it also looks at: a report that is no JSON, no XML or drives a terminal is a finding as well.
"""

from __future__ import annotations

import functools
import io
import itertools
import json
import re
import tempfile
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from bundling import litertlm

from tflint import checks
from tflint.checks import _routes
from tflint.fixtures import builder, measure
from tflint.fixtures.demo_damaged import damaged
from tflint.fixtures.demo_models import MODELS
from tflint.linter import baseline, bundles, config, flexbuffer
from tflint.linter.engine import Registered, lint_bytes
from tflint.linter.errors import ModelError
from tflint.linter.reader import read
from tflint.linter.results import ModelResult
from tflint.linter.targets import ACCELERATORS, BACKEND_NAMES, PRECISIONS, VERSIONS, Target
from tflint.reports import FORMATS, renderer
from tflint.reports.page import Page

from .damage import damaged as damaged_model


class Subject(NamedTuple):
    """One thing to fuzz."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    """Good inputs to start from."""
    mutate: Callable[[bytes, Random], bytes] | None = None
    """Damage that knows the form of the input; beside it, bytes are changed at random."""
    whole: Callable[[bytes], None] | None = None
    """Everything at once of what `run` takes one of, for inputs that are few."""


TARGETS = tuple(
    Target(version, backend, accelerators, precision)
    for version, backend, accelerators, precision in itertools.product(
        VERSIONS, BACKEND_NAMES, ACCELERATORS, PRECISIONS
    )
)
CORNERS = tuple(Target(version, name) for version in (VERSIONS[0], VERSIONS[-1]) for name in ("opencl", "webgpu"))
"""What reports compare: releases far apart, on more than one backend."""

SMALL = 4096
"""Bytes of a model to start from, at the most: many small ones fit into a minute, and damage makes them grow."""

T = TypeVar("T")


def _one_of(what: Sequence[T], data: bytes) -> T:
    """One for an input, always the same: so many executions see all, and each costs little."""
    return what[zlib.crc32(data) % len(what)]


def reader(data: bytes) -> None:
    """The reader of models, and of the constants inside, which are read only when asked for."""
    try:
        found = read(data)
    except ModelError:
        return
    for graph in found.subgraphs:
        for tensor in graph.tensors:
            found.constant_bytes(tensor, SMALL)


def model(data: bytes) -> None:
    """The reader, the placement and every rule, for one target."""
    lint_bytes(data, (_one_of(TARGETS, data),), _rules())


def whole_model(data: bytes) -> None:
    """The same on every release."""
    lint_bytes(data, [Target(version, "webgpu") for version in VERSIONS], _rules())


def report(data: bytes) -> None:
    """One report of what a model gives, its names included."""
    form = _one_of(tuple(FORMATS), data)
    _hold(form, renderer(form)(_page(data)))


def whole_reports(data: bytes) -> None:
    """All reports."""
    page = _page(data)
    for form in FORMATS:
        _hold(form, renderer(form)(page))


@functools.cache
def _rules() -> tuple[Registered, ...]:
    return tuple(checks.some(checks.TABLE))


def _page(data: bytes) -> Page:
    result = lint_bytes(data, CORNERS, _rules(), name=_name_in(data), facts=True)
    return Page((result,), "0", rules=tuple(entry.rule for entry in _rules()), command="tflint")


_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def _name_in(data: bytes) -> str:
    """A file name made of the input's last bytes: people may call their files anything."""
    return data[-24:].decode("utf-8", "surrogateescape").replace("\0", "") or "model.tflite"


def _hold(form: str, text: str) -> None:
    text.encode("utf-8")
    if form in ("json", "sarif"):
        json.loads(text)
    elif form == "jsonl":
        for line in text.splitlines():
            json.loads(line)
    elif form == "junit":
        ET.fromstring(text)
    if form == "html":
        assert not _CONTROLS.search(text), "a control character"
    else:
        assert all(line.isprintable() for line in text.split("\n")), "a control character"


def bundle(data: bytes) -> None:
    """The readers of `.task` and `.litertlm`, and the models inside."""
    try:
        for inner in bundles.models(data):
            lint_bytes(bytes(inner.data[:]), CORNERS[-1:], (), name=inner.name)
    except ModelError:
        pass


def flexbuffers(data: bytes) -> None:
    """The reader of custom options and composite attributes."""
    assert isinstance(flexbuffer.attributes(data), Mapping)


def config_file(data: bytes) -> None:
    """The reader of tflint.toml and pyproject.toml."""
    for name in ("tflint.toml", "pyproject.toml"):
        path = _written(name, data)
        try:
            config.load(path, checks.TABLE)
            config.find(path.parent)
        except config.ConfigError as error:
            str(error).encode("utf-8")


def baseline_file(data: bytes) -> None:
    """The reader of baselines, and applying one."""
    path = _written("tflint-baseline.json", data)
    try:
        accepted = baseline.Baseline.read(path)
    except baseline.BaselineError as error:
        str(error).encode("utf-8")
        return
    accepted.apply(_finding_result(path.parent))


def log(data: bytes) -> None:
    """The router of `explain --log`."""
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
    for _ in _routes.explain(stream):
        pass


@functools.cache
def _folder() -> Path:
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="tflint-fuzz-", dir=memory if memory.is_dir() else None))


def _written(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


@functools.cache
def _finding_result(folder: Path) -> ModelResult:
    return lint_bytes(MODELS["relu_0_to_1"]().build(), CORNERS, _rules(), name=str(folder / "relu_0_to_1.tflite"))


def models() -> Iterable[bytes]:
    """The demo models, the damaged ones, and three probes of every operator."""
    yield from some_models()
    yield from (data for data in damaged().values() if len(data) <= SMALL)
    taken: Counter[str] = Counter()
    for give in measure.families().values():
        for probe in give():
            operator = probe.name.rpartition("/")[0]
            taken[operator] += 1
            if taken[operator] <= 3:
                data = probe.build()
                if len(data) <= SMALL:
                    yield data


def some_models() -> Iterable[bytes]:
    """The demo models."""
    return (data for data in (build().build() for build in MODELS.values()) if len(data) <= SMALL)


def some_bundles() -> Iterable[bytes]:
    """Both kinds, with good models and damaged ones inside."""
    small, broken = MODELS["identical_div"]().build(), damaged()["bad-index"]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, data in (("a.tflite", small), ("b.tflite", broken), ("labels.txt", b"cat\ndog\n")):
                archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
        yield file.getvalue()
    yield litertlm((3, small), (2, b"tokenizer"), (3, broken), block=1024)


def some_flexbuffers() -> Iterable[bytes]:
    yield builder.flexbuffer({"epsilon": 1e-6, "axis": 3, "names": ["a", "b"], "flags": [True, False], "n": None})
    yield builder.flexbuffer({"deep": {"a": {"b": {"c": [1, 2.5, "x", b"y", [3, [4]]]}}}, "ints": [1, 2, 3]})
    yield builder.flexbuffer([1, 2, 3])


CONFIG = """\
litert = ["2.1.6", "latest"]
backend = "webgpu"
accelerators = "gpu,cpu"
precision = "fp32"
fail-on = "warning"
select = ["split", "error"]
ignore = ["fp16-mask"]

[severity]
split = "info"
gather-nd = "off"

[per-path-ignores]
"models/*.tflite" = ["split"]

[input-ranges]
image = [0, 255.0]

[limits]
oversized-constant = 1024

[[ignores]]
rule = "split"
op = "SPLIT*"
reason = "measured on the device"
"""

LOG = """\
11-30 10:00:00.000  1234  1240 E tflite  : Following operations are not supported by GPU delegate:
E/tflite  ( 1234): GATHER_ND: Operation is not supported.
ERROR: [interpreter_builder.cc:12] Encountered unresolved custom op: Foo.
W0000 00:00:00.000000 1234 delegate.cc:99] ADD: Max version supported: 2. Requested version 5.
4 operations will run on the GPU, and the remaining 7 operations will run on the CPU.
ERROR: Unable to parse bc coord for BATCH axis, args are cond
"""


def some_configs() -> Iterable[bytes]:
    yield CONFIG.encode()
    yield b"[tool.tflint]\nselect = ['split']\n[tool.tflint.severity]\nsplit = 'off'\n"
    yield b"[project]\nname = 'x'\n"


def some_baselines() -> Iterable[bytes]:
    folder = _folder()
    yield baseline.text(folder / "tflint-baseline.json", [_finding_result(folder)]).encode()
    yield b'{"schema": 1, "models": {}}'


def some_logs() -> Iterable[bytes]:
    yield LOG.encode()


SUBJECTS = {
    "reader": Subject(reader, models, damaged_model),
    "model": Subject(model, models, damaged_model, whole_model),
    "reports": Subject(report, some_models, damaged_model, whole_reports),
    "bundle": Subject(bundle, some_bundles),
    "flexbuffer": Subject(flexbuffers, some_flexbuffers),
    "config": Subject(config_file, some_configs),
    "baseline": Subject(baseline_file, some_baselines),
    "log": Subject(log, some_logs),
}
