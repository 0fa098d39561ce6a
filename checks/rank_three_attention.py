"""Attention with the heads on the batch axis of rank-3 tensors, on OpenCL.

## What it reports
A rank-3 BATCH_MATMUL `[heads,N,d]` with more than one head whose result reaches a SOFTMAX through element-wise
operators, on OpenCL.

## Why it matters
Reported for a SAM 2.1 mask decoder on Mali (2.1.3 and later) and for Adreno: every operator alone is exact, in the
larger graph the result is wrong (correlation 0.27), and fp32 does not help (LiteRT#8619). The rank-4 form is right
and about 20 % faster. On WebGPU both forms are right (measured), so it is reported for OpenCL alone.

## What to do
Keep the batch axis: exact.

```python
q, k, v = (t.reshape(1, heads, n, d) for t in (q, k, v))
```

## What it cannot see
Which graphs are hit: the report found no single operator at fault. It is a risk, not a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Subgraph
from ._evidence import measured, reported
from ._operands import result

RULE = Rule(
    id="rank-three-attention",
    summary="attention with the heads on the batch axis of rank-3 tensors",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("LiteRT#8619",),
)


THROUGH = frozenset({"ADD", "SUB", "MUL", "DIV", "SELECT", "SELECT_V2"})


def check(case: Case) -> Iterator[Finding]:
    if case.backend != "opencl" or case.before("2.1.3"):
        return
    for graph, op in case.gpu_operators("BATCH_MATMUL"):
        out = result(graph, op)
        if out is None or out.rank != 3 or out.shape[0] < 2:
            continue
        if not reaches_softmax(graph, out.index):
            continue
        yield RULE.finding(
            place(graph, op, (*op.inputs, out.index)),
            f"attention scores {list(out.shape)} keep {out.shape[0]} heads on the batch axis",
            advice=f"RESHAPE queries, keys and values to rank 4, [1, {out.shape[0]}, …]: exact",
            confidence=Confidence.REPORTED,
            evidence=(
                reported("correlation 0.27 against the CPU", "opencl", "LiteRT#8619", ("2.1.3",)),
                measured("rank 3 and rank 4 are right on WebGPU"),
            ),
        )


def reaches_softmax(graph: Subgraph, tensor: int, steps: int = 4) -> bool:
    """Whether a SOFTMAX reads a tensor, at most `steps` element-wise operators on."""
    for reader in graph.readers(tensor):
        if reader.name == "SOFTMAX":
            return True
        if steps and reader.name in THROUGH and reader.outputs and reaches_softmax(graph, reader.outputs[0], steps - 1):
            return True
    return False
