"""For the tests of people who convert models in Python: `assert_gpu_ready` says in its failure what a report would."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import __version__, api
from .linter.delegate.placement import Verdict
from .linter.findings import Severity
from .linter.results import ModelResult
from .linter.settings import Settings


def assert_gpu_ready(
    model: str | Path | bytes,
    *,
    litert: str | Iterable[str] = "latest",
    backend: str | Iterable[str] = "all",
    accelerators: str = "gpu",
    precision: str = "fp16",
    fail_on: str = "error",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    settings: Settings | None = None,
) -> None:
    """Fail unless LiteRT's GPU takes the model on every release and backend named, with right results.

    `model` is a path, or the bytes that a converter returned. What fails is a finding of severity `fail_on` (``error``,
    ``warning``, ``info``) or graver, a model that cannot be read, and a placement that cannot be told from the file.
    The other arguments are those of `tflint.lint`. AssertionError lists the findings; ValueError names an unknown word.
    """
    __tracebackhide__ = True  # pytest then points at the caller's line
    limit = Severity(fail_on).weight
    results = api.lint(
        model,
        litert=litert,
        backend=backend,
        accelerators=accelerators,
        precision=precision,
        select=select,
        ignore=ignore,
        settings=settings,
    )
    failed = [grave for result in results if not _ready(grave := _at_least(limit, result))]
    if failed:
        raise AssertionError(_text(failed))


def _at_least(limit: int, result: ModelResult) -> ModelResult:
    """The result without the findings that are less grave."""
    targets = [
        target._replace(findings=tuple(found for found in target.findings if found.severity.weight >= limit))
        for target in result.targets
    ]
    return result._replace(targets=tuple(targets))


def _ready(result: ModelResult) -> bool:
    untold = any(target.placement.verdict is Verdict.UNKNOWN for target in result.targets)
    return result.error is None and not result.findings and not untold


def _text(failed: list[ModelResult]) -> str:
    from .reports.page import Page
    from .reports.text import render

    return f"not ready for LiteRT's GPU\n\n{render(Page(tuple(failed), __version__))}"


__all__ = ["assert_gpu_ready"]
