"""A TRANSPOSE_CONV with SAME padding whose result is shifted.

## What it reports
A TRANSPOSE_CONV with SAME padding for which the delegate crops the full result at another place than it should.

## Why it matters
Per axis (n input, k kernel, s stride, m output) the leading crop is `max(0, (n - 1) * s + k - m) // 2`. The delegate
crops `max(0, k - 1 - ((n - 1) mod s)) // 2`, the padding of a convolution of the input, whatever the output. Where the
two differ the whole map is shifted, silently: k 3 with s 2, odd n and m = 2n, k 4 with s 4, and many more. Measured on
WebGPU on 2.1.2 to 2.3.0: 910 results follow the formula without exception. VALID padding and stride 1 are right.

## What to do
```python
y = F.conv_transpose2d(x, w, stride=s, padding=0)       # VALID: the full result
y = y[:, :, p : p + m, p : p + m]                       # then the crop, p = max(0, (n - 1) * s + k - m) // 2
```

VALID and a SLICE: exact on every release. Where the kernel is smaller than the stride, VALID with the same output
needs no SLICE.

## What it cannot see
Nothing else decides: sizes, kernel and stride are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.options import TransposeConvOptions
from ._evidence import measured
from ._operands import operand, result

RULE = Rule(
    id="transpose-conv-same",
    summary="TRANSPOSE_CONV with SAME padding returns a shifted map",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("TRANSPOSE_CONV"):
        options = op.options_of(TransposeConvOptions)
        weights, data, out = operand(graph, op, 1), operand(graph, op, 2), result(graph, op)
        if options is None or weights is None or data is None or out is None or options.padding != "SAME":
            continue
        if not weights.rank == data.rank == out.rank == 4:
            continue
        axes = (
            ("height", data.shape[1], weights.shape[1], options.stride_h, out.shape[1]),
            ("width", data.shape[2], weights.shape[2], options.stride_w, out.shape[2]),
        )
        shifts = {name: shift(n, k, s, size) for name, n, k, s, size in axes}
        wrong = [f"{by} along {name}" for name, by in shifts.items() if by]
        if not wrong:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, weights.index, out.index)),
            f"the result is shifted by {' and '.join(wrong)} (SAME padding, input {list(data.shape[1:3])}, "
            f"kernel {list(weights.shape[1:3])}, stride {[options.stride_h, options.stride_w]})",
            advice="TRANSPOSE_CONV with VALID padding and the full output, then SLICE: exact",
            evidence=(measured("shifted by the difference of the two crops"),),
        )


def shift(size: int, kernel: int, stride: int, output: int) -> int:
    """By how many elements the delegate crops too much (or, negative, too little) in front, along one axis."""
    if stride < 1:
        return 0
    # The CPU pads a convolution of the output. It has as many results as the input has elements, but in odd files.
    expected = max(0, (-(-output // stride) - 1) * stride + kernel - output) // 2
    applied = max(0, kernel - 1 - (size - 1) % stride) // 2
    return applied - expected
