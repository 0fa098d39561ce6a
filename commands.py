"""The commands, as click declares them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import __version__, api, checks
from .linter.errors import ModelError
from .linter.findings import Severity
from .linter.settings import Settings
from .linter.targets import ACCELERATORS, BACKENDS, LATEST, PRECISIONS, RELEASES, Target

if TYPE_CHECKING:
    from .linter.results import ModelResult

COULD_NOT = 2
"""Exit status when the command could not do what was asked."""

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


def _releases(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    try:
        return api.releases(values or "latest")
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _backends(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    try:
        return api.backends(values or "all")
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
    epilog="Run `tflint lint --help` for the options of linting.",
)
@click.version_option(__version__, "-V", "--version", message="tflint %(version)s")
def tflint() -> None:
    """Tell what LiteRT's GPU will do with a .tflite model, without running it.

    \b
    tflint model.tflite                     lint for the latest release
    tflint model.tflite --litert 2.1.6      lint for one release
    tflint model.tflite --litert all        every release side by side
    tflint explain RULE                     what a rule means and how to fix it
    """


@tflint.command()
@click.argument("models", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="MODEL...")
@click.option(
    "--litert", multiple=True, callback=_releases, metavar="V", help="LiteRT release, comma list, latest or all."
)
@click.option("--backend", multiple=True, callback=_backends, metavar="B", help="webgpu, opencl, metal or all.")
@click.option("--format", "form", default="text", show_default=True, help="What goes to stdout.")
@click.option(
    "--report", multiple=True, type=click.Path(path_type=Path, dir_okay=False), help="Also write a report file."
)
@click.option("--select", multiple=True, callback=_rules, metavar="R,...", help="Only these rules or severities.")
@click.option("--ignore", multiple=True, callback=_rules, metavar="R,...", help="Not these rules or severities.")
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), default="error", show_default=True, help="Severity that exits with 1."
)
@click.option(
    "--accelerators",
    type=click.Choice(ACCELERATORS),
    default="gpu",
    show_default=True,
    help="gpu: full residency is required. gpu,cpu: what is refused runs on the CPU.",
)
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    default="fp16",
    show_default=True,
    help="Precision on the GPU that hazards are judged for.",
)
@click.option("--sha256", is_flag=True, help="Put the file's SHA-256 into the report.")
@click.option("--color/--no-color", default=None, help="Colour in text output. Default: on a terminal.")
@click.pass_context
def lint(
    context: click.Context,
    models: tuple[Path, ...],
    litert: tuple[str, ...],
    backend: tuple[str, ...],
    form: str,
    report: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    accelerators: str,
    precision: str,
    sha256: bool,
    color: bool | None,
) -> None:
    """Lint models: which operators the GPU refuses, which results are wrong, and what to change.

    MODEL is a .tflite file, or a folder that is searched.
    """
    from .linter.engine import lint_file
    from .linter.inputs import files
    from .reports import ENDINGS, FORMATS, renderer
    from .reports.page import Page

    if form not in FORMATS:
        raise click.BadParameter(f"unknown format {form!r}; known: {', '.join(FORMATS)}", param_hint="--format")
    for path in report:
        if path.suffix not in ENDINGS:
            raise click.BadParameter(f"{path}: unknown ending; known: {', '.join(ENDINGS)}", param_hint="--report")
    targets = tuple(Target(version, name, accelerators, precision) for version in litert for name in backend)
    wanted = [word for word in select if word in checks.TABLE] or list(checks.TABLE)
    chosen = checks.some(rule for rule in wanted if rule not in ignore)
    severities = {word for word in select if word in SEVERITIES} or set(SEVERITIES)
    severities -= set(ignore)
    hashed = sha256 or form in ("html", "sarif") or any(ENDINGS[path.suffix] in ("html", "sarif") for path in report)
    paged = form == "sarif" or any(ENDINGS[path.suffix] == "sarif" for path in report)
    drawn = form == "html" or any(ENDINGS[path.suffix] == "html" for path in report)
    try:
        paths = list(files(models))
    except ModelError as error:
        raise CouldNot(str(error)) from error
    results = tuple(
        _kept(lint_file(path, targets, chosen, Settings(), facts=drawn, sha256=hashed), severities) for path in paths
    )
    colour = sys.stdout.isatty() if color is None else color
    page = Page(
        results=results,
        version=__version__,
        rules=tuple(entry.rule for entry in chosen),
        command=shlex.join(["tflint", *sys.argv[1:]]),
        colour=colour,
        pages={entry.rule.id: checks.page(entry.rule.id) for entry in chosen} if paged else {},
    )
    for path in report:
        _write(path, renderer(ENDINGS[path.suffix])(page))
    click.echo(renderer(form)(page), nl=False, color=colour)
    for result in results:
        if result.error is not None and form != "text":
            click.echo(f"tflint: {result.path}: {result.error}", err=True)
    context.exit(_status(results, fail_on))


def _kept(result: ModelResult, severities: set[str]) -> ModelResult:
    """The result with only the findings of the wanted severities."""
    from dataclasses import replace

    if len(severities) == len(SEVERITIES):
        return result
    return replace(
        result,
        targets=tuple(
            replace(
                target,
                findings=tuple(finding for finding in target.findings if finding.severity.value in severities),
            )
            for target in result.targets
        ),
    )


def _status(results: Sequence[ModelResult], fail_on: str) -> int:
    if any(result.error is not None for result in results):
        return COULD_NOT
    if fail_on == "never":
        return 0
    limit = Severity(fail_on).weight
    return int(any(result.worst is not None and result.worst.weight >= limit for result in results))


def _write(path: Path, text: str) -> None:
    """Write a report whole or not at all."""
    import os
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(stream.name, 0o666 & ~mask)
        os.replace(stream.name, path)
    except OSError as error:
        raise CouldNot(f"{path}: {error.strerror}") from error


@tflint.command()
@click.argument("rule", required=False)
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
    from .checks import _routes
    from .reports.text import printable

    known = unknown = 0
    with click.open_file(log, encoding="utf-8", errors="replace") as stream:
        for entry in _routes.explain(stream):
            click.echo(f"{entry.number}: {printable(entry.line)}")
            if entry.route is None:
                unknown += 1
                click.echo("    unknown: no rule explains this line")
                continue
            known += 1
            rules = " or ".join(entry.route.rules) or "no rule: the model does not decide it"
            click.echo(f"    {rules}: {entry.route.cause}")
            click.echo(f"    do: {entry.route.advice}")
    if not known and not unknown:
        click.echo("No line of a delegate, the loader or the converter in this log.")
    else:
        click.echo(f"\n{known} explained, {unknown} unknown. `tflint explain RULE` shows a rule's page.")


@tflint.command()
@click.option("--format", "form", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True)
def rules(form: str) -> None:
    """List the rules."""
    from .reports import rule_list

    click.echo(rule_list.render(form, [entry.rule for entry in checks.every()]), nl=False)


@tflint.command()
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
