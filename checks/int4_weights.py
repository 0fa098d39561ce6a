"""Weights of 4 bits, on the backends that were reported with them.

## What it reports
- On OpenCL: a FULLY_CONNECTED with constant INT4 weights that have a scale a channel.
- On Metal: an EMBEDDING_LOOKUP of an INT4 or INT2 table, and a FULLY_CONNECTED with INT4 weights in blocks.

One finding a subgraph and operator, which counts them.

## Why it matters
Reported for language models, where the CPU and other devices were right with the same file: with INT4 weights a
channel the answers drift on an Adreno (LiteRT-LM#3577, LiteRT-LM 0.16.0 and 0.17.0). On Macs and iPhones an INT4
embedding table kills or hangs the process while the graph is parsed, and INT4 weights in blocks of 128 crash the Metal
compiler (LiteRT-LM#3129 and others, 0.14 and 0.15). What WebGPU does with such weights is `kernel-creation`'s.

## What to do
```python
recipe.add_dynamic_config(regex=".*", operation_name="FULLY_CONNECTED", num_bits=8)       # ai-edge-quantizer
```

INT8 with a scale a channel is right where INT4 was reported; keep the embedding table in INT8, or look it up in the
application.

## What it cannot see
Which devices are hit: each report is of one family. Whether an answer drifts, or the model is simply worse in 4 bits,
shows in a comparison with the CPU on the same file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Confidence, Evidence, Finding, Kind, Rule, Severity, place
from ..linter.model import Operator, Subgraph
from ._evidence import reported
from ._operands import operand, tally

RULE = Rule(
    id="int4-weights",
    summary="weights of 4 bits, where they were reported wrong or fatal",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
    references=("LiteRT-LM#3577", "LiteRT-LM#3129"),
)

DRIFTS = reported("answers drift on an Adreno, right on the CPU", "opencl", "LiteRT-LM#3577")
FATAL = reported("the process dies or hangs while the graph is built", "metal", "LiteRT-LM#3129")


def check(case: Case) -> Iterator[Finding]:
    if case.backend not in ("opencl", "metal"):
        return
    suspect = _on_opencl if case.backend == "opencl" else _on_metal
    found: dict[tuple[int, str], list[Operator]] = {}
    for graph, op in case.gpu_operators():
        if suspect(graph, op):
            found.setdefault((graph.index, op.name), []).append(op)
    for (index, name), ops in found.items():
        yield _finding(case, case.model.subgraphs[index], name, ops)


def _finding(case: Case, graph: Subgraph, name: str, ops: list[Operator]) -> Finding:
    weights = operand(graph, ops[0], 1)
    evidence: Evidence = DRIFTS if case.backend == "opencl" else FATAL
    said = f"{weights.type} weights {graph.label(weights.index)} {list(weights.shape)}" if weights else "4-bit weights"
    return RULE.finding(
        place(graph, ops[0], ops[0].inputs[1:2]),
        f"{name} with {said}{tally(ops)}: {evidence.outcome} (reported)",
        advice="use INT8 with a scale a channel in place of INT4",
        kind=Kind.MISCOMPUTE if case.backend == "opencl" else Kind.LOAD,
        confidence=Confidence.REPORTED,
        evidence=(evidence,),
    )


def _on_opencl(graph: Subgraph, op: Operator) -> bool:
    weights = operand(graph, op, 1)
    if op.name != "FULLY_CONNECTED" or weights is None or not weights.constant or weights.type != "INT4":
        return False
    return weights.quantization is not None and weights.quantization.scale_count > 1


def _on_metal(graph: Subgraph, op: Operator) -> bool:
    weights = operand(graph, op, 1)
    if weights is None or not weights.constant or weights.type not in ("INT4", "INT2"):
        return False
    if op.name == "EMBEDDING_LOOKUP":
        return True
    blocks = weights.quantization is not None and weights.quantization.kind == "blockwise"
    return op.name == "FULLY_CONNECTED" and blocks
