"""An option, shape or operand that the operator's GPU kernel does not take.

## What it reports
An operator with a GPU kernel that the delegate refuses for one of its parameters: a runtime axis where a constant
is wanted, an INT64 parameter tensor, a mask of STRIDED_SLICE, SYMMETRIC padding, a padding of a rank-1 or rank-2
tensor, indices of the wrong rank.

## Why it matters
The operator is refused with the kernel's own words, which the finding repeats. Most conditions are the same on
every release from 2.1.2 to 2.3.0; the finding is for the chosen one.

## What to do
The advice names the accepted form. The frequent ones, all exact:

```python
x[0]                                  # shrink_axis_mask: x[0:1].reshape(...)
F.pad(x2d, (1, 1))                    # rank 2: x2d[None].  Mind `rank-three-pad`: use rank 4
torch.flip(x, [1])                    # reversed STRIDED_SLICE: torch.flip gives REVERSE_V2
x.gather(...) with 2-D indices        # indices of rank 1: flatten, index_select, reshape
```

## What it cannot see
Conditions inside the kernels that no release prints: those are predicted from the released source and measurements.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._refused import findings

RULE = Rule(
    id="op-parameters",
    summary="an option, shape or operand that the GPU kernel does not take",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)

REWRITES = (
    ("shrink_axis_mask", "keep the axis (`x[0:1]`) and RESHAPE after it: exact"),
    ("new_axis_mask", "slice first, then RESHAPE to add the axis: exact"),
    ("ellipsis_mask", "write the slice out for every axis: exact"),
    ("Reverse slices", "use REVERSE_V2 (`torch.flip`): exact"),
    ("expected 4x2 or 3x2", "RESHAPE to rank 4 (`[1, …]`), pad there, RESHAPE back: exact"),
    ("Only Reflective padding", "use reflect padding, or CONCATENATION of slices for symmetric padding: exact"),
    ("1D indices", "flatten the indices to rank 1, GATHER, RESHAPE the result: exact"),
    ("INT32 indices", "make the indices INT32 where they are created: exact"),
    ("src has wrong size", "store the parameter as INT32 instead of INT64: exact"),
    ("src has no data", "make the parameter a constant"),
    ("constant axes", "make the axes a constant"),
    ("Softmax.beta", "scale the logits by beta in front of a SOFTMAX with beta 1: exact"),
    ("start_indices must be a runtime tensor", "with a constant start, CONCATENATION of slices gives the same: exact"),
    ("Permutation for transpose", "transpose at rank 2 to 4: RESHAPE around it"),
    ("ADD_N only supports 2", "chain ADD operators: exact up to the order of additions"),
    (
        "dims size: 0",
        "RESHAPE the scalar operand to one element of the other operand's rank, or make it a constant: exact",
    ),
    ("const tensors", "give the constant a type and shape that the kernel reads: FLOAT32, or INT32 with one element"),
    ("non-constant tensor", "swap the operands so that the constant is the second one, or transpose both: exact"),
    ("quantization scale size", "quantize the activation per tensor; only weights may have a scale per channel"),
    ("Int8, Int4, or Int2", "quantize the weights to INT8 instead of UINT8"),
    ("Dequantize for Densify", "drop the DEQUANTIZE: keep the tensor FLOAT32, or its FLOAT16 weights constant"),
)
"""Words of a refusal to the rewrite that clears it."""


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    for words, rewrite in REWRITES:
        if words in why.message:
            return rewrite
    return f"give {op.title} the form that its kernel takes; the runtime's words above name the condition"
