"""One run of the linter: what was asked, resolved against the config file, carried out, rendered."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from . import __version__, api, checks
from .linter import config as configuration
from .linter.engine import lint_bytes, lint_file
from .linter.errors import ModelError
from .linter.findings import Severity
from .linter.inputs import files
from .linter.results import ModelResult
from .linter.selection import EVERY, Selection
from .linter.settings import Settings
from .linter.targets import Target
from .linter.url import Location, Url, name_of
from .reports import ENDINGS, renderer
from .reports.page import Page
from .reports.verdict import refuted

if TYPE_CHECKING:
    from concurrent.futures import Future

    from .linter.confirm import compare, device

CLEAN, FOUND, COULD_NOT = 0, 1, 2
"""Exit statuses."""

CONFIRMED_BACKEND = "metal" if sys.platform == "darwin" else "webgpu"
"""The backend that the wheels of this platform carry."""

STANDARD_INPUT = Path("-")

MAX_STANDARD_INPUT = 1 << 31
"""Bytes read from standard input: a flatbuffer ends at 2 GB."""


class Refused(Exception):
    """The run cannot do what was asked, in one line."""


class Confirm(NamedTuple):
    """How to run the real delegate, when the run is asked to confirm."""

    install: bool = False
    device: str = "auto"
    inputs: Path | None = None
    reference: Path | None = None
    metric: str | None = None
    bisect: bool = False
    seed: int = 0
    timeout: float | None = None


class Request(NamedTuple):
    """What the command line said. None (or empty) where it said nothing and the config file may speak."""

    models: tuple[Location, ...]
    litert: tuple[str, ...] = ()
    backend: tuple[str, ...] = ()
    accelerators: str | None = None
    precision: str | None = None
    fail_on: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    form: str = "text"
    reports: tuple[Path, ...] = ()
    config: Path | None = None
    baseline: Path | None = None
    write_baseline: bool = False
    input_ranges: tuple[tuple[str, float, float], ...] = ()
    sha256: bool = False
    jobs: int = 1
    confirm: Confirm | None = None
    colour: bool = False
    width: int | None = None
    command: str = ""


def resolved(request: Request) -> tuple[Request, configuration.Config]:
    """The request with what the config file adds; the command line wins. Refused when the file cannot be used."""
    try:
        path = request.config or configuration.find(_folder())
        found = configuration.Config() if path is None else configuration.load(path, checks.TABLE)
    except configuration.ConfigError as error:
        raise Refused(str(error)) from error
    merged = request._replace(
        litert=api.releases(request.litert or found.litert or "latest"),
        backend=api.backends(request.backend or found.backend or "all"),
        accelerators=request.accelerators or found.accelerators or "gpu",
        precision=request.precision or found.precision or "fp16",
        fail_on=request.fail_on or found.fail_on or "error",
        select=request.select or found.select,
        ignore=request.ignore or found.ignore,
        input_ranges=request.input_ranges or found.input_ranges,
    )
    return merged, found


def execute(asked: Request) -> int:
    """Carry the run out: reports to their files, the chosen format to stdout, notes to stderr. The exit status."""
    request, found = resolved(asked)
    accepted = None
    if request.baseline is not None and not request.write_baseline:
        from .linter.baseline import Baseline, BaselineError

        try:
            accepted = Baseline.read(request.baseline)
        except BaselineError as error:
            raise Refused(str(error)) from error
    chosen, selection = _selection(request, found)
    results = []
    stream = _Stream(request)
    for result in _lint(request, found, chosen):
        judged = selection.apply(result)
        if accepted is not None:
            judged = accepted.apply(judged)
        if request.confirm is not None and judged.error is None:
            judged = _confirmed(judged, request, request.confirm)
        results.append(judged)
        stream.show(judged)
    page = _page(request, tuple(results), chosen)
    for path in request.reports:
        write(path, renderer(ENDINGS[path.suffix])(page))
    if request.write_baseline:
        from .linter.baseline import text as baseline_text

        target = request.baseline or Path("tflint-baseline.json")
        _refuse_overwriting(target)
        write(target, baseline_text(target, results))
        click.echo(f"tflint: wrote {target}", err=True)
    stream.close(page)
    if request.form not in ("text", "markdown", "html"):
        from .reports.printing import printable

        for result in results:
            if result.error is not None:
                click.echo(printable(f"tflint: {result.path}: {result.error}"), err=True)
    return _status(results, CLEAN if request.write_baseline else None, str(request.fail_on))


def _folder() -> Path:
    """The working directory; its name alone where it has been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path()


def _selection(request: Request, found: configuration.Config) -> tuple[tuple[str, ...], Selection]:
    """The rules that run, and what is kept of their findings."""
    named = [word for word in request.select if word in checks.TABLE]
    off = {rule for rule, level in found.severity.items() if level == configuration.OFF}
    chosen = tuple(
        rule
        for rule in checks.TABLE
        if (not named or rule in named) and rule not in request.ignore and (rule not in off or rule in named)
    )
    severities = {word for word in request.select if word in EVERY} or set(EVERY)
    selection = Selection(
        severities=frozenset(severities - set(request.ignore)),
        levels={rule: level for rule, level in found.severity.items() if level != configuration.OFF},
        per_path=found.per_path_ignores,
        ignores=found.ignores,
    )
    return chosen, selection


def _targets(request: Request) -> tuple[Target, ...]:
    return tuple(
        Target(version, name, str(request.accelerators), str(request.precision))
        for version in request.litert
        for name in request.backend
    )


def compare_files(asked: Request, old: Location, new: Location) -> int:
    """Compare two files, or bundles model by model; the exit status says whether the new one is worse."""
    from .linter.comparison import compare
    from .reports.comparison import render

    request, found = resolved(asked)
    chosen, selection = _selection(request, found)
    settings = Settings(input_ranges=request.input_ranges, limits=found.limits)
    versions = []
    for place in (old, new):
        results = lint_file(place, _targets(request), checks.some(chosen), settings)
        for result in results:
            if result.error is not None:
                raise Refused(f"{result.path}: {result.error}")
        versions.append([selection.apply(result) for result in results])
    before, after = versions
    if len(before) != len(after):
        raise Refused(f"{name_of(old)} holds {len(before)} models and {name_of(new)} {len(after)}: compare them singly")
    comparisons = [compare(*pair) for pair in zip(before, after, strict=True)]
    click.echo(render(request.form, comparisons, __version__, request.colour), nl=False, color=request.colour)
    if request.fail_on == "never":
        return CLEAN
    limit = Severity(request.fail_on).weight
    worse = any(comparison.worst is not None and comparison.worst.weight >= limit for comparison in comparisons)
    return FOUND if worse else CLEAN


def _lint(request: Request, found: configuration.Config, chosen: Sequence[str]) -> Iterator[ModelResult]:
    """Results in the order of the files, as they are done."""
    targets = _targets(request)
    settings = Settings(input_ranges=request.input_ranges, limits=found.limits)
    forms = {request.form, *(ENDINGS[path.suffix] for path in request.reports)}
    facts = "html" in forms
    sha256 = request.sha256 or bool(forms & {"html", "sarif"})
    try:
        paths = list(files(path for path in request.models if path != STANDARD_INPUT))
    except ModelError as error:
        raise Refused(str(error)) from error
    if STANDARD_INPUT in request.models:
        if sys.stdin is None:
            raise Refused("standard input is closed")
        data = sys.stdin.buffer.read(MAX_STANDARD_INPUT + 1)
        if len(data) > MAX_STANDARD_INPUT:
            raise Refused(f"standard input is larger than {MAX_STANDARD_INPUT} bytes: name the file instead")
        yield lint_bytes(data, targets, checks.some(chosen), settings, name="<stdin>", facts=facts)
    if request.sha256 and any(isinstance(path, Url) for path in paths):
        click.echo("tflint: remote files have no SHA-256: they would have to be fetched whole", err=True)
    work = [(path, targets, tuple(chosen), settings, facts, sha256) for path in paths]
    with _Progress(len(work)) as progress:
        for part in _map(work, request.jobs):
            progress.hide()  # a report may go to the same terminal now
            yield from part
            progress.advance()


Work = tuple[Location, tuple[Target, ...], tuple[str, ...], Settings, bool, bool]


def _one(work: Work) -> tuple[ModelResult, ...]:
    """One file, in this process or a worker."""
    path, targets, chosen, settings, facts, sha256 = work
    return lint_file(path, targets, checks.some(chosen), settings, facts=facts, sha256=sha256)


def _map(work: Sequence[Work], jobs: int) -> Iterator[tuple[ModelResult, ...]]:
    if jobs <= 1 or len(work) < 2:
        yield from map(_one, work)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=min(jobs, len(work))) as pool:
        waiting = [pool.submit(_one, piece) for piece in work]
        for piece, future in zip(work, waiting, strict=True):
            yield _outcome(piece, future)


def _outcome(piece: Work, future: Future[tuple[ModelResult, ...]]) -> tuple[ModelResult, ...]:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        return (ModelResult(name_of(piece[0]), 0, None, ModelError("the process that read it died"), ()),)


class _Progress:
    """A progress bar on stderr, on a terminal and for several files. Reports pass above it."""

    def __init__(self, count: int) -> None:
        self._bar = None
        if count > 1 and sys.stderr.isatty():
            # With the position each step changes the bar, so it is drawn again wherever it was hidden.
            self._bar = click.progressbar(length=count, label="Linting", show_pos=True, file=sys.stderr)

    def __enter__(self) -> _Progress:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def advance(self) -> None:
        if self._bar is not None:
            self._bar.update(1)

    def hide(self) -> None:
        if self._bar is not None:
            click.echo("\r\x1b[K", nl=False, err=True)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)  # with the cursor, which the bar has hidden


class _Stream:
    """What goes to stdout: a model at a time where the format allows it, else all at the end."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._early = request.form in ("text", "jsonl")

    def show(self, result: ModelResult) -> None:
        if not self._early:
            return
        if self._request.form == "jsonl":
            from .reports.json_lines import line

            click.echo(line(result), nl=False)
            return
        from .reports.text import model_lines

        page = Page((result,), __version__, colour=self._request.colour, width=self._request.width)
        for text in model_lines(result, page):
            click.echo(text, color=self._request.colour)

    def close(self, page: Page) -> None:
        if not self._early:
            click.echo(renderer(self._request.form)(page), nl=False, color=self._request.colour)
        elif self._request.form == "text":
            from .reports.text import closing

            click.echo(closing(page), nl=False, color=self._request.colour)


def _page(request: Request, results: tuple[ModelResult, ...], chosen: Sequence[str]) -> Page:
    paged = request.form == "sarif" or any(ENDINGS[path.suffix] == "sarif" for path in request.reports)
    return Page(
        results=results,
        version=__version__,
        rules=tuple(checks.registered(rule).rule for rule in chosen),
        command=request.command,
        colour=request.colour,
        width=request.width,
        pages={rule: checks.page(rule) for rule in chosen} if paged else {},
    )


def _confirmed(result: ModelResult, request: Request, asked: Confirm) -> ModelResult:
    """The result with what the real delegate does, once a release. Refused when it cannot be asked."""
    from .linter.confirm import confirmation, runner
    from .linter.confirm.device import NoDevice
    from .linter.confirm.environment import NoEnvironment
    from .linter.confirm.route import CannotConfirm

    path = Path(result.path)
    if not path.is_file():
        raise Refused(f"{result.path}: only a .tflite file of its own can be confirmed")
    options = runner.Options(
        precision="fp32" if request.precision == "fp32" else "default",
        inputs=asked.inputs,
        seed=asked.seed,
        timeout=runner.TIMEOUT if asked.timeout is None else asked.timeout,
    )
    answered: set[str] = set()
    targets = []
    for target in result.targets:
        if target.target.backend != CONFIRMED_BACKEND or target.target.litert in answered:
            targets.append(target)
            continue
        answered.add(target.target.litert)
        try:
            answer = confirmation.confirm(
                path,
                target.target.litert,
                confirmation.predict(target.placement, target.findings),
                choice=cast("device.Choice", asked.device),
                install=asked.install,
                gpu_only=request.accelerators == "gpu",
                dumps=asked.reference,
                metric=cast("compare.Metric | None", asked.metric),
                bisect=asked.bisect,
                options=options,
            )
        except (NoDevice, NoEnvironment, CannotConfirm, ModelError) as error:
            raise Refused(f"{result.path}: cannot confirm on LiteRT {target.target.litert}: {error}") from error
        targets.append(target._replace(confirm=answer))
    if not answered:
        raise Refused(f"confirming runs the {CONFIRMED_BACKEND} backend, which --backend leaves out")
    return result._replace(targets=tuple(targets))


def _status(results: Iterable[ModelResult], otherwise: int | None, fail_on: str) -> int:
    kept = list(results)
    if any(result.error is not None for result in kept):
        return COULD_NOT
    if otherwise is not None:
        return otherwise
    if fail_on == "never":
        return CLEAN
    if any(refuted(target) for result in kept for target in result.targets):
        return FOUND
    limit = Severity(fail_on).weight
    failing = any(result.worst is not None and result.worst.weight >= limit for result in kept)
    return FOUND if failing else CLEAN


def _refuse_overwriting(path: Path) -> None:
    """A mistyped --baseline must not cost a model: only a baseline is written over."""
    try:
        with path.open("rb") as stream:
            begins = stream.read(1)
    except OSError:
        return
    if begins not in (b"", b"{"):
        raise Refused(f"{path}: is there already, and no baseline: it is not written over")


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all: what was there stays until the new text is safely on the disk."""
    import os
    import tempfile

    target = os.path.realpath(path)  # a link stays one
    try:
        descriptor, draft = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{path.name}.")
        try:
            with open(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(descriptor)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(draft, 0o666 & ~mask)
            os.replace(draft, target)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def show_config(asked: Request) -> str:
    """The settings of a run, and where they come from, as TOML."""
    import json

    request, found = resolved(asked)
    lines = [f"# config file: {found.source or 'none'}"]
    values: dict[str, object] = {
        "litert": list(request.litert),
        "backend": list(request.backend),
        "accelerators": request.accelerators,
        "precision": request.precision,
        "fail-on": request.fail_on,
        "select": list(request.select),
        "ignore": list(request.ignore),
    }
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    tables: dict[str, dict[str, object]] = {
        "severity": dict(found.severity),
        "per-path-ignores": {glob: list(words) for glob, words in found.per_path_ignores},
        "input-ranges": {name: [low, high] for name, low, high in request.input_ranges},
        "limits": {"oversized-constant": found.limits.oversized_constant},
    }
    for name, table in tables.items():
        if table:
            lines += ["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())]
    for ignore in found.ignores:
        given = {key: getattr(ignore, key) for key in ("rule", "op", "tensor", "path", "reason")}
        lines += ["", "[[ignores]]", *(f"{key} = {json.dumps(value)}" for key, value in given.items() if value)]
    return "\n".join(lines) + "\n"
