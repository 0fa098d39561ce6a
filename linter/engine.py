"""Runs the checks it is handed over one model and all targets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .case import Case
from .delegate.partition import FixOrders
from .delegate.placement import Placement, Placer
from .errors import ModelError
from .findings import Finding, Kind, Rule
from .flatbuffer import Bytes
from .model import Model
from .operands import complete
from .reader import read
from .results import Fix, ModelResult, TargetResult
from .settings import Settings
from .source import opened
from .targets import Target
from .url import Location, name_of

if TYPE_CHECKING:
    from .facts import ModelFacts

Check = Callable[[Case], Iterator[Finding]]

OF_THE_FILE = frozenset({Kind.LOAD, Kind.REJECTED, Kind.PLACEMENT})
"""Kinds of rules that judge any file. The others are about what a model computes, and so about one that can."""


class Registered(NamedTuple):
    """A rule and the check that finds it."""

    rule: Rule
    check: Check


def lint_path(
    path: Location,
    targets: Sequence[Target],
    checks: Sequence[Registered],
    settings: Settings | None = None,
    *,
    facts: bool = False,
    sha256: bool = False,
) -> Iterator[ModelResult]:
    """Judge a file: one result, or one for each model of a bundle. What cannot be read is a result with an error,
    not an exception. A remote file has no digest: it would have to be fetched whole."""
    digest = None
    shown = name_of(path)
    try:
        with opened(path) as data:
            if sha256 and isinstance(path, Path):
                digest = _sha256(data)
            for name, inner in _models(path, data):
                yield _judged(inner, f"{shown}{name}", targets, checks, settings, facts, digest)
    except ModelError as error:
        yield ModelResult(shown, _size(path), None, error, ())
    except OSError as error:
        yield ModelResult(shown, _size(path), None, ModelError(f"cannot be read: {error.strerror}"), ())
    except Exception as error:
        # A fault of the linter's own. It costs this file, loudly, and not the report on the others.
        yield ModelResult(shown, _size(path), None, ModelError(_own_fault(error)), ())


def lint_file(
    path: Location,
    targets: Sequence[Target],
    checks: Sequence[Registered],
    settings: Settings | None = None,
    *,
    facts: bool = False,
    sha256: bool = False,
) -> tuple[ModelResult, ...]:
    """`lint_path`, all at once: what a worker process sends back."""
    return tuple(lint_path(path, targets, checks, settings, facts=facts, sha256=sha256))


def _models(path: Location, data: Bytes) -> Iterator[tuple[str, Bytes]]:
    """The models of a file, by what follows the file's name."""
    # A zip that calls itself a model is no bundle: the runtime would not load it.
    if path.suffix != ".tflite":
        from .bundles import is_bundle, models  # with zipfile, which a plain model does not need

        if is_bundle(data[:8]):
            for inner in models(data):
                yield f"/{inner.name}", inner.data
            return
    yield "", data


def _judged(
    data: Bytes,
    name: str,
    targets: Sequence[Target],
    checks: Sequence[Registered],
    settings: Settings | None,
    facts: bool,
    digest: str | None,
) -> ModelResult:
    try:
        model = read(data, name)
        return ModelResult(
            path=name,
            size=model.size,
            sha256=digest,
            error=None,
            targets=tuple(lint_model(model, targets, checks, settings, fixes=facts)),
            facts=_facts(model) if facts else None,
        )
    except ModelError as error:
        return ModelResult(name, len(data), None, error, ())


def _own_fault(error: Exception) -> str:
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"fault of tflint itself ({type(error).__name__}: {error}, {where}): please report it with this model"


def _size(path: Location) -> int:
    try:
        return path.stat().st_size if isinstance(path, Path) else 0
    except OSError:
        return 0


def lint_bytes(
    data: bytes,
    targets: Sequence[Target],
    checks: Sequence[Registered],
    settings: Settings | None = None,
    *,
    name: str = "<bytes>",
    facts: bool = False,
) -> ModelResult:
    """Judge a model in memory; like a file otherwise."""
    return _judged(data, name, targets, checks, settings, facts=facts, digest=None)


def lint_model(
    model: Model,
    targets: Iterable[Target],
    checks: Sequence[Registered],
    settings: Settings | None = None,
    *,
    fixes: bool = False,
) -> Iterator[TargetResult]:
    """Judge one model on every target. Findings come in model order; `fixes` asks for what to rewrite first. Where an
    operator lacks what its kernel needs, the runtime refuses the model, which a finding says, and what it would compute
    is not judged."""
    settings = Settings() if settings is None else settings
    if not complete(model):
        checks = [entry for entry in checks if entry.rule.kind in OF_THE_FILE]
    placer = Placer(model)
    placements: dict[str, Placement] = {}
    orders = FixOrders(model)
    shared: dict[Hashable, Any] = {FixOrders: orders}  # checks derive it as well
    earlier: dict[str, list[tuple[Case, tuple[Finding, ...]]]] = {}
    for target in targets:
        placement = placements.get(target.litert)
        if placement is None:
            placement = placements[target.litert] = placer.place(target.litert)
        findings: list[Finding] = []
        for rule, check in checks:
            known = earlier.setdefault(rule.id, [])
            found = next((found for case, found in known if case.answers_for(target, placement)), None)
            if found is None:
                case = Case(model, target, placement, settings, shared)
                found = tuple(check(case))
                known.append((case, found))
            findings += found
        in_order = tuple(sorted(findings, key=lambda finding: finding.order))
        first = _fixes(placement, orders) if fixes else ()
        yield TargetResult(target, placement, in_order, fixes=first)


def _fixes(placement: Placement, orders: FixOrders) -> tuple[Fix, ...]:
    """What to rewrite first."""
    return tuple(
        Fix(subgraph, step.operators, step.gpu)
        for subgraph, operators in placement.to_fix().items()
        for step in orders.of(subgraph, operators)
    )


def _facts(model: Model) -> ModelFacts:
    from .facts import gather  # which few reports ask for

    return gather(model)


def _sha256(data: Bytes) -> str:
    import hashlib

    digest = hashlib.sha256()
    for start in range(0, len(data), 1 << 20):
        digest.update(data[start : start + (1 << 20)])
    return digest.hexdigest()
