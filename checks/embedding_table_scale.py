"""An EMBEDDING_LOOKUP in a quantized table with one scale.

## What it reports
EMBEDDING_LOOKUP whose table is INT8 (or narrower), has more than one row, and has one scale for all of them.

## Why it matters
The kernel reads a scale for each row and finds that of the first: every other row comes back as zeros. Measured on
WebGPU on 2.1.2 to 2.3.0, INT8 and INT4. A scale for each row, and FLOAT32 tables, are right.

## What to do
Quantize the table per channel, along its rows, or give each row the same scale: exact.

```python
scales = np.full(table.shape[0], scale)         # quantized_dimension 0
```

## What it cannot see
Indices that lie outside: the CPU ends the run with an error, the GPU takes the first or last row (measured on 2.1.2 and
2.3.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.quantized import MATRIX_TYPES
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ._evidence import measured
from ._operands import operand

RULE = Rule(
    id="embedding-table-scale",
    summary="EMBEDDING_LOOKUP in a quantized table with one scale returns zeros",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("EMBEDDING_LOOKUP"):
        table = operand(graph, op, 1)
        if table is None or table.quantization is None or not table.rank:
            continue
        if table.type not in MATRIX_TYPES or table.shape[0] < 2:
            continue
        if table.quantization.kind != "affine" or table.quantization.scale_count != 1:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (table.index, *op.outputs)),
            f"all rows but the first of the table {graph.label(table.index)} {list(table.shape)} are read as zeros, "
            "because it has one scale",
            advice="quantize the table per channel along axis 0, or repeat its scale for each row: exact",
            evidence=(measured("zeros but for the first row"),),
        )
