"""Confirm a prediction: run the model on the release and set what happened beside what was said.

The residency comes from the delegate's own log, the numbers from both routes on the same inputs. "Confirmed" is
said only when something ran on the GPU, every output agrees, and the agreement is not suspicious (bit-identical
to the CPU where the GPU computes in fp16).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from .. import reader
from ..delegate.placement import Placement
from ..findings import Finding, Kind
from . import compare, device, environment, precision, runner
from .compare import Difference, Metric, Parity
from .traits import Traits, traits

if TYPE_CHECKING:
    from .divergence import Divergence


# What the CPU's log says when it cannot prepare a model, whatever the values of its inputs.
_UNLOADABLE = (
    "AllocateTensors() called on inconsistent model",
    "Encountered unresolved custom op",
    "Select TensorFlow op(s)",
    "failed to prepare",
)


class Outcome(str, Enum):
    """CONFIRMED: ran on the GPU as predicted, and every output agrees. UNCONFIRMED: ran, but nothing is proven by
    it. WRONG: an output differs beyond its tolerance. FAILED: creating or running it failed, or killed or hung the
    process. MISPREDICTED: the runtime did something else than predicted."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    WRONG = "wrong"
    FAILED = "failed"
    MISPREDICTED = "mispredicted"


class _NoInputs(Exception):
    """No values can be made for an input."""


class CannotConfirm(Exception):
    """The question could not be put to the runtime: bad inputs, or a runtime that does not start. One line."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding that explains wrong numbers: its rule, and the operator it points at (None: the whole model)."""

    rule: str
    subgraph: int | None
    index: int | None
    op: str | None


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the linter says of one model on one release.

    `verdict` is that of the placement (full, partial, none, fails, unloadable, unknown). `lines` are the residency
    sentences, one for each subgraph that prints one, in order; `rejected` the (operator, message) lines;
    `operators` the number of operators placed, over all subgraphs that the delegate is offered.
    """

    verdict: str
    lines: tuple[str, ...]
    rejected: frozenset[tuple[str, str]]
    operators: int
    suspects: tuple[Suspect, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """What the runtime did, in the prediction's terms.

    `verdicts` are the words that are true of it, the most telling first: more than one where creation succeeds and the
    first run does not, or where it is open whether the CPU alone could run the model. `failure` says how creation or
    the run failed, "" where they did not; `stage` is how far the process came.
    """

    verdicts: tuple[str, ...]
    lines: tuple[str, ...]
    rejected: tuple[tuple[str, str], ...]
    gpu_operators: int
    cpu_operators: int
    kernels: int
    """Graphs handed to the GPU."""
    stage: str
    failure: str
    errors: tuple[str, ...]
    claimed_full: bool | None

    @property
    def verdict(self) -> str:
        return self.verdicts[0]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how it ran: stated beside every number."""

    release: str
    device: str
    driver: str
    backend: str
    device_type: str
    precision: str
    """What the GPU computed in: fp16, fp32 or unknown."""
    asked_precision: str
    """What was asked for: default, or fp32."""
    seed: int | None
    """None where the inputs came from a file."""


@dataclass(frozen=True, slots=True)
class OutputResult:
    """One output of one signature. Fields are None where they do not apply.

    `against` names the reference: the interpreter's reference kernels, or XNNPACK where these were too slow.
    `reference_doubtful`: the GPU agrees with XNNPACK and both differ from the reference kernels.
    """

    signature: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    difference: Difference | None
    against: str
    reference_doubtful: bool = False
    parity: Parity | None = None
    score: float | None = None
    parity_score: float | None = None

    @property
    def wrong(self) -> bool:
        return self.difference is not None and not self.difference.within and not self.reference_doubtful


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The answer for one model on one release."""

    outcome: Outcome
    reason: str
    """Why, in a clause."""
    disagreements: tuple[str, ...]
    """Where the runtime contradicts the prediction: faults of tflint."""
    setting: Setting
    predicted: Prediction
    happened: Happened
    outputs: tuple[OutputResult, ...]
    metric: Metric | None = None
    gpu_alone: bool | None = None
    """Whether creation succeeds without the CPU in the accelerator set; None where not tried."""
    divergence: Divergence | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Route:
    """How this model is run: the same for every question about it."""

    model: Path | bytes
    worker: runner.Worker
    device: device.Device
    options: runner.Options

    def run(self, accelerators: runner.Accelerators, *, outputs: bool = True, reference: bool = False) -> runner.Run:
        options = replace(self.options, accelerators=accelerators, outputs=outputs, reference=reference)
        found = self.worker.run(self.model, options)
        if found.exit.kind == "broken":
            raise CannotConfirm(f"the runtime of LiteRT {found.release} does not start: {found.exit.text}")
        if found.exit.kind == "refused":
            raise (_NoInputs if "no values can be made" in found.exit.text else CannotConfirm)(found.exit.text)
        if found.no_adapter:
            raise device.NoDevice(f"LiteRT {found.release} finds no usable adapter on {self.device}")
        return found


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
    signatures. `dumps` names an .npz with the source model's outputs. With `gpu_only`
    creation without the CPU is tried as well. With `bisect` a wrong output is traced to its operator.

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
    expected = _load(dumps)
    python = environment.find(release, install=install).python
    chosen = device.find(choice)
    with runner.Worker(python, device=chosen) as worker:
        route = _Route(model, worker, chosen, given)
        return _answer(route, predicted, has, expected, gpu_only=gpu_only, metric=metric, bisect=bisect)


def _answer(
    route: _Route,
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
    except _NoInputs as error:
        unfed = (f"{error}, so nothing was run",)
        run = route.run("gpu,cpu", outputs=False)
    used = precision.used(route.worker, route.options.precision)
    happened = _happened(route, run, predicted)
    rounding: compare.Rounding = "quantized" if has.quantized else "fp32" if used == "fp32" else "fp16"
    outputs, notes = _outputs(route, run, has, expected, metric, rounding)
    disagreements = _disagreements(predicted, happened)
    outcome, reason = _judge(happened, outputs, disagreements, used)
    divergence = None
    if bisect and outcome is Outcome.WRONG:
        divergence, note = _bisect(route, run, outputs, predicted.suspects, rounding)
        notes += (note,) if note else ()
    gpu_alone = None
    if gpu_only and not happened.failure:
        gpu_alone = route.run("gpu", outputs=False).created
    return Confirmation(
        outcome=outcome,
        reason=reason,
        disagreements=disagreements,
        setting=_setting(route, run, used),
        predicted=predicted,
        happened=happened,
        outputs=outputs,
        metric=metric,
        gpu_alone=gpu_alone,
        divergence=divergence,
        notes=(*unfed, *notes, *_notes(run, predicted, has, outputs, used)),
    )


def _setting(route: _Route, run: runner.Run, used: precision.Used) -> Setting:
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


def _happened(route: _Route, run: runner.Run, predicted: Prediction) -> Happened:
    cpu = sum(report.cpu for report in run.reports)
    gpu = max(predicted.operators - cpu, sum(report.gpu for report in run.reports))
    failure = _failure(run)
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


def _cpu_works(route: _Route) -> bool | None:
    """Whether the CPU alone can load the model and prepare its operators; None where the values of the inputs may be
    what stops it (a shape that is an input, an output whose buffer is not known before)."""
    alone = route.run("cpu")
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


def _outputs(
    route: _Route,
    run: runner.Run,
    has: Traits,
    expected: Mapping[str, compare.Array],
    metric: Metric | None,
    rounding: compare.Rounding,
) -> tuple[tuple[OutputResult, ...], tuple[str, ...]]:
    """Each output's comparison, and what is to be said about how it was made."""
    if not any(output.compiled is not None for output in run.outputs):
        return (), ()
    notes = _limits_notes(run, has)
    run = replace(
        run, outputs=tuple(output for output in run.outputs if not has.is_unwritten(output.signature, output.name))
    )
    against = "reference kernels"
    references = {(output.signature, output.name): output.reference for output in run.outputs}
    if run.exit.kind != "ok":
        against = "XNNPACK"
        how = {"timeout": "took too long", "signal": "died"}.get(run.exit.kind, "failed")
        notes.append(f"the reference kernels {how}; compared with XNNPACK instead")
        references = _xnnpack(route)
    results = [
        _result(output, references[output.signature, output.name], against, metric, rounding) for output in run.outputs
    ]
    if against != "XNNPACK" and any(result.wrong for result in results):
        # A fault of the GPU is one that both CPU routes contradict.
        second = _xnnpack(route)
        for position, output in enumerate(run.outputs):
            other = second.get((output.signature, output.name))
            result = results[position]
            if not result.wrong or other is None or output.compiled is None:
                continue
            limits = compare.tolerance(other, rounding)
            if compare.difference(output.compiled, other, limits).within:
                results[position] = replace(result, reference_doubtful=True)
                notes.append(
                    f"output {output.name}: the GPU agrees with XNNPACK, the reference kernels differ from both"
                )
    if expected:
        results, unmatched = _against_dumps(run, results, expected, metric, rounding)
        notes += unmatched
    return tuple(results), tuple(notes)


def _limits_notes(run: runner.Run, has: Traits) -> list[str]:
    notes = [
        f"output {output.name} is an input too, and the runtime never writes it; it is left out"
        for output in run.outputs
        if has.is_unwritten(output.signature, output.name)
    ]
    if has.quantized:
        notes.append("the model is quantized, where GPU and CPU round differently; the tolerances are wider")
    return notes


def _xnnpack(route: _Route) -> dict[tuple[str, str], compare.Array | None]:
    alone = route.run("cpu")
    return {(output.signature, output.name): output.compiled for output in alone.outputs}


def _result(
    output: runner.Output,
    reference: compare.Array | None,
    against: str,
    metric: Metric | None,
    rounding: compare.Rounding,
) -> OutputResult:
    array = output.compiled
    found = None
    score = None
    if array is not None and reference is not None and array.shape == reference.shape:
        found = compare.difference(array, reference, compare.tolerance(reference, rounding))
        score = compare.score(metric, array, reference) if metric else None
    return OutputResult(
        signature=output.signature,
        name=output.name,
        shape=() if array is None else array.shape,
        dtype="" if array is None else array.dtype.name,
        difference=found,
        against=against,
        score=score,
    )


def _load(dumps: Path | None) -> dict[str, compare.Array]:
    if dumps is None:
        return {}
    import numpy

    try:
        with numpy.load(dumps, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, AttributeError) as error:
        raise CannotConfirm(f"{dumps}: not a readable .npz file ({error})") from error


def _against_dumps(
    run: runner.Run,
    results: list[OutputResult],
    expected: Mapping[str, compare.Array],
    metric: Metric | None,
    rounding: compare.Rounding,
) -> tuple[list[OutputResult], list[str]]:
    """The comparison with the source model's outputs: by name (`signature/name` or `name`), or, for a file with as many
    unnamed arrays (arr_0, arr_1, …) as there are outputs, by position."""
    notes = []
    by_position = len(expected) == len(results) and all(f"arr_{i}" in expected for i in range(len(results)))
    for position, (output, result) in enumerate(zip(run.outputs, results, strict=True)):
        names = (f"{output.signature}/{output.name}", output.name, *((f"arr_{position}",) if by_position else ()))
        dump = next((expected[name] for name in names if name in expected), None)
        if dump is None:
            notes.append(f"output {output.name}: not in the reference file, which has {', '.join(sorted(expected))}")
            continue
        array = output.compiled
        if array is None:
            continue
        if dump.shape != array.shape:
            notes.append(f"output {output.name}: shape {array.shape}, the reference file has {dump.shape}")
            continue
        results[position] = replace(
            result,
            parity=compare.parity(array, dump, rounding),
            parity_score=compare.score(metric, array, dump) if metric else None,
        )
    return results, notes


def _disagreements(predicted: Prediction, happened: Happened) -> tuple[str, ...]:
    """Where the runtime contradicts the prediction, in sentences. Nothing can contradict `unknown`."""
    if predicted.verdict == "unknown":
        return ()
    found = []
    if predicted.verdict not in happened.verdicts:
        how = f" ({happened.failure})" if happened.failure else ""
        found.append(f"verdict {predicted.verdict} was predicted, the runtime: {happened.verdict}{how}")
    lines, wanted = Counter(happened.lines), Counter(predicted.lines)
    said = set(happened.rejected)
    found += [f"not predicted: {line}" for line in (lines - wanted).elements()]
    found += [
        f"not predicted: {op}: {message}"
        for op, message in happened.rejected
        if (op, message) not in predicted.rejected
    ]
    if happened.failure:
        # What comes after the failure is not reported.
        return tuple(found)
    found += [f"did not happen: {line}" for line in (wanted - lines).elements()]
    found += [f"did not happen: {op}: {message}" for op, message in sorted(predicted.rejected - said)]
    return tuple(found)


def _judge(
    happened: Happened, outputs: tuple[OutputResult, ...], disagreements: tuple[str, ...], used: precision.Used
) -> tuple[Outcome, str]:
    if disagreements:
        return Outcome.MISPREDICTED, disagreements[0]
    if happened.failure:
        return Outcome.FAILED, f"{happened.failure}, as predicted"
    wrong = [output.name for output in outputs if output.wrong]
    if wrong:
        return Outcome.WRONG, f"differs from the CPU beyond its tolerance: {', '.join(wrong)}"
    if doubt := _doubt(happened, outputs, used):
        return Outcome.UNCONFIRMED, doubt
    far = [output.name for output in outputs if output.parity is not None and not output.parity.passes]
    if far:
        return Outcome.WRONG, f"differs from the reference file: {', '.join(far)}"
    return Outcome.CONFIRMED, f"{_count(happened.gpu_operators, 'operator')} on the GPU, every output agrees"


def _doubt(happened: Happened, outputs: tuple[OutputResult, ...], used: precision.Used) -> str:
    """Why agreement proves nothing, or the empty string."""
    if not happened.gpu_operators or not happened.kernels:
        return "no operator ran on the GPU"
    if any(text.startswith("Validation error") for text in happened.errors):
        return "the GPU refused a part of its work (validation error), so its results may be stale"
    differences = [output.difference for output in outputs]
    if not differences or any(found is None for found in differences):
        return "not every output could be read and compared"
    known = [found for found in differences if found is not None]
    if used != "fp32" and all(found.identical for found in known):
        return "the outputs are bit-identical to the CPU's, which a GPU that computes in fp16 does not give"
    if all(found.reference_all_zero for found in known):
        return "every output is zero on these inputs, and so is one that is never written"
    return ""


def _bisect(
    route: _Route,
    run: runner.Run,
    outputs: tuple[OutputResult, ...],
    suspects: tuple[Suspect, ...],
    rounding: compare.Rounding,
) -> tuple[Divergence | None, str]:
    from .divergence import first_divergence
    from .truncate import CannotTruncate

    if run.reports:
        return None, "the first wrong operator is looked for only when every operator runs on the GPU"
    wrong = [(output.signature, output.name) for output in outputs if output.wrong]
    if not wrong:
        return None, ""
    try:
        data = route.model if isinstance(route.model, bytes) else route.model.read_bytes()
        found = first_divergence(data, route.worker, route.options, wrong, suspects, rounding)
    except CannotTruncate as error:
        return None, f"the first wrong operator cannot be looked for: {error}"
    return found, ""


def _notes(
    run: runner.Run, predicted: Prediction, has: Traits, outputs: tuple[OutputResult, ...], used: precision.Used
) -> list[str]:
    notes = []
    if predicted.verdict == "unknown":
        notes.append("nothing was predicted, so nothing is compared with the runtime's residency")
    if any(output.wrong for output in outputs):
        if not predicted.suspects:
            notes.append("no finding predicts the wrong output")
        if has.fused_tanh:
            places = ", ".join(has.fused_tanh)
            notes.append(
                f"the GPU applies the fused TANH of {places}, the CPU kernels ignore it: this alone may differ"
            )
    if run.later:
        lines = " ".join(report.line for report in run.later)
        notes.append(f"composites were inlined at the first run, and the delegate then said: {lines}")
    if used == "unknown":
        notes.append("the GPU's precision could not be found out; the tolerances are those of fp16")
    notes += [
        f"output {output.name}: {output.parity.far} of {output.parity.difference.elements} elements are far from the "
        f"reference file, up to {output.parity.difference.max_abs:.3g}"
        for output in outputs
        if output.parity is not None and output.parity.passes and output.parity.far
    ]
    notes += [
        f"output {output.name}: {output.difference.reference_nan} of {output.difference.elements} elements are NaN on the "
        "CPU, and are not compared; give inputs within the operators' domains"
        for output in outputs
        if output.difference is not None and output.difference.reference_nan
    ]
    notes += [
        f"output {output.name}: all zero, the CPU's is not"
        for output in outputs
        if output.difference is not None and output.difference.all_zero and not output.difference.reference_all_zero
    ]
    return notes


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
