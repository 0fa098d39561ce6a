"""A padding before a pool is folded into the pool, which then ignores it.

## What it reports
PAD or PADV2 of height or width, or a CONCATENATION of one tensor and constant zeros along them, whose only consumer is
an AVERAGE_POOL_2D or MAX_POOL_2D some window of which reads the padding. For MAX_POOL_2D: a warning where the real
values may be lower than the padding, an error where a window reads nothing but padding; silent where the values are
known not to be lower.

## Why it matters
The padding becomes the pool's own. AVERAGE_POOL_2D then divides by the number of real values: the 2 by 2 average of a
corner of `[[4, 4], [4, 4]]` padded by 1 is 4, not 1; a window of padding alone gives NaN. PyTorch's
`count_include_pad=True`, its default, is exported so. MAX_POOL_2D never sees the padding's value: wrong where every
real value of a window is below it, and -10000 for a window of padding alone. Measured on WebGPU on 2.1.2 to 2.3.0,
fp32. Quantized pools, padded channels or batch, MIRROR_PAD and paddings with another consumer are right.

## What to do
All right on every release:

```python
nn.AvgPool2d(3, 2, 1, count_include_pad=False)                        # if that is what was meant: SAME or no padding
F.conv2d(x, torch.full((c, 1, 3, 3), 1 / 9), stride=2, padding=1, groups=c)   # the average as DEPTHWISE_CONV_2D
F.avg_pool2d(F.relu(F.pad(x, (1, 1, 1, 1))), 3, 2)                    # where x is not negative: anything between
```

On the graph: CONCATENATION with zeros on both sides at once (three operands); with two operands it is folded again.

## What it cannot see
The values, unless bounded functions, constants or `--input-range` tell them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.fusion import POOLS, Padding
from ..linter.delegate.layout import layout
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph
from ..linter.options import Pool2DOptions
from ..linter.ranges import UNKNOWN, ranges_of
from ._delegated import delegate_graphs
from ._evidence import measured
from ._windows import Reads, reads
from .max_pool_floor import FLOOR

RULE = Rule(
    id="pad-before-pool",
    summary="a padding before a pool is folded into it and ignored",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)

ADVICE = {
    "AVERAGE_POOL_2D": "average with a DEPTHWISE_CONV_2D of weights 1/(k·k), or keep PAD and pool apart: RELU between "
    "them where nothing is negative, MUL by a runtime 1 otherwise",
    "MAX_POOL_2D": "keep PAD and pool apart: MUL by a runtime 1 between them, or pad with CONCATENATION on both sides "
    "at once",
}


def check(case: Case) -> Iterator[Finding]:
    for found in delegate_graphs(case):
        for padding in found.paddings:
            if padding.consumer.name in POOLS:
                yield from _pool(case, found.graph, padding)


def _pool(case: Case, graph: Subgraph, padding: Padding) -> Iterator[Finding]:
    pool, pad = padding.consumer, padding.operator
    read = _reads(graph, padding)
    if not read.some:
        return
    amounts = f"{list(padding.height)} of height, {list(padding.width)} of width"
    tensors = (*pad.inputs[:1], *pad.outputs, *pool.outputs)
    if pool.name == "AVERAGE_POOL_2D":
        nothing = ", and where it reads nothing else the result is NaN" if read.only else ""
        yield case.hazard(
            RULE,
            place(graph, pool, tensors),
            f"the average leaves out the padding before it ({amounts}): it divides by the real values alone{nothing}",
            advice=ADVICE[pool.name],
            evidence=(measured("divided by the count without padding; NaN for windows of padding alone"),),
        )
        return
    if read.only:
        yield case.hazard(
            RULE,
            place(graph, pool, tensors),
            f"a window reads only the padding before it ({amounts}): the maximum is -10000, not {_value(padding)}",
            advice=ADVICE[pool.name],
            evidence=(measured("-10000 for windows of padding alone"),),
        )
        return
    known = UNKNOWN
    source = next((index for index in pad.inputs if index >= 0 and not graph.tensors[index].constant), None)
    if source is not None:
        known = ranges_of(case).worst(graph, source)
    if padding.value is not None and known.lo >= padding.value:
        return
    if padding.value is not None and padding.value <= FLOOR:
        return  # where the maximum starts anyway
    yield case.hazard(
        RULE,
        place(graph, pool, tensors),
        f"the maximum leaves out the padding before it ({amounts}): wrong where every real value is below "
        f"{_value(padding)}",
        advice=ADVICE[pool.name],
        severity=Severity.WARNING,
        evidence=(measured("the maximum of the real values alone"),),
    )


def _value(padding: Padding) -> str:
    return "the padding" if padding.value is None else f"{padding.value:g}"


def _reads(graph: Subgraph, padding: Padding) -> Reads:
    options = padding.consumer.options_of(Pool2DOptions)
    padded = layout(graph.tensors[padding.operator.outputs[0]].shape)
    if options is None or padded is None:
        return Reads(False, False)
    same = options.padding == "SAME"
    found = [
        reads(extent - sum(amounts), amounts, kernel, stride, same=same)
        for extent, amounts, kernel, stride in (
            (padded.height, padding.height, options.filter_height, options.stride_h),
            (padded.width, padding.width, options.filter_width, options.stride_w),
        )
    ]
    return Reads(any(axis.some for axis in found), any(axis.only for axis in found))
