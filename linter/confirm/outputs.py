"""Each output beside its reference, and what is to be said about how that was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from . import compare, runner
from .answers import OutputResult
from .compare import Metric
from .route import CannotConfirm, Route
from .traits import Traits


def compared(
    route: Route,
    run: runner.Run,
    has: Traits,
    expected: Mapping[str, compare.Array],
    metric: Metric | None,
    rounding: compare.Rounding,
) -> tuple[tuple[OutputResult, ...], tuple[str, ...]]:
    """Each output's comparison, and what is to be said about how it was made."""
    if not any(output.compiled is not None for output in run.outputs):
        return (), ()
    notes = _notes(run, has)
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


def _notes(run: runner.Run, has: Traits) -> list[str]:
    notes = [
        f"output {output.name} is an input too, and the runtime never writes it; it is left out"
        for output in run.outputs
        if has.is_unwritten(output.signature, output.name)
    ]
    if has.quantized:
        notes.append("the model is quantized, where GPU and CPU round differently; the tolerances are wider")
    return notes


def _xnnpack(route: Route) -> dict[tuple[str, str], compare.Array | None]:
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


def load(dumps: Path | None) -> dict[str, compare.Array]:
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
