"""What the answer is: disagreements, doubts, the one word for it, and the notes beside it."""

from __future__ import annotations

from collections import Counter

from . import precision, runner
from .answers import Happened, Outcome, OutputResult, Prediction
from .traits import Traits


def disagreements(predicted: Prediction, happened: Happened) -> tuple[str, ...]:
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


def judge(
    predicted: Prediction,
    happened: Happened,
    outputs: tuple[OutputResult, ...],
    against: tuple[str, ...],
    used: precision.Used,
) -> tuple[Outcome, str]:
    if against:
        return Outcome.MISPREDICTED, against[0]
    if happened.failure:
        as_predicted = predicted.verdict in ("fails", "unloadable")
        return Outcome.FAILED, f"{happened.failure}{', as predicted' if as_predicted else ''}"
    wrong = [output.name for output in outputs if output.wrong]
    if wrong:
        return Outcome.WRONG, f"differs from the CPU beyond its tolerance: {', '.join(wrong)}"
    far = [output.name for output in outputs if output.parity is not None and not output.parity.passes]
    if far:
        return Outcome.WRONG, f"differs from the reference file: {', '.join(far)}"
    if doubt := _doubt(happened, outputs, used):
        return Outcome.UNCONFIRMED, doubt
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


def notes(
    run: runner.Run, predicted: Prediction, has: Traits, outputs: tuple[OutputResult, ...], used: precision.Used
) -> list[str]:
    found = []
    if predicted.verdict == "unknown":
        found.append("nothing was predicted, so nothing is compared with the runtime's residency")
    if any(output.wrong for output in outputs):
        if not predicted.suspects:
            found.append("no finding predicts the wrong output")
        if has.fused_tanh:
            places = ", ".join(has.fused_tanh)
            found.append(
                f"the GPU applies the fused TANH of {places}, the CPU kernels ignore it: this alone may differ"
            )
    if run.later:
        lines = " ".join(report.line for report in run.later)
        found.append(f"composites were inlined at the first run, and the delegate then said: {lines}")
    if used == "unknown":
        found.append("the GPU's precision could not be found out; the tolerances are those of fp16")
    found += [
        f"output {output.name}: {output.parity.far} of {output.parity.difference.elements} elements are far from the "
        f"reference file, up to {output.parity.difference.max_abs:.3g}"
        for output in outputs
        if output.parity is not None and output.parity.passes and output.parity.far
    ]
    found += [
        f"output {output.name}: {output.difference.reference_nan} of {output.difference.elements} elements are NaN on "
        "the CPU, and are not compared; give inputs within the operators' domains"
        for output in outputs
        if output.difference is not None and output.difference.reference_nan
    ]
    found += [
        f"output {output.name}: all zero, the CPU's is not"
        for output in outputs
        if output.difference is not None and output.difference.all_zero and not output.difference.reference_all_zero
    ]
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
