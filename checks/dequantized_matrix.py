"""A constant int8 matrix behind a DEQUANTIZE.

## What it reports
A DEQUANTIZE of a constant INT8 tensor of rank 2 or 3 whose first axis is larger than 1.

## Why it matters
Creation fails: `Shape mismatch: {bhwc, {n,1,1,c}} vs {bhwc, {1,1,n,c}}`, whatever reads the result. Measured on
WebGPU on 2.1.2 to 2.3.0; reported on Metal and OpenCL (LiteRT#9523). Weight-only int8 recipes write this form. Rank
4, a first axis of 1, and FLOAT16 are fine.

## What to do
Quantize dynamically (int8 weights straight into FULLY_CONNECTED, not bit-identical on the CPU, mind
`quantized-matrix-rows`), or store the weights as FLOAT16:

```python
# litert-torch / ai-edge-quantizer: dynamic_wi8_afp32 instead of weight_only_wi8_afp32, or fp16 weights
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="dequantized-matrix",
    summary="DEQUANTIZE of a constant INT8 matrix",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#9523",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.DEQUANTIZED_MATRIX,
        advice="quantize dynamically (int8 weights straight into the operator), or store the weights as FLOAT16",
    )
