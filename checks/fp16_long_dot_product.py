"""A sum of products so long that half precision stops adding.

## What it reports
BATCH_MATMUL, convolutions, FULLY_CONNECTED and CUMSUM that add more terms than the measured limits, one finding a
graph that names the longest; and attention (SOFTMAX times values) over more than 512 keys. Where all terms are equal
and known, the sum is computed as the GPU does. No finding: a CUMSUM of whole numbers that stays below 2048, and
ONE_HOT times a table.

## Why it matters
These kernels add term by term into one accumulator of half precision on WebGPU. Few rows are added into several: up to
16 rows of a FULLY_CONNECTED or of a BATCH_MATMUL with a constant matrix, up to 16 pixels of a CONV_2D 1x1, up to 16
rows of each matrix of a BATCH_MATMUL with adj_y. From the 17th row on there is one accumulator. A term below 1/4096 of
the running sum is lost: sums of equal sign stall at 2048 times the term. With positive terms the error is 1.1 % at
512, 2 % at 1024, 4 % at 2048, 11 % at 4096 and 40 % at 16384 terms; with weights of both signs about 1 % at 1024 to
2048 and 3.5 % at 16384. With several accumulators: 0.3 % at 4096, 1.1 % at 8192. Attention over 1024 keys is off by
1.8 %, over 4096 by 11 %. Measured on WebGPU on 2.1.2 to 2.3.0. On OpenCL, 2.2.0 brought a mode that accumulates in
fp32; convolution results in the thousands are reported to lose accuracy on 2.1.3 (Mali).

## What to do
```python
# K terms in chunks of 256: the SUM over the chunks accumulates in fp32 (0.1 to 0.5 % at every K)
y = (a.reshape(b, m, k // 256, 256).transpose(1, 2) @ w.reshape(1, k // 256, 256, n)).sum(1)
y = F.linear(a, w)                       # up to 16 rows, instead of a BATCH_MATMUL: to 4096 terms
# a convolution over many channels: blocks of 64 input channels, the outputs added (0.5 to 0.7 %)
```

## What it cannot see
The values: data of zero mean suffers least. Quantized activations were not measured. OpenCL and Metal may accumulate
otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..linter.case import Case
from ..linter.constant_facts import contraction
from ..linter.constants import integers
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import INTEGERS, rounded, running
from ..linter.model import Operator, Subgraph
from ..linter.options import BatchMatMulOptions
from ..linter.patterns import origin
from ..linter.ranges import Ranges, ranges_of
from ._folded import factor_of
from ._precision import accumulated, makes_floats, mobile

RULE = Rule(
    id="fp16-long-dot-product",
    summary="a sum of products so long that half precision stops adding",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

MIXED, SAME_SIGN, EQUAL = 1024, 512, 257
"""Terms from which on one accumulator is off by 1 % or more: weights of both signs or unknown, of one sign, and all
the same."""
MANY_MIXED, MANY_EQUAL = 8192, 2048
"""The same for kernels with several accumulators."""
KEYS = 512
"""Attention up to here is within 1 %; a number that is no power of two only to half of it, where all scores are
equal."""
RUNNING = 512
FEW_ROWS = 16
"""Rows or pixels up to which some kernels have several accumulators."""
ACCUMULATORS = 8
"""How many those are: sums of equal terms came out as computed so, to the last bit."""
LIMIT = 0.01


class Long(NamedTuple):
    """One operator beyond its limit."""

    terms: int
    graph: Subgraph
    op: Operator
    kind: str


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    found: dict[tuple[int, bool], list[Long]] = {}
    for graph, op in case.operators():
        terms = _terms(case, ranges, graph, op)
        if terms is None or not makes_floats(graph, op) or not case.on_gpu(graph, op):
            continue
        attention = terms[1] == "keys"
        found.setdefault((graph.index, attention), []).append(Long(terms[0], graph, op, terms[1]))
    for (_, attention), long in sorted(found.items()):
        yield _finding(case, long, attention)


def _finding(case: Case, found: list[Long], attention: bool) -> Finding:
    longest = max(found, key=lambda entry: entry.terms)
    others = f" ({len(found)} operators here are as long or beyond their limit; this is the longest)"
    if attention:
        message = f"SOFTMAX times values adds over {longest.terms} keys in one accumulator of half precision"
        advice = "split the keys into chunks of 256 (RESHAPE, BATCH_MATMUL) and SUM over the chunks: within 0.5 %"
        outcome = "1.8 % at 1024 keys, 11 % at 4096, 40 % at 16384"
    else:
        message = f"{longest.op.name} adds {longest.terms} {longest.kind} in half precision"
        advice = _advice(longest.op)
        outcome = "positive terms: 1.1 % at 512, 2 % at 1024, 11 % at 4096; both signs: about 1 % at 1024"
    return accumulated(
        case,
        RULE,
        place(longest.graph, longest.op, (*longest.op.inputs[:2], longest.op.outputs[0])),
        message + (others if len(found) > 1 else ""),
        advice=advice,
        outcome=outcome,
        also=(mobile("convolution results in the thousands lose accuracy", "field report, 2.1.3"),),
    )


def _advice(op: Operator) -> str:
    if op.name == "CUMSUM":
        return "CUMSUM of chunks of 64, plus the CUMSUM of their SUMs less each SUM: exact for 4096 terms"
    if op.name in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"):
        return "split the input channels into blocks of 64 and add the outputs (0.5 to 0.7 %)"
    return "split the terms into chunks of 256 (RESHAPE, BATCH_MATMUL) and SUM over the chunks: within 0.3 %"


def _terms(case: Case, ranges: Ranges, graph: Subgraph, op: Operator) -> tuple[int, str] | None:
    """How many terms an operator adds, where that is too many."""
    if op.name == "CUMSUM" and len(op.inputs) > 1 and min(op.inputs[:2]) >= 0:
        axes, shape = graph.tensors[op.inputs[1]], graph.tensors[op.inputs[0]].shape
        along = integers(case.model, axes) if axes.constant else None
        count = shape[along[0]] if along and -len(shape) <= along[0] < len(shape) else 0
        producer = graph.producer(op.inputs[0])
        if producer is not None and producer.name == "CAST" and ranges.worst(graph, op.outputs[0]).peak <= INTEGERS:
            return None  # whole numbers, exact to the end
        return (count, "terms") if count >= RUNNING else None
    found = contraction(graph, op)
    if found is None:
        return None
    position, terms, step = found
    fed = op.inputs[2 if op.name == "TRANSPOSE_CONV" else 1 - position]
    if graph.tensors[fed].quantized:
        return None
    source = graph.producer(origin(graph, fed))
    if source is not None and source.name == "ONE_HOT":
        return None  # one term
    data = ranges.likely(graph, fed)
    weights = ranges.constants.behind(graph, op.inputs[position])
    if op.name == "BATCH_MATMUL" and weights is None:
        left = graph.producer(origin(graph, op.inputs[0]))
        if left is not None and left.name == "SOFTMAX":
            uneven = terms > KEYS // 2 and terms & (terms - 1) != 0
            return (terms, "keys") if terms > KEYS or uneven else None
    several = 0 < _rows(graph, op) <= FEW_ROWS
    if weights is not None and not weights.quantized and data.lo == data.hi:
        row = ranges.constants.first_row(graph, weights, terms, step)
        if row and min(row) == max(row):
            weight = row[0] * factor_of(ranges, graph, op)
            lost = _drift(data.lo, weight, terms, ACCUMULATORS if several else 1) >= LIMIT
            return (terms, "equal terms") if lost else None
    least, most = (MANY_EQUAL, MANY_MIXED) if several else (EQUAL, MIXED)
    if terms < least or (_is_block(graph, op) and terms < MIXED):
        return None
    if terms >= most:
        return terms, "terms"
    row = ranges.constants.first_row(graph, weights, terms, step) if weights is not None else None
    if not row or not any(row):
        return None
    if min(row) == max(row):
        return terms, "terms of equal weight"
    if not several and terms >= SAME_SIGN and (min(row) >= 0 or max(row) <= 0):
        return terms, "terms of one sign"
    return None


def _drift(value: float, weight: float, terms: int, accumulators: int) -> float:
    """The relative error of a sum of equal products, added into as many partial sums."""
    term = rounded(value) * rounded(weight)
    if not term or math.isinf(term) or terms < accumulators:
        return 0.0  # other rules say so
    total = rounded(running(term, terms // accumulators) * accumulators)
    return abs(total / (value * weight * terms) - 1)


def _rows(graph: Subgraph, op: Operator) -> int:
    """How many rows an operator multiplies at once, of those whose kernel depends on that; 0 for all others."""
    data, weights = (graph.tensors[index] for index in op.inputs[:2])
    if op.name == "CONV_2D" and weights.shape[1:3] == (1, 1):
        return math.prod(graph.tensors[op.outputs[0]].shape[:-1])
    if op.name == "FULLY_CONNECTED":
        return data.elements // max(weights.shape[-1], 1)
    options = op.options_of(BatchMatMulOptions)
    if op.name != "BATCH_MATMUL" or (options is not None and options.adj_x):
        return 0
    flipped = options is not None and options.adj_y
    if weights.constant and weights.rank == 2:
        return 0 if flipped else math.prod(data.shape[:-1])
    return data.shape[-2] if flipped else 0


def _is_block(graph: Subgraph, op: Operator) -> bool:
    """Whether this is one block of a convolution that was split on purpose: a part of the channels goes in, and the
    output is added to that of another."""
    producer = graph.producer(op.inputs[0])
    parts = producer is not None and producer.name in ("SLICE", "STRIDED_SLICE", "SPLIT", "SPLIT_V")
    return parts and any(reader.name in ("ADD", "ADD_N") for reader in graph.readers(op.outputs[0]))
