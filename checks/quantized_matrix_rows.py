"""A FULLY_CONNECTED with quantized weights over several rows, without the rows on the first axis.

## What it reports
A FULLY_CONNECTED with int8 (or narrower) quantized weights and without keep_num_dims, whose rows lie on an axis other
than the first: `[1,N,K]` to `[N,O]`.

## Why it matters
With a few rows only the first is computed and the others are 0; from 9 rows on the kernel cannot be created
(`Unable to parse bc coord for BATCH axis`). Measured on WebGPU on 2.1.2 to 2.3.0, per tensor and per channel, with
float and int8 activations. Dynamic-range int8 transformers as litert-torch converts them all fail so. Float weights
are right.

## What to do
```python
y = fc(x.reshape(n, k))             # the rows on the first axis: exact on every release
y = fc(x)                           # or keep_num_dims, with a RESHAPE behind
```

## What it cannot see
The exact number of rows from which creation fails may depend on the device.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ..linter.options import FullyConnectedOptions
from ._evidence import measured
from ._failed import failed
from ._operands import operand, result

RULE = Rule(
    id="quantized-matrix-rows",
    summary="FULLY_CONNECTED with quantized weights computes only the first row",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
)


ADVICE = "RESHAPE the input so that the rows are its first axis, or set keep_num_dims and RESHAPE behind: exact"


def check(case: Case) -> Iterator[Finding]:
    yield from failed(case, RULE, Fault.MATRIX_ROWS, advice=ADVICE)
    created = {(failure.subgraph, failure.operator) for failure in case.failures(Fault.MATRIX_ROWS)}
    for graph, op in case.gpu_operators():
        rows = lost_rows(graph, op)
        if rows < 2 or (graph.index, op.index) in created:
            continue
        yield case.hazard(
            RULE,
            place(graph, op, (*op.inputs[:2], *op.outputs)),
            f"of {rows} rows only the first is computed (quantized weights, rows not on the first axis)",
            advice=ADVICE,
            evidence=(measured("row 0 right, all others 0"),),
        )


def lost_rows(graph: Subgraph, op: Operator) -> int:
    """How many rows the operator has where all but the first are lost; 0 where none is."""
    options = op.options_of(FullyConnectedOptions)
    data, weights, out = operand(graph, op, 0), operand(graph, op, 1), result(graph, op)
    if op.name != "FULLY_CONNECTED" or data is None or weights is None or out is None or options is None:
        return 0
    if not weights.constant or not weights.quantized or weights.type not in ("INT8", "INT4", "INT2"):
        return 0
    if options.keep_num_dims:
        return 0  # whatever rank the file gives the result: the runtime infers it anew
    if data.rank < 3 or data.shape[-1] != weights.shape[-1]:
        return 0
    behind = 1
    for extent in data.shape[1:-1]:
        behind *= extent
    return behind * data.shape[0] if behind > 1 else 0
