"""An operator that LiteRT's own tests leave out on OpenCL.

## What it reports
On OpenCL, operators that run on the GPU and that LiteRT's operator tests exclude for that backend: ADD, SUB, MUL,
DIV, MAXIMUM and MINIMUM of INT32 tensors; ONE_HOT; FLOOR_DIV; CEIL; TRANSPOSE of integers; FULLY_CONNECTED of INT8 or
UINT8 activations; BATCH_MATMUL of operands of different rank. One finding a subgraph and operator, which counts them.

## Why it matters
The delegate's check is shared by all backends and accepts them, so nothing is said when the model is created. The
tests name why they are left out: not supported, computed in half precision (so that integers above 2048 are
rounded), or rounded to the other side at a boundary (litert/ats/BUILD at v2.2.0). No wrong result of a real model was
reported, so it is information; what was measured to be wrong on WebGPU has a rule of its own.

## What to do
Compare with the CPU on the device before relying on it. Exact replacements on the way:

```python
index = index.to(torch.float32)                       # small counts: FLOAT32 is exact up to 2**24, half up to 2048
y = torch.floor(a / b)                                # boundaries as far as the division is exact
onehot = (classes == index.unsqueeze(-1)).float()     # ONE_HOT as a comparison with a constant range
scores = torch.matmul(q, k.unsqueeze(0))              # operands of one rank
```

## What it cannot see
What the device computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._evidence import from_source
from ._operands import operand, tally

RULE = Rule(
    id="opencl-untested",
    summary="an operator that LiteRT's own tests leave out on OpenCL",
    kind=Kind.MISCOMPUTE,
    severity=Severity.INFO,
    since="0.1.0",
    references=("litert/ats/BUILD@v2.2.0",),
)

ARITHMETIC = frozenset({"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM"})
INTEGERS = frozenset({"INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32"})


def check(case: Case) -> Iterator[Finding]:
    if case.backend != "opencl":
        return
    found: dict[tuple[int, str, str], list[Operator]] = {}
    for graph, op in case.gpu_operators():
        why = _excluded(graph, op)
        if why is not None:
            found.setdefault((graph.index, op.name, why), []).append(op)
    for (index, name, why), ops in found.items():
        graph = case.model.subgraphs[index]
        yield RULE.finding(
            place(graph, ops[0], ops[0].inputs),
            f"LiteRT's tests leave out {name}{tally(ops)} on OpenCL: {why}",
            advice="compare with the CPU on the device before relying on it",
            confidence=Confidence.SOURCE,
            evidence=(from_source(why, "litert/ats/BUILD@v2.2.0"),),
        )


def _excluded(graph: Subgraph, op: Operator) -> str | None:
    """Why the tests leave an operator out; None for one that they run."""
    if op.name == "ONE_HOT":
        return "not supported"
    if op.name == "FLOOR_DIV":
        return "rounded in half precision at the boundaries"
    if op.name == "CEIL":
        return "-0 and -1 are mistaken at the boundary"
    data, other = operand(graph, op, 0), operand(graph, op, 1)
    if data is None:
        return None
    if op.name in ARITHMETIC:
        return "INT32 arithmetic is not supported" if data.type == "INT32" else None
    if op.name == "TRANSPOSE":
        return "computed in half precision, and the data is integer" if data.type in INTEGERS else None
    if op.name == "FULLY_CONNECTED":
        return "8-bit matrix products are not supported" if data.type in ("INT8", "UINT8") else None
    if op.name == "BATCH_MATMUL" and other is not None:
        return "operands of different rank are not supported" if data.rank != other.rank else None
    return None
