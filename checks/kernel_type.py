"""An element type that the delegate accepts and the operator's kernel is not written for.

## What it reports
On the GPU:

| operator | element type | result |
|---|---|---|
| MIRROR_PAD, TOPK_V2, EXP, ELU | INT8, UINT8 without scales | not written |
| NEG, SIGN | UINT8 without scales | not written |
| RESIZE_BILINEAR, where it mixes pixels | INT8, UINT8 without scales | pixels not mixed |
| AVERAGE_POOL_2D | INT8, UINT8 without scales | off by one (a warning) |
| ADD, SUB, MUL, DIV with a fused RELU, RELU6 or RELU_N1_TO_1 | INT16, INT32 | not written |
| LESS, LESS_EQUAL, GREATER, GREATER_EQUAL | BOOL | not written |
| RIGHT_SHIFT, STABLEHLO_SHIFT_LEFT | FLOAT32, FLOAT16, 8 bits with scales | not written |
| LOGISTIC, TANH, and element-wise operators united in one kernel | BFLOAT16 | not written |
| BITCAST to another width (but 8 to 32 bits) or of BFLOAT16, or united with its reader | | not written |
| BITCAST of FLOAT16 and 16-bit integers, of BOOL and integers; in fp16 also of FLOAT32 and integers | | wrong values |

## Why it matters
The kernel's text is written for floats. With another type it is no valid shader: the log says `Error while parsing
WGSL`, creation and run succeed, residency is full, and the result and everything behind it is not written, mostly
zeros. Or it is valid and computes in whole numbers: the weights of a resize are all 0 or 1 then. Frames that come in
as UINT8, and integer arithmetic that is clamped, are such. Measured on WebGPU on 2.1.2 to 2.3.0. Other backends have
other shaders: of them nothing is known, and nothing is reported.

## What to do
CAST to FLOAT32 in front. Where integers are clamped, MAXIMUM and MINIMUM take them.

```python
y = F.interpolate(frame.float(), size)             # UINT8 frames: first .float(), then resize, pad, pool
n = torch.maximum(a - b, zero)                     # INT32: not relu(a - b)
both = a & ~b                                      # flags: not a > b
```

## What it cannot see
RELU, LEAKY_RELU, HARD_SWISH, GELU, MEAN and QUANTIZE of 8 bits without scales are not written either and not reported:
the CPU gives zeros too. Related are `integer-pad`, `integer-constant`, `int16-scale` and `max-pool-floor`.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from ..linter.case import Case
from ..linter.delegate.fusion import ELEMENTWISE, By
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph, Tensor
from ..linter.options import ResizeBilinearOptions
from ._delegated import applies, delegate_graphs
from ._evidence import measured
from ._operands import operand, result

RULE = Rule(
    id="kernel-type",
    summary="an element type that the operator's GPU kernel is not written for",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)

BYTES = frozenset({"INT8", "UINT8"})
FLOAT_KERNELS = frozenset({"MIRROR_PAD", "TOPK_V2", "EXP", "ELU"})
ORDER = frozenset({"LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"})
SHIFTS = frozenset({"RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"})
CLAMPED = frozenset({"ADD", "SUB", "MUL", "DIV"})
CLAMPS = {
    "RELU": "MAXIMUM with 0",
    "RELU6": "MAXIMUM with 0 and MINIMUM with 6",
    "RELU_N1_TO_1": "MAXIMUM with -1 and MINIMUM with 1",
}
"""Fused activations, and what to write in their place."""
WIDTHS = {"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FLOAT16": 2, "BFLOAT16": 2}
"""Bytes of an element; four of all others that a BITCAST takes."""

UNWRITTEN = measured("not written: `Error while parsing WGSL` in the log")
AROUND = "CAST to FLOAT32 in front, and back behind"


def check(case: Case) -> Iterator[Finding]:
    if case.backend != "webgpu":
        return
    for found in delegate_graphs(case):
        inside = found.inside | {
            merge.tensor for merge in found.merges if merge.by is By.ELEMENTWISE and applies(case, merge.until)
        }
        for op in found.graph.operators:
            if case.on_gpu(found.graph, op):
                yield from _operator(found.graph, op, inside, case.fp32)


def _operator(graph: Subgraph, op: Operator, inside: Set[int], fp32: bool) -> Iterator[Finding]:
    data, made = operand(graph, op, 0), result(graph, op)
    if data is None or made is None:
        return
    where = place(graph, op, (data.index, made.index))
    label = graph.label(data.index)
    if (why := _unwritten(graph, op, data, made, inside)) is not None:
        what, advice = why
        yield RULE.finding(
            where,
            f"the shader of {what} does not compile: {graph.label(made.index)} is not written",
            advice=advice,
            evidence=(UNWRITTEN,),
        )
    elif op.name == "RESIZE_BILINEAR" and _plain(data) and not _on_pixels(op, data, made):
        yield RULE.finding(
            where,
            f"RESIZE_BILINEAR of {label}, which is {data.type}, cuts its weights to whole numbers: pixels are taken, "
            "not mixed",
            advice=AROUND,
            evidence=(measured("the pixel above and to the left"),),
        )
    elif op.name == "AVERAGE_POOL_2D" and _plain(data):
        yield RULE.finding(
            where,
            f"AVERAGE_POOL_2D of {label}, which is {data.type}, rounds towards 0, where the CPU rounds to the nearest",
            advice=AROUND,
            severity=Severity.WARNING,
            evidence=(measured("off by one"),),
        )
    elif op.name == "BITCAST" and _misread(data.type, made.type):
        yield RULE.finding(
            where,
            f"BITCAST of {label} from {data.type} to {made.type} gives wrong values",
            advice="take both types of four bytes, or keep it out of the model",
            evidence=(measured("wrong values"),),
        )
    elif op.name == "BITCAST" and not fp32 and data.type != made.type and "FLOAT32" in (data.type, made.type):
        yield RULE.finding(
            where,
            f"BITCAST of {label} from {data.type} to {made.type}: the GPU holds FLOAT32 in half precision, "
            "whose bits are others",
            advice="enforce fp32, or keep it out of the model",
            evidence=(measured("wrong values", precision="fp16"),),
        )


def _unwritten(graph: Subgraph, op: Operator, data: Tensor, made: Tensor, inside: Set[int]) -> tuple[str, str] | None:
    """What has no valid shader, and what to write in its place."""
    name, kind = op.name, data.type
    what = f"{name} on {kind}"
    if _plain(data) and (name in FLOAT_KERNELS or (kind == "UINT8" and name in ("NEG", "SIGN"))):
        return f"{what} without scales", f"{AROUND}: exact" if name in ("MIRROR_PAD", "TOPK_V2") else AROUND
    if name in CLAMPED and op.activation in CLAMPS and kind in ("INT16", "INT32") and not data.quantized:
        return f"{what} with a fused {op.activation}", f"{CLAMPS[op.activation]} behind it in its place: exact"
    if name in ORDER and kind == "BOOL":
        return what, "LOGICAL_AND with LOGICAL_NOT of one of them: exact"
    if name in SHIFTS and (kind in ("FLOAT32", "FLOAT16") or (kind in BYTES and data.quantized)):
        return what, "shift INT32 data"
    if kind == "BFLOAT16" and name in ("LOGISTIC", "TANH"):
        return what, "compute in FLOAT32"
    if kind == "BFLOAT16" and (op.activation != "NONE" or _chained(graph, op, inside)):
        return f"{what} and of the element-wise operator united with it", "compute in FLOAT32"
    if name == "BITCAST":
        return _bitcast(data.type, made.type, made.index in inside)
    return None


def _bitcast(kind: str, other: str, joined: bool) -> tuple[str, str] | None:
    what = f"BITCAST from {kind} to {other}"
    width, wanted = WIDTHS.get(kind, 4), WIDTHS.get(other, 4)
    if kind in BYTES and wanted == 4:
        return None
    if joined:
        return f"{what} and of the element-wise operator behind it", "RESHAPE between the two, to another shape: exact"
    if kind == other == "BOOL" or "BFLOAT16" in (kind, other):
        return what, "keep it out of the model"
    if width != wanted and kind != "BOOL":
        return what, "take both types of one width, or keep it out of the model"
    return None


def _misread(kind: str, other: str) -> bool:
    """Whether the bits that are kept are not those of the type: FLOAT16 is computed in FLOAT32, BOOL in integers."""
    return ("FLOAT16" in (kind, other) or "BOOL" in (kind, other)) and kind != other


def _chained(graph: Subgraph, op: Operator, inside: Set[int]) -> bool:
    """Whether an operator is computed in the kernel of an element-wise one that comes before it."""
    for index in op.inputs:
        producer = graph.producer(index) if index in inside else None
        if op.name in ELEMENTWISE and producer is not None and producer.name in ELEMENTWISE:
            return True
    return False


def _plain(tensor: Tensor) -> bool:
    """Whether it holds bytes that are numbers by themselves."""
    return tensor.type in BYTES and not tensor.quantized


def _on_pixels(op: Operator, data: Tensor, made: Tensor) -> bool:
    """Whether every sample is a pixel of the input, so that nothing is mixed."""
    options = op.options_of(ResizeBilinearOptions)
    if data.rank != 4 or made.rank != 4:
        return False
    aligned, half = (False, False) if options is None else (options.align_corners, options.half_pixel_centers)
    return all(
        _whole(old - 1, new - 1) if aligned and new > 1 else _whole(old, new) and not (half and old // new % 2 == 0)
        for old, new in zip(data.shape[1:3], made.shape[1:3], strict=True)
    )


def _whole(old: int, new: int) -> bool:
    return old == 1 or (new > 0 and old % new == 0)
