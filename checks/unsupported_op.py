"""An operator for which the GPU has no kernel.

## What it reports
A builtin operator that no kernel of the delegate covers on the target release.

## Why it matters
`Operation is not supported.`: the operator is refused whatever its shape and type. With a GPU-only accelerator set
the CompiledModel is not created; where the CPU is allowed, the graph is cut there and only one partition stays on
the GPU.

## What to do
Many have an exact replacement by operators that have kernels; the finding names it. In PyTorch:

```python
x.squeeze(1), x.unsqueeze(1)       # SQUEEZE, EXPAND_DIMS: reshape(...)                         exact
F.log_softmax(x, -1)               # LOG_SOFTMAX: torch.log(torch.softmax(x, -1))               to about 1e-6
F.normalize(x, dim=-1)             # L2_NORMALIZATION: x * torch.rsqrt((x * x).sum(-1, True) + 1e-6)
torch.argmin(x, -1)                # ARG_MIN: torch.argmax(-x, -1)                               exact
F.local_response_norm(x, n)        # square, average-pool over channels, pow, divide
```

Heads that decode (NON_MAX_SUPPRESSION, TOPK over many classes, WHERE, UNIQUE) are best cut from the model and run
by the application.

## What it cannot see
Whether the operator could move out of the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="unsupported-op",
    summary="an operator without a GPU kernel",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)

REWRITES = {
    "SQUEEZE": "RESHAPE to the same shape: exact",
    "EXPAND_DIMS": "RESHAPE to the same shape: exact",
    "LOG_SOFTMAX": "SOFTMAX, then LOG: to about 1e-6",
    "L2_NORMALIZATION": "MUL(x, RSQRT(SUM(x * x) + 1e-6)): to rounding, mind `fp16-overflow-norm`",
    "LOCAL_RESPONSE_NORMALIZATION": "SQUARE, AVERAGE_POOL_2D over the channels laid along an axis of the map, POW, DIV",
    "ARG_MIN": "ARG_MAX of NEG(x): exact",
    "ZEROS_LIKE": "store a constant of zeros: exact",
    "FILL": "store the filled tensor as a constant: exact",
    "RANGE": "store the range as a constant: exact",
    "SHAPE": "with static shapes it is a constant: export with fixed sizes",
    "RANK": "it is a constant: fold it at export",
    "BROADCAST_ARGS": "with static shapes it is a constant: export with fixed sizes",
    "L2_POOL_2D": "SQUARE, AVERAGE_POOL_2D, SQRT: to rounding",
    "BITWISE_XOR": "on 0/1 masks, NOT_EQUAL(a, b): exact",
    "REVERSE_SEQUENCE": "with constant lengths, slices and REVERSE_V2: exact",
    "BATCH_TO_SPACE_ND": "it surrounds a dilated convolution: convert with the dilation in CONV_2D itself: exact",
    "SPACE_TO_BATCH_ND": "it surrounds a dilated convolution: convert with the dilation in CONV_2D itself: exact",
    "SCATTER_ND": "with constant indices, CONCATENATION of slices; with runtime ones, a one-hot matmul: exact",
    "CONV_3D": "sum of CONV_2D over the kernel's depth slices: exact up to the order of additions",
    "SEGMENT_SUM": "with constant segments, a matmul with a 0/1 matrix: exact up to the order of additions",
    "MATRIX_DIAG": "MUL with a constant identity matrix: exact",
    "FAKE_QUANT": "export without it, or quantize for real",
    "REAL": "carry real and imaginary parts as two tensors",
    "IMAG": "carry real and imaginary parts as two tensors",
    "COMPLEX_ABS": "SQRT(re² + im²) on two real tensors",
    "RFFT2D": "a DFT is a fixed linear map: two matmuls or convolutions with constant cosines and sines",
    "NON_MAX_SUPPRESSION_V4": "cut it from the model and decode in the application",
    "NON_MAX_SUPPRESSION_V5": "cut it from the model and decode in the application",
    "WHERE": "cut it from the model: its output has no static shape",
    "UNIQUE": "cut it from the model: its output has no static shape",
    "VAR_HANDLE": "carry the state as a graph input and output instead of a resource variable",
    "READ_VARIABLE": "carry the state as a graph input and output instead of a resource variable",
    "ASSIGN_VARIABLE": "carry the state as a graph input and output instead of a resource variable",
    "CALL_ONCE": "carry the state as a graph input and output instead of a resource variable",
    "WHILE": "unroll the loop at export, or run it in the application",
    "IF": "compute both branches and combine them by a 0/1 mask, or decide in the application",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "unroll it at export into FULLY_CONNECTED, LOGISTIC, TANH, MUL and ADD: exact",
    "BIDIRECTIONAL_SEQUENCE_LSTM": "unroll it at export into FULLY_CONNECTED, LOGISTIC, TANH, MUL and ADD: exact",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "unroll it at export into FULLY_CONNECTED and its activation: exact",
    "DENSIFY": "store the weights dense",
}
"""Operators to what replaces them, and how exactly."""


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    known = REWRITES.get(op.name)
    if known is not None:
        return known
    return f"express {op.title} by operators that have kernels, or cut it from the model and run it in the application"
