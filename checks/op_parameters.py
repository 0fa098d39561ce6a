"""An option, shape or operand that the operator's GPU kernel does not take.

## What it reports
An operator with a GPU kernel that the delegate refuses for one of its parameters: a runtime axis where a constant
is wanted, an INT64 parameter tensor, a mask of STRIDED_SLICE, SYMMETRIC padding, a padding of a rank-1 or rank-2
tensor, indices of the wrong rank, an EMBEDDING_LOOKUP of a table without scales.

## Why it matters
The operator is refused with the kernel's own words, which the finding repeats. Most conditions are the same on
every release from 2.1.2 to 2.3.0; the finding is for the chosen one.

## What to do
The advice names the accepted form. The frequent ones, all exact:

```python
y = x[0:1].reshape(rest)                                    # not x[0]: shrink_axis_mask
y = F.pad(x[None, None], (1, 1))[0, 0]                      # x of rank 2: pad at rank 4, not 2 (3: `rank-three-pad`)
y = torch.flip(x, [1])                                      # REVERSE_V2, not a slice with a negative stride
y = x.index_select(0, index.reshape(-1)).reshape(shape)     # indices of rank 1 for GATHER
y = torch.topk(x, 5); y = x.reshape(1, 196, 768)            # constants for k, shapes, axes and sizes
z = torch.softmax(beta * x, -1)                             # not a SOFTMAX with beta
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
    ("Empty quantization params", "GATHER along axis 0 in place of EMBEDDING_LOOKUP: exact"),
    ("Unsupported weights type", "store the table in FLOAT32 or INT8, or use GATHER along axis 0: exact"),
    ("Output shape mismatch", "clamp begin and end to the shape of the input, which gives the same slice: exact"),
    ("axis out of range", "count the axis from the front, below the rank"),
    ("OneHot axis", "make the classes the last axis and TRANSPOSE behind it: exact"),
    ("OneHot indices", "RESHAPE the indices to rank 3 or less, ONE_HOT, RESHAPE back: exact"),
    ("lpha shape", "store alpha with one value a channel, or at the input's own height, width and channels"),
    ("Unsupported data type for float32", "store the constant as FLOAT32 or FLOAT16"),
    ("but node has 2 runtime input(s)", "make the parameter (shape, axes, size, k or multiples) a constant"),
    ("but node has 0 const input(s)", "make the axes a constant"),
    ("half_pixel_centers", "set one of the two flags: half_pixel_centers is what PyTorch's align_corners=False means"),
    ("is a no-op", "drop the operator: it copies"),
    ("TopK k", "make k a constant with one element"),
    ("weights format", "convert with the default weights format"),
    ("keep_num_dims", "RESHAPE around it, to the rank of the input and back: exact"),
    ("more than 2 runtime inputs", "drop the bias and ADD it behind: exact up to the order of additions"),
    ("no quant params", "give the output scale and zero point, or drop the QUANTIZE"),
    ("dtype mismatch", "give input and output one element type, with a CAST behind: exact"),
    ("activation depth", "pad the cell to a multiple of 4 with zero weights: exact"),
    ("LSTM", "unroll it at export into FULLY_CONNECTED, LOGISTIC, TANH, MUL and ADD: exact"),
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
