"""Confirm a prediction: run the model on the release and set what happened beside what was said.

The residency comes from the delegate's own log, the numbers from both routes on the same inputs. "Confirmed" is
said only when something ran on the GPU, every output agrees, and the agreement is not suspicious (bit-identical
to the CPU where the GPU computes in fp16).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from .. import reader
from ..delegate.placement import Placement
from ..findings import Finding, Kind
from . import compare, device, environment, judgement, outputs, precision, runner
from .answers import Confirmation, Divergence, Happened, Outcome, OutputResult, Prediction, Setting, Suspect
from .compare import Metric
from .divergence import first_divergence
from .route import NoValues, Route
from .traits import Traits, traits
from .truncate import CannotTruncate

# What the CPU's log says when it cannot prepare a model, whatever the values of its inputs.
_UNLOADABLE = (
    "AllocateTensors() called on inconsistent model",
    "Encountered unresolved custom op",
    "Select TensorFlow op(s)",
    "failed to prepare",
)


def predict(placement: Placement, findings: Iterable[Finding] = ()) -> Prediction:
    """The prediction in the terms of this module. Findings of wrong numbers become suspects."""
    suspects = (
        Suspect(
            finding.rule,
            finding.place.subgraph if finding.place else None,
            finding.place.index if finding.place else None,
            finding.place.op if finding.place else None,
        )
        for finding in findings
        if finding.kind in (Kind.MISCOMPUTE, Kind.PRECISION)
    )
    return Prediction(
        verdict=placement.verdict.value,
        lines=tuple(graph.sentence for graph in placement.subgraphs if graph.sentence),
        rejected=frozenset((placed.op, why.message) for placed, why in placement.refused()),
        operators=len(placement.ops),
        suspects=tuple(suspects),
    )


def confirm(
    model: Path | bytes,
    release: str,
    predicted: Prediction,
    *,
    choice: device.Choice = "auto",
    install: bool = False,
    gpu_only: bool = False,
    dumps: Path | None = None,
    metric: Metric | None = None,
    bisect: bool = False,
    options: runner.Options | None = None,
) -> Confirmation:
    """Run a model, a file or its bytes, on `release` and compare.

    `options` gives the precision, the inputs (a seed, ranges, or a file) and the time limit; its accelerators and
    outputs are chosen here. The ranges of indices are read off the graph, by `signature/input` where there are
    signatures. `dumps` names an .npz with the source model's outputs. With `gpu_only` creation without the CPU is tried
    as well. With `bisect` a wrong output is traced to its operator.

    Raises ModelError (a damaged file could kill the runtime from 2.2.0 on), NoEnvironment, NoDevice, CannotConfirm.
    """
    # Reading is verifying.
    if isinstance(model, bytes):
        has = traits(reader.read(model))
    else:
        with reader.read_file(model) as read:
            has = traits(read)
    given = options or runner.Options()
    given = replace(given, ranges={**has.ranges, **given.ranges})
    expected = outputs.load(dumps)
    python = environment.find(release, install=install).python
    chosen = device.find(choice)
    with runner.Worker(python, device=chosen) as worker:
        route = Route(model, worker, chosen, given)
        return _answer(route, predicted, has, expected, gpu_only=gpu_only, metric=metric, bisect=bisect)


def _answer(
    route: Route,
    predicted: Prediction,
    has: Traits,
    expected: Mapping[str, compare.Array],
    *,
    gpu_only: bool,
    metric: Metric | None,
    bisect: bool,
) -> Confirmation:
    unfed: tuple[str, ...] = ()
    try:
        run = route.run("gpu,cpu", reference=True)
    except NoValues as error:
        unfed = (f"{error}, so nothing was run",)
        run = route.run("gpu,cpu", outputs=False)
    used = precision.used(route.worker, route.options.precision)
    happened = _happened(route, run, predicted)
    rounding: compare.Rounding = "quantized" if has.quantized else "fp32" if used == "fp32" else "fp16"
    results, notes = outputs.compared(route, run, has, expected, metric, rounding)
    contradictions = judgement.disagreements(predicted, happened)
    outcome, reason = judgement.judge(predicted, happened, results, contradictions, used)
    divergence = None
    if bisect and outcome is Outcome.WRONG:
        divergence, note = _bisect(route, run, results, predicted.suspects, rounding)
        notes += (note,) if note else ()
    gpu_alone = None
    if gpu_only and not happened.failure:
        gpu_alone = route.run("gpu", outputs=False).created
    return Confirmation(
        outcome=outcome,
        reason=reason,
        disagreements=contradictions,
        setting=_setting(route, run, used),
        predicted=predicted,
        happened=happened,
        outputs=results,
        metric=metric,
        gpu_alone=gpu_alone,
        divergence=divergence,
        notes=(*unfed, *notes, *judgement.notes(run, predicted, has, results, used)),
    )


def _setting(route: Route, run: runner.Run, used: precision.Used) -> Setting:
    adapter = run.adapter
    return Setting(
        release=run.release,
        device=adapter.name if adapter else route.device.name,
        driver=route.device.driver,
        backend=adapter.backend if adapter else "",
        device_type=adapter.type if adapter else route.device.type,
        precision=used,
        asked_precision=route.options.precision,
        seed=None if route.options.inputs else route.options.seed,
    )


def _happened(route: Route, run: runner.Run, predicted: Prediction) -> Happened:
    cpu = sum(report.cpu for report in run.reports)
    gpu = max(predicted.operators - cpu, sum(report.gpu for report in run.reports))
    residency = "full" if not run.reports else "partial" if gpu else "none"
    failure = _failure(run)
    allowed = [residency]
    if failure:
        words = {True: ["fails"], False: ["unloadable"], None: ["fails", "unloadable"]}[_cpu_works(route)]
        # A first run that raises or takes long leaves the residency true as well.
        kept = run.created and run.exit.kind in ("exception", "timeout")
        allowed = [*words, residency] if kept else words
    return Happened(
        verdicts=tuple(allowed),
        lines=tuple(report.line for report in run.reports),
        rejected=tuple(dict.fromkeys((line.op, line.message) for report in run.reports for line in report.rejected)),
        gpu_operators=gpu,
        cpu_operators=cpu,
        kernels=run.kernels,
        stage=run.exit.stage,
        failure=failure,
        errors=_errors(run),
        claimed_full=run.claimed_full,
    )


def _cpu_works(route: Route) -> bool | None:
    """Whether the CPU alone can load the model and prepare its operators; None where the values of the inputs may be
    what stops it (a shape that is an input, an output whose buffer is not known before)."""
    try:
        alone = route.run("cpu")
    except NoValues:
        return None if route.run("cpu", outputs=False).created else False
    if alone.exit.kind == "ok":
        return True
    if (
        not alone.created
        or alone.exit.kind == "signal"
        or any(mark in line.text for line in alone.errors for mark in _UNLOADABLE)
    ):
        return False
    return None


def _failure(run: runner.Run) -> str:
    """How creation or the run failed, in a clause; "" where the compiled model gave its outputs."""
    if run.exit.kind == "ok" or run.exit.stage == "reference":
        return ""
    what = {"create": "creating the CompiledModel", "run": "running it"}.get(run.exit.stage, run.exit.stage)
    if run.exit.kind == "signal":
        return f"{what} kills the process ({run.exit.text})"
    if run.exit.kind == "timeout":
        return f"{what} does not end within the time limit"
    return f"{what} fails"


def _errors(run: runner.Run) -> tuple[str, ...]:
    lines = [f"kernel creation: {text}" for text in run.kernel_errors]
    lines += run.topk
    lines += [line.text for line in run.errors if line.severity != "plain"]
    if run.exit.kind == "exception":
        lines.append(run.exit.text)
    return tuple(dict.fromkeys(lines))


def _bisect(
    route: Route,
    run: runner.Run,
    results: tuple[OutputResult, ...],
    suspects: tuple[Suspect, ...],
    rounding: compare.Rounding,
) -> tuple[Divergence | None, str]:
    if run.reports:
        return None, "the first wrong operator is looked for only when every operator runs on the GPU"
    wrong = [(output.signature, output.name) for output in results if output.wrong]
    if not wrong:
        return None, ""
    try:
        data = route.model if isinstance(route.model, bytes) else route.model.read_bytes()
        found = first_divergence(data, route.worker, route.options, wrong, suspects, rounding)
    except CannotTruncate as error:
        return None, f"the first wrong operator cannot be looked for: {error}"
    return found, ""
