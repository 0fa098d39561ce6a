"""The sum that an ADD returns is never written when its only consumer is computed together with it.

## What it reports
The result of an ADD or ADD_N that is an output of the model, or that the CPU reads, and that has a single consumer on
the GPU with which the delegate unites it:

* SUM, MEAN, REDUCE_MAX, REDUCE_MIN or REDUCE_PROD, along any axes, or an average pool over the whole map: on every
  release, when two different runtime tensors of one shape are added, with no fused activation;
* a convolution or FULLY_CONNECTED, when a scalar or a value for each channel is added: on every release;
* an elementwise operator: up to 2.1.5, whatever is added.

On OpenCL, an ADD of two runtime tensors that is an output and is consumed at all is named as well, as information.

## Why it matters
The runtime returns zeros, garbage or the bytes of a tensor that used the memory before: often one of the operands,
which is how it was noticed (LiteRT#8599: OpenCL, 2.1.3, 2.1.5 and 2.1.6). What the consumer computes is right, so the
rest of the model is. Streaming states (`acc = acc + x`, returned, and reduced) and residual blocks
(`y = x + f(x)`, returned, and averaged) have this shape. Measured on WebGPU on 2.1.2 to 2.3.0 in fp32; a tensor that
leaves the GPU for the CPU is lost in the same way (2.1.4 to 2.3.0). Exposing an intermediate to debug a model can
create the fault.

## What to do
Return a copy. It is exact and needs no further input:

```python
y = x + f(x)
return y.mean((2, 3)), y                    # y is never written
return y.mean((2, 3)), y.reshape(y.shape)   # RESHAPE to the same shape; add it to the converted graph if it is folded
```

Equally right: a second copy of the ADD; a further consumer of the sum whose result is an output; `y * one` with a
runtime input that holds 1. Not right: SLICE of everything, when the sum itself stays an output.

## What it cannot see
Whether a backend other than WebGPU unites the same operators: there it is a warning, because the passes are shared.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._delegated import applies, delegate_graphs
from ._evidence import reported
from ._lost import ADVICE, lost_outputs
from ._operands import constant_behind

RULE = Rule(
    id="add-output-aliasing",
    summary="the sum that an ADD returns is never written",
    kind=Kind.MISCOMPUTE,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("https://github.com/google-ai-edge/LiteRT/issues/8599",),
)

SUMS = ("ADD", "ADD_N")


def check(case: Case) -> Iterator[Finding]:
    yield from lost_outputs(case, RULE, lambda merge: merge.producer.name in SUMS)
    if case.backend == "opencl":
        yield from _reported(case)


def _reported(case: Case) -> Iterator[Finding]:
    """The report names every ADD that is returned and consumed; its own example is the measured pair ADD, SUM."""
    for found in delegate_graphs(case):
        graph = found.graph
        lost = {merge.tensor for merge in found.lost() if applies(case, merge.until)}
        for op in graph.operators:
            if op.name != "ADD" or not case.on_gpu(graph, op) or not _of_runtime_tensors(graph, op):
                continue
            total = op.outputs[0]
            if total in lost or total not in graph.outputs or not graph.consumers.get(total):
                continue
            yield RULE.finding(
                place(graph, op, (total,)),
                f"{graph.label(total)} is a sum that is returned and consumed; "
                "a report on OpenCL has such a sum come back as one operand",
                advice=ADVICE,
                severity=Severity.INFO,
                confidence=Confidence.REPORTED,
                evidence=(
                    reported(
                        "an operand is returned instead of the sum (ADD, then SUM)",
                        "opencl",
                        "LiteRT#8599",
                        ("2.1.3", "2.1.5", "2.1.6"),
                        "fp16",
                    ),
                ),
            )


def _of_runtime_tensors(graph: Subgraph, op: Operator) -> bool:
    tensors = [graph.tensors[index] for index in op.inputs if index >= 0]
    return len(tensors) == 2 and all(constant_behind(graph, tensor) is None for tensor in tensors)
