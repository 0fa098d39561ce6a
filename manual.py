"""What `--help` says beside each option: sections of options, examples, exit statuses, environment, files."""

from __future__ import annotations

import click

Rows = tuple[tuple[str, str], ...]

EXIT_STATUS: Rows = (
    ("0", "Nothing at or above --fail-on."),
    ("1", "Something is, or --confirm saw the delegate go wrong."),
    ("2", "The command could not do what was asked: usage, a damaged model, a confirmation that is impossible."),
)

ENVIRONMENT: Rows = (
    ("NO_COLOR", "If set, no colour in text output."),
    ("TFLINT_LITERT_ENVS", "For --confirm: a folder of virtual environments named by release, as 2.1.6/."),
    ("VK_DRIVER_FILES, VK_ICD_FILENAMES", "For --confirm: manifest of the Vulkan driver to use."),
    ("XDG_CACHE_HOME", "Where --install keeps environments, in tflint/litert. Default: ~/.cache."),
)

FILES: Rows = (
    (
        "tflint.toml, pyproject.toml",
        "Settings; in the second, those of [tool.tflint]. The nearest parent folder counts.",
    ),
    ("tflint-baseline.json", "Accepted findings, where --write-baseline puts them."),
)

START: Rows = (
    ("tflint model.tflite", "Lint for the latest release."),
    ("tflint model.tflite --litert 2.1.6", "Lint for one release."),
    ("tflint model.tflite --litert all", "Every release side by side."),
    ("tflint compare old.tflite new.tflite", "What a re-conversion changed."),
    ("tflint explain relu-0-to-1", "What a rule means and how to fix it."),
    ("adb logcat -d | tflint explain --log -", "What the lines of a device log mean."),
)

LINT: Rows = (
    ("tflint model.tflite --litert 2.1.6,2.3.0", "Two releases side by side."),
    ("tflint model.tflite --accelerators gpu,cpu", "Falling back to the CPU is allowed."),
    ("tflint 'models/**/*.tflite' --jobs 4", "Many models, in four processes."),
    ("tflint models/ --report review.html", "A page for people, beside the text."),
    ("tflint models/ --format sarif > tflint.sarif", "For code scanning."),
    ("tflint models/ --write-baseline", "Accept today's findings."),
    ("tflint models/ --baseline tflint-baseline.json", "Only what is new."),
    ("tflint model.tflite --confirm --install", "Ask the delegate itself."),
)

COMPLETION: Rows = (
    ("bash", 'eval "$(_TFLINT_COMPLETE=bash_source tflint)"'),
    ("zsh", 'eval "$(_TFLINT_COMPLETE=zsh_source tflint)"'),
    ("fish", "_TFLINT_COMPLETE=fish_source tflint | source"),
)

OPTIONS = {
    "Target": ("litert", "backend", "accelerators", "precision", "input_range"),
    "Findings": ("select", "ignore", "fail_on", "baseline", "write_baseline", "config", "show_config"),
    "Output": ("form", "report", "sha256", "color", "jobs"),
    "With --confirm": ("confirm", "install", "device", "inputs", "reference", "metric", "bisect", "seed", "timeout"),
}
"""Sections of the options of `lint`, by parameter name. What is in none stands under "Options"."""


def write(formatter: click.HelpFormatter, **sections: Rows) -> None:
    """Sections below the options, each a list of terms and what they mean."""
    for title, rows in sections.items():
        with formatter.section(title.replace("_", " ").capitalize()):
            formatter.write_dl(rows, col_max=48)


class LintCommand(click.Command):
    """A command whose help reads like a manual page."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        section = {name: title for title, names in OPTIONS.items() for name in names}
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (*OPTIONS, "Options")}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                rows[section.get(str(parameter.name), "Options")].append(record)
        for title, records in rows.items():
            with formatter.section(title):
                formatter.write_dl(records, col_max=32)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write(formatter, examples=LINT, exit_status=EXIT_STATUS, environment=ENVIRONMENT, files=FILES)
