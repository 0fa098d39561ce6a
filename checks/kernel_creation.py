"""An accepted operator whose kernel cannot be built.

## What it reports
An operator that the delegate accepts and then fails on while it builds the graph: a constant or runtime operand of
the other kind than the kernel reads, integer constants without scales, packed or blockwise weights, weights behind a
DEQUANTIZE in a DEPTHWISE_CONV_2D with a depth multiplier, empty tensors, axes and permutations that fall outside the
layout.

## Why it matters
Acceptance is not success. Creating the CompiledModel then fails, or the process dies, although the residency report
looked clean and the CPU alone would run the model. The finding says what the runtime prints, where it prints
anything; each form was measured on the releases that the evidence names.

## What to do
Give the operator the other form: a constant in place of a runtime operand or the reverse, an axis counted from the
front, weights quantized per tensor or per channel in INT8.

```python
x.permute(0, 2, 1)                 # not permute(0, -1, 1)
F.linear(x, weight)                # then + bias: a runtime bias beside constant weights dies
```

## What it cannot see
Faults of a given driver: shaders that compile on one device and not on another.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="kernel-creation",
    summary="an accepted operator whose kernel cannot be built",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)

ADVICE = {
    Fault.CONSTANT_OPERAND: "make this operand a runtime tensor, or fold the operator at export",
    Fault.RUNTIME_MULTIPLIER: "keep the weights constant: FLOAT32, or INT8 without the DEQUANTIZE before it "
    "(dynamic-range in place of weight-only quantization)",
    Fault.RUNTIME_BIAS: "take the bias out, and ADD it behind: exact",
    Fault.UNREADABLE_CONSTANT: "store the constant as FLOAT32 or FLOAT16, or give it scales",
    Fault.RUNTIME_SCALES: "quantize the runtime weights per tensor",
    Fault.PACKED_WEIGHTS: "use INT8 in place of INT4 or INT2",
    Fault.BLOCKWISE_WEIGHTS: "quantize the weights per channel in INT8 in place of blockwise",
    Fault.HALF_DEQUANTIZE: "keep the tensor FLOAT32, or take it to FLOAT32 by CAST",
    Fault.CONSTANT_CAST: "fold the CAST at export",
    Fault.NEGATIVE_AXIS: "count the axis from the front",
    Fault.RUNTIME_PARAMETER: "make this operand a constant",
    Fault.GATHER_RUNTIME_INDICES: "run it on 2.1.3 or later",
    Fault.EMPTY_TENSOR: "leave out the tensor without elements",
}
"""Fault to the rewrite that clears it; those that are not here get the general advice."""


def check(case: Case) -> Iterator[Finding]:
    for fault in CLAIMED:
        yield from failed(
            case,
            RULE,
            fault,
            advice=ADVICE.get(fault, "express the operator by others, or in a form that its kernel takes"),
        )


CLAIMED = (*ADVICE, Fault.KERNEL_CREATION)
