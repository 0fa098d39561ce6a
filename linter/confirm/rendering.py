"""A confirmation for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .answers import Confirmation, Divergence, OutputResult, Prediction
from .compare import Difference, Parity

_FULL = "every operator on the GPU (the runtime prints no sentence then)"


def lines(confirmation: Confirmation) -> Iterator[str]:
    """The text report, line by line."""
    yield f"{confirmation.outcome.value}: {confirmation.reason}"
    yield f"  {_where(confirmation)}"
    yield from _residency(confirmation)
    yield from _rejections(confirmation)
    for text in confirmation.happened.errors:
        yield f"  error       {text.splitlines()[0]}"
    yield from _table(confirmation)
    if confirmation.gpu_alone is not None:
        word = "succeeds" if confirmation.gpu_alone else "fails"
        yield f"  GPU alone   creating the CompiledModel without the CPU {word}"
    if confirmation.divergence is not None:
        yield f"  first wrong {_divergence(confirmation.divergence)}"
    for note in confirmation.notes:
        yield f"  note        {note}"
    if confirmation.disagreements:
        yield ""
        yield "tflint predicted something else: this is a fault of tflint. Please report it with these lines:"
        yield ""
        yield from (f"    {line}" for line in bug_report(confirmation))


def bug_report(confirmation: Confirmation) -> Iterator[str]:
    """What to paste into a report: no path and no name of the model, but its operators' lines."""
    yield f"tflint predicted otherwise than the runtime, {_where(confirmation)}"
    yield f"predicted: {confirmation.predicted.verdict}; happened: {confirmation.happened.verdict}"
    yield from confirmation.disagreements
    yield from (f"runtime error: {text.splitlines()[0]}" for text in confirmation.happened.errors)


def _where(confirmation: Confirmation) -> str:
    setting = confirmation.setting
    kind = ", ".join(part for part in (setting.backend, setting.device_type) if part)
    parts = [f"LiteRT {setting.release}", f"{setting.device} ({kind})" if kind else setting.device]
    if setting.driver:
        parts.append(setting.driver)
    parts.append(setting.precision if setting.precision != "unknown" else "precision unknown")
    if setting.asked_precision == "fp32":
        parts[-1] += " (enforced)"
    parts.append("inputs from a file" if setting.seed is None else f"inputs from seed {setting.seed}")
    return ", ".join(parts)


def _residency(confirmation: Confirmation) -> Iterator[str]:
    predicted = _sentences(confirmation.predicted.lines, confirmation.predicted.verdict)
    happened = _sentences(confirmation.happened.lines, confirmation.happened.verdict)
    if predicted == happened:
        yield from (f"  residency   {line}" for line in happened)
        yield "              as predicted"
        return
    yield from (f"  predicted   {line}" for line in predicted)
    yield from (f"  happened    {line}" for line in happened)


def _sentences(found: tuple[str, ...], verdict: str) -> tuple[str, ...]:
    if found:
        return found
    return (_FULL,) if verdict == "full" else (f"no residency sentence ({verdict})",)


def _rejections(confirmation: Confirmation) -> Iterator[str]:
    """Operator by operator: the refusals of both sides, with who said what where they differ."""
    said, predicted = set(confirmation.happened.rejected), confirmation.predicted.rejected
    for op, message in sorted(said | predicted):
        both = (op, message) in said and (op, message) in predicted
        known = confirmation.predicted.verdict != "unknown"
        who = "" if both or not known else "  <- only the runtime" if (op, message) in said else "  <- only predicted"
        yield f"  refused     {op}: {message}{who}"


def _table(confirmation: Confirmation) -> Iterator[str]:
    """A line of figures for each output, and one more where it was compared with the source model's."""
    if not confirmation.outputs:
        return
    metric = confirmation.metric
    several = len({output.signature for output in confirmation.outputs}) > 1
    rows: list[tuple[str, ...]] = [("output", "max abs", "mean abs", "RMSE", "corr", "NaN/Inf", "tolerance", "")]
    for output in confirmation.outputs:
        found, parity = output.difference, output.parity
        figures = ("-",) * 6 if found is None else _figures(found)
        rows.append((_label(output, several), *figures, _remark(output) + _score(metric, output.score)))
        if parity is not None:
            word = "passes" if parity.passes else "FAILS"
            remark = f"against the reference file: {word}{_score(metric, output.parity_score)}"
            rows.append(("", *_figures(parity.difference, mean_limit=parity.limit), remark))
    widths = [max(len(row[column]) for row in rows) for column in range(7)]
    for name, *figures_, remark in rows:
        cells = [text.rjust(width) for text, width in zip(figures_, widths[1:], strict=True)]
        yield f"  {name.ljust(widths[0])}  {'  '.join(cells)}  {remark}".rstrip()


def _label(output: OutputResult, several: bool) -> str:
    """Name, type and shape; the signature's name too where the model has several."""
    name = f"{output.signature}/{output.name}" if several else output.name
    return f"{name} {output.dtype}[{','.join(str(size) for size in output.shape)}]"


def _figures(found: Difference, mean_limit: float | None = None) -> tuple[str, ...]:
    limit = f"{found.tolerance.max_abs:.2g}" if mean_limit is None else f"mean {mean_limit:.2g}"
    return (
        f"{found.max_abs:.3g}",
        f"{found.mean_abs:.3g}",
        f"{found.rmse:.3g}",
        "-" if found.correlation is None else f"{found.correlation:.6f}",
        f"{found.nan}/{found.inf}",
        limit,
    )


def _remark(output: OutputResult) -> str:
    found = output.difference
    if found is None:
        return "not compared"
    words = []
    if output.wrong:
        words.append("WRONG")
    if found.unmatched:
        words.append(f"{found.unmatched} NaN or Inf not as on the CPU")
    if found.exceeding:
        words.append(f"{found.exceeding} of {found.elements} beyond")
    if found.all_zero:
        words.append("all zero")
    if found.identical:
        words.append("bit-identical")
    if output.against != "reference kernels":
        words.append(f"against {output.against}")
    return ", ".join(words)


def _score(metric: str | None, figure: float | None) -> str:
    return "" if metric is None or figure is None else f"; {metric} {figure:.4f}"


def _divergence(found: Divergence) -> str:
    where = f"{found.subgraph}/{found.index}:{found.op}, tensor {found.tensor}"
    if found.consumers:
        names = ", ".join(f"{found.subgraph}/{index}:{op}" for index, op in found.consumers)
        where += f"; right alone, wrong together with {names}"
    elif found.difference is None:
        where += "; right alone, wrong only in the whole model"
    rule = f" [{found.rule}]" if found.rule else "; no finding explains it"
    tried = f" ({found.copies} copies run"
    return f"{where}{rule}{tried}{f', {found.unusable} of them unusable' if found.unusable else ''})"


def to_json(confirmation: Confirmation) -> dict[str, Any]:
    """The `confirm` field of the JSON report. Every figure is finite or null."""
    setting, happened = confirmation.setting, confirmation.happened
    return {
        "outcome": confirmation.outcome.value,
        "reason": confirmation.reason,
        "agrees": not confirmation.disagreements,
        "disagreements": list(confirmation.disagreements),
        "litert": setting.release,
        "device": setting.device,
        "device_type": setting.device_type,
        "driver": setting.driver,
        "backend": setting.backend,
        "precision": setting.precision,
        "asked_precision": setting.asked_precision,
        "seed": setting.seed,
        "predicted": _prediction(confirmation.predicted),
        "happened": {
            "verdict": happened.verdict,
            "lines": list(happened.lines),
            "rejected": [{"op": op, "message": message} for op, message in happened.rejected],
            "gpu_ops": happened.gpu_operators,
            "cpu_ops": happened.cpu_operators,
            "stage": happened.stage,
            "failure": happened.failure or None,
            "errors": list(happened.errors),
            "is_fully_accelerated": happened.claimed_full,
        },
        "outputs": [_output(output) for output in confirmation.outputs],
        "metric": confirmation.metric,
        "gpu_alone": confirmation.gpu_alone,
        "divergence": None if confirmation.divergence is None else _divergence_json(confirmation.divergence),
        "notes": list(confirmation.notes),
    }


def _prediction(predicted: Prediction) -> dict[str, Any]:
    return {
        "verdict": predicted.verdict,
        "lines": list(predicted.lines),
        "rejected": [{"op": op, "message": message} for op, message in sorted(predicted.rejected)],
    }


def _output(output: OutputResult) -> dict[str, Any]:
    return {
        "signature": output.signature,
        "name": output.name,
        "shape": list(output.shape),
        "dtype": output.dtype,
        "against": output.against,
        "wrong": output.wrong,
        "reference_doubtful": output.reference_doubtful,
        "difference": None if output.difference is None else _difference(output.difference),
        "score": output.score,
        "parity": None if output.parity is None else _parity(output.parity, output.parity_score),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "elements": found.elements,
        "max_abs": found.max_abs,
        "mean_abs": found.mean_abs,
        "rmse": found.rmse,
        "correlation": found.correlation,
        "scale": found.scale,
        "nan": found.nan,
        "inf": found.inf,
        "reference_nan": found.reference_nan,
        "reference_inf": found.reference_inf,
        "unmatched": found.unmatched,
        "exceeding": found.exceeding,
        "all_zero": found.all_zero,
        "identical": found.identical,
        "tolerance": {"max_abs": found.tolerance.max_abs, "rmse": found.tolerance.rmse},
    }


def _parity(parity: Parity, score: float | None) -> dict[str, Any]:
    return {
        "passes": parity.passes,
        "mean_abs_limit": parity.limit,
        "far": parity.far,
        "difference": _difference(parity.difference),
        "score": score,
    }


def _divergence_json(found: Divergence) -> dict[str, Any]:
    return {
        "signature": found.signature,
        "place": {"subgraph": found.subgraph, "index": found.index, "op": found.op, "tensors": [found.tensor]},
        "consumers": [{"index": index, "op": op} for index, op in found.consumers],
        "difference": None if found.difference is None else _difference(found.difference),
        "rule": found.rule,
        "copies": found.copies,
        "unusable": found.unusable,
    }
