"""A RESIZE_BILINEAR whose coordinates half precision does not hold.

## What it reports
A RESIZE_BILINEAR that changes the height or width, at sizes where its source coordinates are rounded.

## Why it matters
The coordinates are computed as halves, on both axes. They are exact while source over target is a whole number over a
power of two (doubling, 300 to 200, 300 to 100; of the sides less 1 with align_corners) and the image is small: for
doubling and halving the larger side is at most 1024 (half_pixel_centers) or the output at most 2048 (neither flag).
Beyond that pixels are mixed in the wrong proportion: with half_pixel_centers, doubling to more than 1026 is off by 24
% on noise, four times by 11 %, halving from more than 1024 by 50 %. With any other factor, as most are with
align_corners, the error grows with the input side: 1 % at 40 to 64, 4 to 6 % at 256, 16 to 23 % at 1000. Smooth images
suffer about a tenth of it. Measured on WebGPU on 2.1.2 to 2.3.0.

RESIZE_NEAREST_NEIGHBOR is right at every size and with every flag.

## What to do
Resize in overlapping parts, each within the exact sizes, then cut and join (verified for doubling 640 and 960):

```python
a = F.interpolate(x[..., :n // 2 + 8], scale_factor=2, mode="bilinear")[..., : n]
b = F.interpolate(x[..., n // 2 - 8 :], scale_factor=2, mode="bilinear")[..., 16:]
y = torch.cat([a, b], dim=-1)
```

Or prefer a factor of a power of two, and half_pixel_centers over align_corners.

## What it cannot see
How smooth the image is. OpenCL and Metal were not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import spacing
from ..linter.options import ResizeBilinearOptions
from ._operands import operand, result
from ._precision import accumulated, is_float, percent

RULE = Rule(
    id="fp16-resize-coordinates",
    summary="a RESIZE_BILINEAR whose coordinates half precision does not hold",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

LIMIT = 0.01
SEVERE = 0.1
NOISE = {False: 0.33, True: 0.43}
"""The error, in steps of halves where most coordinates are, when coordinates are no multiples of such a step: for pixel
centres and legacy coordinates, and for align_corners."""


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    for graph, op in case.operators("RESIZE_BILINEAR"):
        data, made, options = operand(graph, op, 0), result(graph, op), op.options_of(ResizeBilinearOptions)
        if data is None or made is None or data.rank != 4 or made.rank != 4 or not is_float(made):
            continue
        corners = options is not None and options.align_corners
        centres = options is not None and options.half_pixel_centers
        errors = [
            (error_of(source, target, corners, centres), axis, source, target)
            for axis, source, target in zip(("height", "width"), data.shape[1:3], made.shape[1:3], strict=True)
        ]
        error, axis, source, target = max(errors)
        if error < LIMIT or not case.on_gpu(graph, op):
            continue
        flags = "align_corners" if corners else "half_pixel_centers" if centres else "neither flag"
        yield accumulated(
            case,
            RULE,
            place(graph, op, (data.index, made.index)),
            f"the coordinates of {source} to {target} along the {axis} ({flags}) are rounded in half precision: "
            f"off by about {percent(min(error, 1.0))} on noise, a tenth of it on smooth images",
            advice="resize overlapping parts that stay within the exact sizes, cut and concatenate them; or use a "
            "factor of a power of two",
            outcome=f"off by about {percent(min(error, 1.0))} on noise",
            severity=Severity.ERROR if error >= SEVERE else Severity.WARNING,
        )


def error_of(source: int, target: int, corners: bool, centres: bool) -> float:
    """The greatest error expected on noise, relative to the greatest value, when one axis is resized; 0 where every
    coordinate is a half. `NOISE` is fitted to what was measured at 40 to 3000 pixels."""
    if source == target or min(source, target) < 2:
        return 0.0
    whole, parts = (source - 1, target - 1) if corners else (source, target)
    shared = math.gcd(whole, parts)
    whole, parts = whole // shared, parts // shared
    if parts & (parts - 1):
        return NOISE[corners] * spacing(0.8 * source)
    # Coordinates are multiples of `grid`; the last one lies before the last pixel, behind which nothing is mixed.
    factor, first = whole / parts, (whole / parts - 1) / 2 if centres else 0.0
    grid = (0.5 if (whole - parts) % 2 else 1.0) / parts if centres else (whole & -whole) / parts
    last = first + factor * min(target - 1, math.ceil((source - 1 - first) / factor) - 1)
    step = spacing(last)
    if step <= grid:
        return 0.0
    return max(step / 2 - grid, grid) if centres else step / 2
