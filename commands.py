"""The commands, as click declares them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import __version__, api, checks, manual
from .linter.findings import Severity
from .linter.targets import ACCELERATORS, BACKEND_NAMES, BACKENDS, LATEST, PRECISIONS, RELEASES, VERSIONS
from .linter.url import Location, Url, is_url

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COULD_NOT = 2
"""Exit status when the command could not do what was asked."""

LONGEST_LINE = 8192
"""Characters of a log line that are looked at together. logcat ends a line at 4,000."""

FAIL_ON = ("error", "warning", "info", "never")
SEVERITIES = tuple(severity.value for severity in Severity)


class CouldNot(click.ClickException):
    """The command could not do what was asked."""

    exit_code = COULD_NOT


class DefaultGroup(click.Group):
    """`tflint MODEL` means `tflint lint MODEL`: what is not a command's name goes to `lint`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h", "--version", "-V"):
            args = ["lint", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands; where none fits, what could follow `lint`: its options, and files."""
        from click.shell_completion import CompletionItem

        found = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            known = {item.value for item in found}
            with click.Context(lint, parent=ctx) as below:
                return found + [item for item in lint.shell_complete(below, incomplete) if item.value not in known]
        # Not both: the scripts for bash drop everything else for a file.
        return found or [CompletionItem(incomplete, type="file")]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        manual.write(
            formatter,
            examples=manual.START,
            exit_status=manual.EXIT_STATUS,
            shell_completion=manual.COMPLETION,
        )
        with formatter.section("See also"):
            formatter.write_text("`tflint lint --help` for all options of linting")


Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _completer(words: Callable[[], Iterable[str]], *, lists: bool = True) -> Completer:
    """Completes a word; with `lists`, the last one of a comma list."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if lists else ("", "", incomplete)
        return [f"{before}{comma}{word}" for word in words() if word.startswith(last)]

    return complete


def _formats() -> Iterable[str]:
    from .reports import FORMATS

    return FORMATS


def _releases(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    try:
        return api.releases(values)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _backends(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    try:
        return api.backends(values)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _rules(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    words = [word.strip() for value in values for word in value.split(",") if word.strip()]
    for word in words:
        if word not in checks.TABLE and word not in SEVERITIES:
            raise click.BadParameter(_unknown_rule(word))
    return tuple(words)


def _unknown_rule(word: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, (*checks.TABLE, *SEVERITIES), 1)
    hint = f"; did you mean {close[0]}?" if close else "; `tflint rules` lists them"
    return f"unknown rule {word!r}{hint}"


@click.group(
    cls=DefaultGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="tflint %(version)s")
def tflint() -> None:
    """Tell what LiteRT's GPU will do with a .tflite model, without running it.

    `tflint MODEL...` is short for `tflint lint MODEL...`.
    """


def _ranges(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, float, float], ...]:
    found = []
    for value in values:
        name, equals, span = value.rpartition("=")
        low, colon, high = span.partition(":")
        try:
            if not (name and equals and colon) or not float(low) <= float(high):
                raise ValueError
        except ValueError:
            raise click.BadParameter(f"{value!r} is not NAME=LO:HI") from None
        found.append((name, float(low), float(high)))
    return tuple(found)


class _Place(click.Path):
    """A path, or an address such as ``https://host/model.tflite``."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        return Url(value) if is_url(value) else super().convert(value, param, ctx)


_FILE = click.Path(path_type=Path, dir_okay=False)


@tflint.command(cls=manual.LintCommand, short_help="Lint models. The default command.")
@click.argument("models", nargs=-1, type=_Place(path_type=Path, readable=False), metavar="MODEL...")
@click.option(
    "--litert",
    multiple=True,
    callback=_releases,
    shell_complete=_completer(lambda: (*VERSIONS, "latest", "all")),
    metavar="V",
    help="LiteRT release, comma list, latest (default) or all.",
)
@click.option(
    "--backend",
    multiple=True,
    callback=_backends,
    shell_complete=_completer(lambda: (*BACKEND_NAMES, "all")),
    metavar="B",
    help="webgpu, opencl, metal or all (default).",
)
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    shell_complete=_completer(_formats, lists=False),
    metavar="F",
    help="What goes to stdout: text, json, jsonl, sarif, junit, github, markdown or html.",
)
@click.option(
    "--report",
    multiple=True,
    type=_FILE,
    help="Also write a file, format by its ending: .html .json .sarif .xml .md. Repeatable.",
)
@click.option(
    "--select",
    multiple=True,
    callback=_rules,
    shell_complete=_completer(lambda: (*SEVERITIES, *checks.TABLE)),
    metavar="R,...",
    help="Only these rules or severities.",
)
@click.option(
    "--ignore",
    multiple=True,
    callback=_rules,
    shell_complete=_completer(lambda: (*SEVERITIES, *checks.TABLE)),
    metavar="R,...",
    help="Not these rules or severities.",
)
@click.option("--fail-on", type=click.Choice(FAIL_ON), help="Severity that exits with 1. Default: error.")
@click.option(
    "--accelerators",
    type=click.Choice(ACCELERATORS),
    help="gpu (default): full residency is required. gpu,cpu: what is refused runs on the CPU.",
)
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    help="Precision on the GPU that hazards are judged for. Default: fp16.",
)
@click.option(
    "--input-range",
    multiple=True,
    callback=_ranges,
    metavar="NAME=LO:HI",
    help="Values that a graph input takes, for range hazards. Repeatable.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Config file. Default: the nearest tflint.toml or pyproject.toml with [tool.tflint].",
)
@click.option("--show-config", is_flag=True, help="Print the settings of this run and where they come from.")
@click.option("--baseline", type=_FILE, help="Accept the findings recorded in this file.")
@click.option("--write-baseline", is_flag=True, help="Record today's findings there (default: tflint-baseline.json).")
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N", help="Processes for many models."
)
@click.option("--sha256", is_flag=True, help="Put the file's SHA-256 into the report.")
@click.option("--confirm", is_flag=True, help="Also run the model on LiteRT's own GPU delegate and compare.")
@click.option("--install", is_flag=True, help="Allow an environment with that release to be made.")
@click.option(
    "--device",
    type=click.Choice(("auto", "gpu", "software")),
    default="auto",
    show_default=True,
    help="Which Vulkan device.",
)
@click.option("--inputs", type=_FILE, metavar="FILE.npz", help="Values of the graph inputs.")
@click.option("--reference", type=_FILE, metavar="FILE.npz", help="Outputs of the source model.")
@click.option("--metric", type=click.Choice(("argmax", "iou", "cosine")), help="A task figure beside the errors.")
@click.option("--bisect", is_flag=True, help="Find the first operator whose result differs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the inputs.")
@click.option("--timeout", type=click.FloatRange(min=1), metavar="SECONDS", help="Limit for one model.")
@click.option("--color/--no-color", default=None, help="Colour in text output. Default: on a terminal.")
@click.pass_context
def lint(
    context: click.Context,
    models: tuple[Location, ...],
    litert: tuple[str, ...],
    backend: tuple[str, ...],
    form: str,
    report: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    accelerators: str | None,
    precision: str | None,
    input_range: tuple[tuple[str, float, float], ...],
    config: Path | None,
    show_config: bool,
    baseline: Path | None,
    write_baseline: bool,
    jobs: int,
    sha256: bool,
    confirm: bool,
    install: bool,
    device: str,
    inputs: Path | None,
    reference: Path | None,
    metric: str | None,
    bisect: bool,
    seed: int,
    timeout: float | None,
    color: bool | None,
) -> None:
    """Lint models: which operators the GPU refuses, which results are wrong, and what to change.

    MODEL is a .tflite file, a .task or .litertlm bundle, a folder that is searched, a quoted glob, or - for standard
    input. Several are linted and reported one after the other, and one that is damaged does not stop the rest.
    Addresses (https://, gs://, hf://, s3://) are read in byte ranges, with tflint[remote] installed.
    """
    import shlex

    from . import run
    from .reports import ENDINGS, FORMATS
    from .reports.printing import printable

    if form not in FORMATS:
        raise click.BadParameter(f"unknown format {form!r}; known: {', '.join(FORMATS)}", param_hint="--format")
    for path in report:
        if path.suffix not in ENDINGS:
            raise click.BadParameter(f"{path}: unknown ending; known: {', '.join(ENDINGS)}", param_hint="--report")
    if not models and not show_config:
        raise click.UsageError("Missing argument 'MODEL...'.")
    request = run.Request(
        models=models,
        litert=litert,
        backend=backend,
        accelerators=accelerators,
        precision=precision,
        fail_on=fail_on,
        select=select,
        ignore=ignore,
        form=form,
        reports=report,
        config=config,
        baseline=baseline,
        write_baseline=write_baseline,
        input_ranges=input_range,
        sha256=sha256,
        jobs=jobs,
        confirm=run.Confirm(install, device, inputs, reference, metric, bisect, seed, timeout) if confirm else None,
        colour=_coloured(color),
        width=_columns(),
        command=shlex.join(["tflint", *(Url(word).shown if is_url(word) else word for word in sys.argv[1:])]),
    )
    try:
        if show_config:
            click.echo(run.show_config(request), nl=False)
            return
        context.exit(run.execute(request))
    except run.Refused as error:
        raise CouldNot(printable(str(error))) from error


def _columns() -> int | None:
    """Of the terminal; None where the output is none."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def _coloured(asked: bool | None) -> bool:
    """What --color says; else colour on a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") if asked is None else asked


def _like_lint(*names: str) -> Callable[[click.Command], click.Command]:
    """Give a command some of the options of `lint`."""

    def add(command: click.Command) -> click.Command:
        command.params += [parameter for parameter in lint.params if parameter.name in names]
        return command

    return add


@_like_lint(
    "litert", "backend", "accelerators", "precision", "input_range", "select", "ignore", "fail_on", "config", "color"
)
@tflint.command(short_help="Compare two versions of a model.")
@click.argument("old", type=_Place(path_type=Path, readable=False))
@click.argument("new", type=_Place(path_type=Path, readable=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "markdown")),
    default="text",
    show_default=True,
    help="What goes to stdout; markdown suits a comment on a pull request.",
)
def compare(
    old: Location,
    new: Location,
    form: str,
    litert: tuple[str, ...],
    backend: tuple[str, ...],
    accelerators: str | None,
    precision: str | None,
    input_range: tuple[tuple[str, float, float], ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    config: Path | None,
    color: bool | None,
) -> None:
    """Compare two versions of a model, as after a re-conversion: what got better, and what worse.

    Says how size, operators and residency changed, which findings are fixed and which are new. A finding is the same
    when its rule, operator and tensor names are; where names changed, when its rule and operator are.

    Exit status: 0 when NEW is no worse, 1 when it brings a finding at or above --fail-on or fewer operators run on the
    GPU, 2 when they could not be compared.

    \b
    tflint compare old.tflite new.tflite --litert all
    tflint compare https://host/released.tflite new.tflite --format markdown
    """
    from . import run
    from .reports.printing import printable

    request = run.Request(
        models=(),
        litert=litert,
        backend=backend,
        accelerators=accelerators,
        precision=precision,
        fail_on=fail_on,
        select=select,
        ignore=ignore,
        form=form,
        config=config,
        input_ranges=input_range,
        colour=_coloured(color),
    )
    try:
        click.get_current_context().exit(run.compare_files(request, old, new))
    except run.Refused as error:
        raise CouldNot(printable(str(error))) from error


@tflint.command()
@click.argument("rule", required=False, shell_complete=_completer(lambda: checks.TABLE, lists=False))
@click.option(
    "--log",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    metavar="FILE|-",
    help="Explain every delegate line of a runtime or logcat log.",
)
def explain(rule: str | None, log: str | None) -> None:
    """Show a rule's page, or explain a log."""
    if (rule is None) == (log is None):
        raise click.UsageError("give a rule (`tflint rules` lists them), or a log with --log")
    if log is not None:
        _explain_log(log)
        return
    if rule not in checks.TABLE:
        raise click.BadParameter(_unknown_rule(str(rule)), param_hint="RULE")
    click.echo(checks.page(str(rule)), nl=False)


def _explain_log(log: str) -> None:
    from functools import partial

    from .checks import _routes
    from .checks._log_lines import Route
    from .reports.printing import printable

    found: dict[tuple[str, Route | None], list[int]] = {}
    with click.open_file(log, encoding="utf-8", errors="replace") as stream:
        # In pieces where it has no lines: a log may be any file.
        for entry in _routes.explain(iter(partial(stream.readline, LONGEST_LINE), "")):
            found.setdefault((entry.line, entry.route), []).append(entry.number)
    for (line, route), numbers in found.items():
        click.echo(f"{_listed(numbers)}: {printable(line)}")
        if route is None:
            click.echo("    unknown: no rule explains this line")
            continue
        click.echo(f"    {' or '.join(route.rules) or 'no rule'}: {route.cause}")
        if route.advice:
            click.echo(f"    do: {route.advice}")
    if not found:
        click.echo("No line of a delegate, the loader or the converter in this log.")
        return
    unknown = sum(route is None for _, route in found)
    rules = sorted({rule for _, route in found if route is not None for rule in route.rules})
    click.echo(f"\n{len(found) - unknown} explained, {unknown} unknown.")
    if rules:
        click.echo(f"Pages of the rules: {', '.join(f'tflint explain {rule}' for rule in rules)}")


MOST_NUMBERS = 4
"""Line numbers shown of a line that is logged again and again."""


def _listed(numbers: list[int]) -> str:
    from .reports.printing import some

    return some(list(map(str, numbers)), MOST_NUMBERS)


@tflint.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "markdown")),
    default="text",
    show_default=True,
    help="What goes to stdout.",
)
def rules(form: str) -> None:
    """List the rules."""
    from .reports import rule_list

    click.echo(rule_list.render(form, [entry.rule for entry in checks.every()]), nl=False)


@tflint.command(short_help="List the LiteRT releases and backends known.")
def targets() -> None:
    """List the LiteRT releases and backends known, and how each was established."""
    for line in _target_lines():
        click.echo(line)


def _target_lines() -> Iterator[str]:
    yield "LiteRT releases"
    for release in RELEASES:
        note = " (default)" if release.version == LATEST else ""
        yield f"  {release.version:7} {release.date or '-':11} {release.established}{note}"
    yield ""
    yield "Backends"
    for backend in BACKENDS:
        yield f"  {backend.name:7} {backend.where:28} {backend.established}"
