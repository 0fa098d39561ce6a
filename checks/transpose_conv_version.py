"""A TRANSPOSE_CONV of version 4 or above.

## What it reports
A TRANSPOSE_CONV operator whose version the delegate does not take: 4 (a fused activation) or 5.

## Why it matters
`Max version supported: 3. Requested version 4.` on every release (measured 2.1.2 to 2.3.0). The converter writes
version 4 when it fuses an activation into the operator.

## What to do
Take the activation out of the operator, and version 3 holds all of it: exact. Converters fuse it on their own, so it
is done in the file, here for RELU:

```python
import flatbuffers
from ai_edge_litert import schema_py_generated as schema

model = schema.ModelT.InitFromPackedBuf(bytearray(open("model.tflite", "rb").read()), 0)
relu = schema.OperatorCodeT()
relu.builtinCode = relu.deprecatedBuiltinCode = schema.BuiltinOperator.RELU
relu.version = 1
model.operatorCodes.append(relu)
for graph in model.subgraphs:
    for op in list(graph.operators):
        options = op.builtinOptions
        if not isinstance(options, schema.TransposeConvOptionsT):
            continue
        if options.fusedActivationFunction != schema.ActivationFunctionType.RELU:
            continue
        options.fusedActivationFunction = schema.ActivationFunctionType.NONE
        model.operatorCodes[op.opcodeIndex].version = 3
        result, inner, last = graph.tensors[op.outputs[0]], schema.TensorT(), schema.OperatorT()
        inner.name, inner.shape, inner.type = b"before_relu", result.shape, result.type
        graph.tensors.append(inner)
        last.opcodeIndex = len(model.operatorCodes) - 1
        last.inputs, last.outputs = [len(graph.tensors) - 1], [op.outputs[0]]
        op.outputs = [len(graph.tensors) - 1]
        graph.operators.insert(graph.operators.index(op) + 1, last)
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), b"TFL3")
open("model.tflite", "wb").write(builder.Output())
```

In PyTorch, an activation that the converter does not fuse (LeakyReLU, SiLU) keeps the version down, and so do
zero-stuffing and a plain convolution, which give the same result to about 1e-7.

## What it cannot see
Setting the version back without removing the fused activation loses the activation: see `transpose-conv-activation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ..linter.options import TransposeConvOptions
from ._refused import findings

RULE = Rule(
    id="transpose-conv-version",
    summary="TRANSPOSE_CONV of a version above 3",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    options = op.options_of(TransposeConvOptions)
    if options is not None and options.fused_activation_function != "NONE":
        activation = options.fused_activation_function
        return f"take the fused {activation} out into an operator of its own and write version 3: exact"
    return "write it as version 3 or below: without a fused activation nothing in it needs a later one"
