"""Padding integers or booleans.

## What it reports
PAD of a tensor whose elements are neither FLOAT32 nor FLOAT16 nor quantized in 8 bits: INT32, BOOL, INT8 without
scales, and INT16 with or without them.

## Why it matters
The shader does not compile and the result is zero, while creation and run succeed; with all paddings 0 as well.
Measured on WebGPU on 2.1.2 to 2.3.0. PADV2 of integers kills the process instead, which `kernel-creation` reports.

## What to do
Join constants instead, or pad as floats: both exact (floats hold integers up to 2²⁴).

```python
y = torch.cat([ids, torch.zeros(1, k, dtype=torch.int32)], dim=-1)      # instead of F.pad(ids, (0, k))
y = F.pad(ids.float(), (0, k)).int()
```

## What it cannot see
Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="integer-pad",
    summary="PAD of integers or booleans comes back as zeros",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("PAD"):
        data = operand(graph, op, 0)
        if data is None or data.type in ("FLOAT32", "FLOAT16"):
            continue
        if data.quantized and data.type != "INT16":  # which the delegate takes for plain integers
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (data.index, *op.outputs)),
            f"PAD of {graph.label(data.index)}, which is {data.type}, comes back as zeros",
            advice="CONCATENATION with constants, or CAST to FLOAT32, PAD, CAST back: exact",
            evidence=(measured("zeros: the shader does not compile"),),
        )
