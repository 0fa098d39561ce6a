"""What `tflint compare` says: two versions of a model side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..linter.comparison import Comparison, Residency, Trend
from ..linter.delegate.placement import Placement, Verdict
from ..linter.results import ModelResult
from .json import SCHEMA, finding_object
from .markdown import _code, _text
from .merged import Merged, held_on, merge, spans
from .printing import place_words, printable
from .text import _Paint

_WORDS = {
    Verdict.FULL: "all on the GPU",
    Verdict.PARTIAL: "{gpu} of {all} on the GPU",
    Verdict.NONE: "none on the GPU",
    Verdict.FAILS: "creation fails",
    Verdict.UNLOADABLE: "does not run at all",
    Verdict.UNKNOWN: "unknown",
}
_STYLES = {Trend.BETTER: "good", Trend.WORSE: "error", Trend.SAME: "dim", Trend.UNKNOWN: "warning"}
_MARKS = {Trend.BETTER: "✅ better", Trend.WORSE: "❌ worse", Trend.SAME: "same", Trend.UNKNOWN: "❔ unknown"}


def render(form: str, comparisons: Sequence[Comparison], version: str, colour: bool = False) -> str:
    """All comparisons of a run, as text, json or markdown."""
    if form == "json":
        return _json(comparisons, version)
    if form == "markdown":
        lines = [line for comparison in comparisons for line in _markdown(comparison)]
        return "\n".join([*lines, f"<sub>tflint {version}</sub>", ""])
    return "".join(f"{line}\n" for comparison in comparisons for line in _lines(comparison, _Paint(colour)))


def _lines(comparison: Comparison, paint: _Paint) -> Iterator[str]:
    old, new = comparison.old, comparison.new
    yield paint(f"{printable(old.path)} -> {printable(new.path)}", "bold")
    yield f"  size: {_change(_size(old.size), _size(new.size))}{_percent(old.size, new.size)}"
    before, after = (sum(counts) for counts in zip(*((ops.old, ops.new) for ops in comparison.operators), strict=True))
    yield f"  operators: {_change(str(before), str(after))}"
    for count in comparison.operators:
        if count.old != count.new:
            yield f"    {printable(count.op)}: {count.old} -> {count.new}"
    for residency, versions in _grouped(comparison.residencies):
        trend = residency.trend
        words = _change(_placed(residency.old), _placed(residency.new))
        yield f"  {paint(spans(versions), 'bold')}: {paint(trend.value, _STYLES[trend])}: {words}"
    for title, style, result in (("fixed", "good", comparison.fixed), ("new", "error", comparison.introduced)):
        entries = merge(result)
        if entries:
            yield ""
        for entry in entries:
            yield from _finding(entry, result, paint, paint(title, style))
            if title == "new":
                yield f"    {paint('help:', 'dim')} {printable(entry.finding.advice)}"
    yield ""
    yield paint(_closing(comparison), "good" if comparison.worst is None else comparison.worst.value)
    yield ""


def _finding(entry: Merged, result: ModelResult, paint: _Paint, title: str) -> Iterator[str]:
    finding = entry.finding
    where = f"{place_words(finding)}: " if finding.place else ""
    yield (
        f"  {title} {paint(where, 'bold')}{paint(finding.severity.value, finding.severity.value)}"
        f"{paint(f'[{finding.rule}]', 'dim')} {printable(finding.message)}"
    )
    if finding.place is not None and finding.place.tensors:
        yield f"    {paint('tensors:', 'dim')} {', '.join(printable(tensor) for tensor in finding.place.tensors)}"
    if on := held_on(entry, result):
        yield f"    {paint('on:', 'dim')} {on}"


def _closing(comparison: Comparison) -> str:
    fixed, introduced, kept = (
        len(merge(result)) for result in (comparison.fixed, comparison.introduced, comparison.kept)
    )
    verdict = "no worse" if comparison.worst is None else f"worse ({comparison.worst.value})"
    return f"{fixed} fixed, {introduced} new, {kept} in both: the new version is {verdict}."


def _grouped(residencies: Sequence[Residency]) -> list[tuple[Residency, list[str]]]:
    """Neighbouring releases that say the same are one line."""
    groups: list[tuple[Residency, list[str]]] = []
    for residency in residencies:
        words = _placed(residency.old), _placed(residency.new)
        if groups and words == (_placed(groups[-1][0].old), _placed(groups[-1][0].new)):
            groups[-1][1].append(residency.old.litert)
        else:
            groups.append((residency, [residency.old.litert]))
    return groups


def _placed(placement: Placement) -> str:
    return _WORDS[placement.verdict].format(gpu=placement.gpu_ops, all=len(placement.ops))


def _change(old: str, new: str) -> str:
    return old if old == new else f"{old} -> {new}"


def _size(size: int) -> str:
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def _percent(old: int, new: int) -> str:
    return f" ({100 * (new - old) / old:+.0f}%)" if old != new else ""


def _markdown(comparison: Comparison) -> Iterator[str]:
    old, new = comparison.old, comparison.new
    yield f"### {_code(old.path)} → {_code(new.path)}"
    yield ""
    yield f"Size {_change(_size(old.size), _size(new.size))}{_percent(old.size, new.size)}. {_closing(comparison)}"
    yield ""
    yield "| LiteRT | | old | new |"
    yield "|---|---|---|---|"
    for residency, versions in _grouped(comparison.residencies):
        placed = f"{_placed(residency.old)} | {_placed(residency.new)}"
        yield f"| {spans(versions)} | {_MARKS[residency.trend]} | {placed} |"
    changed = [count for count in comparison.operators if count.old != count.new]
    if changed:
        yield ""
        yield "| operator | old | new |"
        yield "|---|---:|---:|"
        for count in changed:
            yield f"| {_text(count.op)} | {count.old} | {count.new} |"
    for title, result in (("Fixed", comparison.fixed), ("New", comparison.introduced)):
        entries = merge(result)
        if entries:
            yield ""
            yield f"**{title}**"
            yield ""
        for entry in entries:
            finding = entry.finding
            where = f" at {_code(place_words(finding))}" if finding.place else ""
            on = held_on(entry, result)
            advice = f" Fix: {_text(finding.advice)}" if title == "New" else ""
            yield (
                f"- {finding.severity.value} **{finding.rule}**{where}: {_text(finding.message.rstrip('. '))}"
                f"{f' ({on})' if on else ''}.{advice}"
            )
    yield ""


def _json(comparisons: Sequence[Comparison], version: str) -> str:
    document = {
        "schema": SCHEMA,
        "tool": {"name": "tflint", "version": version},
        "comparisons": [_object(comparison) for comparison in comparisons],
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _object(comparison: Comparison) -> dict[str, Any]:
    targets = zip(
        comparison.old.targets,
        comparison.new.targets,
        comparison.fixed.targets,
        comparison.introduced.targets,
        comparison.kept.targets,
        strict=True,
    )
    return {
        "old": {"path": comparison.old.path, "size": comparison.old.size},
        "new": {"path": comparison.new.path, "size": comparison.new.size},
        "worst": None if comparison.worst is None else comparison.worst.value,
        "ops": [{"op": count.op, "old": count.old, "new": count.new} for count in comparison.operators],
        "targets": [
            {
                "litert": old.target.litert,
                "backend": old.target.backend,
                "residency": Residency(old.placement, new.placement).trend.value,
                "old": _placement(old.placement),
                "new": _placement(new.placement),
                "fixed": [finding_object(finding) for finding in fixed.findings],
                "introduced": [finding_object(finding) for finding in introduced.findings],
                "kept": [finding_object(finding) for finding in kept.findings],
            }
            for old, new, fixed, introduced, kept in targets
        ],
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return {"verdict": placement.verdict.value, "gpu_ops": placement.gpu_ops, "cpu_ops": placement.cpu_ops}
