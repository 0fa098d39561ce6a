"""The library: what the command line does, with typed results instead of text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from . import checks
from .linter.engine import lint_bytes, lint_file
from .linter.errors import ModelError
from .linter.findings import Severity
from .linter.inputs import files
from .linter.results import ModelResult
from .linter.settings import Settings
from .linter.targets import ACCELERATORS, BACKEND_NAMES, LATEST, PRECISIONS, VERSIONS, Target
from .linter.url import is_url, location

if TYPE_CHECKING:
    from .linter.confirm.answers import Confirmation
    from .linter.confirm.compare import Metric
    from .linter.confirm.device import Choice

Source = str | Path | bytes


def releases(words: str | Iterable[str]) -> tuple[str, ...]:
    """Releases by name, comma list, ``latest`` or ``all``, oldest first. ValueError names the known ones."""
    chosen: set[str] = set()
    for word in _words(words):
        word = word.removeprefix("v")
        if word == "all":
            chosen.update(VERSIONS)
        elif word == "latest":
            chosen.add(LATEST)
        elif word in VERSIONS:
            chosen.add(word)
        else:
            raise ValueError(f"unknown LiteRT release {word!r}; known: {', '.join(VERSIONS)}, latest, all")
    return tuple(version for version in VERSIONS if version in chosen)


def backends(words: str | Iterable[str]) -> tuple[str, ...]:
    """Backends by name, comma list or ``all``. ValueError names the known ones."""
    chosen: set[str] = set()
    for word in _words(words):
        if word == "all":
            chosen.update(BACKEND_NAMES)
        elif word in BACKEND_NAMES:
            chosen.add(word)
        else:
            raise ValueError(f"unknown backend {word!r}; known: {', '.join(BACKEND_NAMES)}, all")
    return tuple(name for name in BACKEND_NAMES if name in chosen)


def _words(words: str | Iterable[str]) -> list[str]:
    given = [words] if isinstance(words, str) else words
    return [word.strip() for entry in given for word in entry.split(",") if word.strip()]


def lint(
    models: Source | Iterable[Source],
    *,
    litert: str | Iterable[str] = "latest",
    backend: str | Iterable[str] = "all",
    accelerators: str = "gpu",
    precision: str = "fp16",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    settings: Settings | None = None,
    sha256: bool = False,
) -> tuple[ModelResult, ...]:
    """Judge models: paths of files or folders, addresses such as ``https://…``, or a model's bytes.

    What cannot be read is a result with an `error`, not an exception. `select` and `ignore` take rule ids.
    ValueError for an unknown release, backend, rule, accelerator set or precision."""
    if accelerators not in ACCELERATORS:
        raise ValueError(f"unknown accelerators {accelerators!r}; known: {', '.join(ACCELERATORS)}")
    if precision not in PRECISIONS:
        raise ValueError(f"unknown precision {precision!r}; known: {', '.join(PRECISIONS)}")
    wanted, unwanted = set(select), set(ignore)
    unknown = sorted((wanted | unwanted) - set(checks.TABLE))
    if unknown:
        raise ValueError(f"unknown rule {unknown[0]!r}")
    chosen = checks.some((wanted or set(checks.TABLE)) - unwanted)
    targets = [
        Target(version, name, accelerators, precision) for version in releases(litert) for name in backends(backend)
    ]
    given = [models] if isinstance(models, (str, Path, bytes)) else list(models)
    results: list[ModelResult] = []
    for source in given:
        if isinstance(source, bytes):
            results.append(lint_bytes(source, targets, chosen, settings))
            continue
        for place in files([location(source)]):
            results += lint_file(place, targets, chosen, settings, sha256=sha256)
    return tuple(results)


def confirm(
    model: str | Path,
    *,
    litert: str = LATEST,
    accelerators: str = "gpu",
    precision: str = "fp16",
    device: Choice = "auto",
    install: bool = False,
    inputs: Path | None = None,
    reference: Path | None = None,
    metric: Metric | None = None,
    bisect: bool = False,
    seed: int = 0,
) -> Confirmation:
    """Run a model on LiteRT's own GPU delegate and compare with the prediction and the CPU.

    Needs the `confirm` extra. `inputs` and `reference` name .npz files: values of the graph inputs, and outputs of
    the source model. Raises ModelError for a damaged file, and NoDevice, NoEnvironment or CannotConfirm
    (`tflint.linter.confirm`) when the runtime cannot be asked."""
    from .linter.confirm import confirmation, runner

    if is_url(model):
        raise ModelError("only a file on this machine can be confirmed")
    (result,) = lint(model, litert=litert, backend="webgpu", accelerators=accelerators, precision=precision)
    if result.error is not None:
        raise result.error
    (target,) = result.targets
    return confirmation.confirm(
        Path(model),
        target.target.litert,
        confirmation.predict(target.placement, target.findings),
        choice=device,
        install=install,
        gpu_only=accelerators == "gpu",
        dumps=reference,
        metric=metric,
        bisect=bisect,
        options=runner.Options(precision="fp32" if precision == "fp32" else "default", inputs=inputs, seed=seed),
    )


__all__ = ["ModelResult", "Settings", "Severity", "Target", "backends", "confirm", "lint", "releases"]
