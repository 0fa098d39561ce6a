"""Channels added by PAD behind a number of channels that is no multiple of 4.

## What it reports
PAD, PADV2, or a CONCATENATION of one tensor and constant zeros, that adds channels behind the last one, up to LiteRT
2.2.0, where the number of channels is not a multiple of 4, and what the delegate stores behind them is another value
than the padding (or is not known: then a warning). In front, no channel is added, or a multiple of 4.

## Why it matters
Channels are stored in groups of four. The kernel copies the last group whole, so that the first added channels are
what stands behind the last one instead of the padding: 0 for a graph input or a convolution, but 1 behind EXP, 0.5
behind LOGISTIC, and whatever a scalar ADD put there. A padding other than 0 is wrong behind a convolution as well.
Measured on WebGPU on 2.1.2 to 2.2.0; 2.3.0 is right.

## What to do
```python
y = torch.cat([x, x[:, :1] * 0], dim=1)                         # no constant zeros, no padding: exact
y = torch.cat([x, x.new_full((1, 1, h, w), 2.0)], dim=1)        # another constant than 0: exact
```

Or pad in front of the operator that puts the value there: the image before it is normalised.

## What it cannot see
What stands behind the channels that SLICE, STRIDED_SLICE or GATHER took, and behind a few other operators.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.constants import integers, scalar
from ..linter.delegate.fusion import zeros_beside
from ..linter.delegate.layout import axis_letter
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph, Tensor
from ..linter.options import ConcatenationOptions
from ._delegated import channel_paddings
from ._evidence import measured, releases
from ._operands import operand

RULE = Rule(
    id="channel-pad",
    summary="channels added by PAD come out as what stands behind the last channel",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    if not case.before("2.3.0"):
        return
    for graph, op in case.gpu_operators("PAD", "PADV2", "CONCATENATION"):
        data, (before, after) = _added(case, graph, op)
        if data is None or data.rank < 2 or data.shape[-1] % 4 == 0 or before % 4 or not after:
            continue
        behind, value = channel_paddings(case, graph).get(data.index), _value(case, graph, op)
        if behind is not None and behind.value == value:
            continue
        certain = behind is not None and value is not None
        shown = "what stands behind the last one" if behind is None else f"{behind.value:g}"
        wanted = "the padding" if value is None else f"{value:g}"
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"channels that {op.name} adds to {data.shape[-1]} {'are' if certain else 'may be'} {shown}, not {wanted}",
            advice="CONCATENATION with channels that are computed, such as `x[:, :1] * 0`: exact",
            evidence=(measured("the last group of four channels is copied whole", releases(last="2.2.0")),),
            severity=Severity.ERROR if certain else Severity.WARNING,
        )


def _added(case: Case, graph: Subgraph, op: Operator) -> tuple[Tensor | None, tuple[int, int]]:
    """What gets channels, and how many in front and behind."""
    none = (0, 0)
    if op.name in ("PAD", "PADV2"):
        amounts = operand(graph, op, 1)
        found = integers(case.model, amounts) if amounts is not None else None
        return operand(graph, op, 0), (found[-2], found[-1]) if found and len(found) > 1 else none
    beside = zeros_beside(case.model, graph, op) if op.name == "CONCATENATION" else None
    options = op.options_of(ConcatenationOptions)
    if beside is None or options is None or axis_letter(4, options.axis) != "c":
        return None, none
    return operand(graph, op, 0 if beside[1] else 1), beside


def _value(case: Case, graph: Subgraph, op: Operator) -> float | None:
    if op.name != "PADV2":
        return 0.0
    padding = operand(graph, op, 2)
    found = None if padding is None else scalar(case.model, padding)
    return None if found is None else float(found)
