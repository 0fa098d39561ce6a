"""A confirmation as the HTML page shows it: predicted beside measured, and the error of each output."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from ..linter.confirm.answers import Confirmation, OutputResult
from ..linter.confirm.rendering import lines
from .graph_data import shape_words
from .printing import printable
from .verdict import confirmed_status

DECADES = 3
"""Powers of ten that the plot shows on either side of the tolerance."""


class Compared(NamedTuple):
    """One thing that was predicted and then measured."""

    what: str
    predicted: str
    measured: str

    @property
    def agree(self) -> bool:
        return self.predicted == self.measured


class Output(NamedTuple):
    """One output: its greatest error as a share of what is tolerated, and the figures."""

    name: str
    kind: str
    width: int
    """Length of the bar in percent, on a scale of powers of ten whose middle is the tolerance."""
    wrong: bool
    figures: tuple[str, ...]
    """Greatest error, tolerated error, root mean square of the error, correlation, NaN and Inf."""
    remark: str


class Confirmed(NamedTuple):
    """What the real delegate did on one release."""

    release: str
    outcome: str
    status: str
    reason: str
    setting: tuple[tuple[str, str], ...]
    compared: tuple[Compared, ...]
    outputs: tuple[Output, ...]
    first_wrong: str
    place: str
    """Subgraph and index of the operator where results part, "" where none was found."""
    notes: tuple[str, ...]
    disagreements: tuple[str, ...]
    text: str


def confirmed(confirmation: Confirmation) -> Confirmed:
    found = confirmation.divergence
    return Confirmed(
        release=confirmation.setting.release,
        outcome=confirmation.outcome.value,
        status=confirmed_status(confirmation).value,
        reason=printable(confirmation.reason),
        setting=_setting(confirmation),
        compared=_compared(confirmation),
        outputs=tuple(_output(output) for output in confirmation.outputs),
        first_wrong="" if found is None else _first_wrong(confirmation),
        place="" if found is None else f"{found.subgraph}/{found.index}",
        notes=tuple(printable(note) for note in confirmation.notes),
        disagreements=tuple(printable(line) for line in confirmation.disagreements),
        text="\n".join(printable(line) for line in lines(confirmation)),
    )


def _setting(confirmation: Confirmation) -> tuple[tuple[str, str], ...]:
    setting = confirmation.setting
    facts = {
        "LiteRT": setting.release,
        "device": setting.device,
        "backend": ", ".join(part for part in (setting.backend, setting.device_type) if part),
        "driver": setting.driver,
        "computed in": setting.precision + (" (enforced)" if setting.asked_precision == "fp32" else ""),
        "inputs": "from a file" if setting.seed is None else f"from seed {setting.seed}",
    }
    return tuple((name, printable(value)) for name, value in facts.items() if value)


def _compared(confirmation: Confirmation) -> tuple[Compared, ...]:
    predicted, happened = confirmation.predicted, confirmation.happened
    # What happened may go by several words: that the prediction is among them is agreement.
    verdict = predicted.verdict if predicted.verdict in happened.verdicts else happened.verdict
    rows = [
        Compared("verdict", predicted.verdict, verdict),
        Compared("the runtime prints", _lines(predicted.lines), _lines(happened.lines)),
        Compared("refused", _refused(predicted.rejected), _refused(happened.rejected)),
    ]
    return tuple(Compared(row.what, printable(row.predicted), printable(row.measured)) for row in rows)


def _lines(found: Iterable[str]) -> str:
    return " ".join(found) or "no residency sentence"


def _refused(found: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{op}: {message}" for op, message in sorted(set(found))) or "nothing"


def _output(output: OutputResult) -> Output:
    difference = output.difference
    name = printable(f"{output.signature}/{output.name}" if output.signature else output.name)
    kind = shape_words(output.dtype, output.shape)
    if difference is None:
        return Output(name, kind, 0, output.wrong, ("-",) * 5, "not compared")
    limit = difference.tolerance.max_abs
    remarks = [
        (output.wrong, f"wrong: {difference.exceeding} of {difference.elements} beyond"),
        (output.reference_doubtful, "the reference kernels disagree with XNNPACK too"),
        (difference.all_zero, "all zero"),
        (difference.identical, "bit-identical"),
    ]
    return Output(
        name,
        kind,
        _width(difference.max_abs, limit),
        output.wrong,
        (
            f"{difference.max_abs:.3g}",
            f"{limit:.2g}",
            f"{difference.rmse:.3g}",
            "-" if difference.correlation is None else f"{difference.correlation:.6f}",
            f"{difference.nan} / {difference.inf}",
        ),
        ", ".join(words for holds, words in remarks if holds),
    )


def _width(error: float, limit: float) -> int:
    """Percent of the plot: 50 is the tolerance, each power of ten is as wide as the next."""
    if not error:
        return 0
    if limit <= 0 or not math.isfinite(error / limit):
        return 100
    place = (math.log10(error / limit) + DECADES) / (2 * DECADES)
    # An error is never drawn as none.
    return round(100 * min(1.0, max(0.01, place)))


def _first_wrong(confirmation: Confirmation) -> str:
    found = confirmation.divergence
    assert found is not None
    text = f"{found.subgraph}/{found.index} {found.op}, tensor {found.tensor}"
    if found.consumers:
        names = ", ".join(f"{found.subgraph}/{index} {op}" for index, op in found.consumers)
        text += f": right alone, wrong together with {names}"
    elif found.difference is None:
        text += ": right alone, wrong only in the whole model"
    return printable(f"{text} ({found.rule or 'no finding explains it'})")
