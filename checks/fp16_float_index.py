"""Integers above 2048 that are held in a float tensor.

## What it reports
An index that is computed in float and cast to an integer, for a table of more than 2048 rows; a float table of
integers above 2048 that is gathered from; a comparison with an integer constant that half precision does not hold;
and, where the values are known to pass 2048: casts between integer and float, FLOOR_MOD, FLOOR_DIV, rounding and
comparisons in float. Not whole numbers that are only scaled down to ordinary values.

## Why it matters
Integers above 2048 are not exact in half precision: 2049 becomes 2048, from 4096 on only multiples of 4 remain. A flat
index `y * 64 + x` picks the wrong row (2145 picks 2144), FLOOR_MOD by 2 is always 0, neighbours are equal. Measured on
WebGPU on 2.1.2 to 2.3.0; the storage is the same on every backend. INT32 tensors are exact in every operator measured,
to 1e8.

## What to do
```python
index = y.to(torch.int32) * 64 + x.to(torch.int32)      # in integers: exact
```

## What it cannot see
Values that nothing bounds. Logits that are closer to each other than halves are (ARG_MAX and TOPK_V2 then take the
first).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.half import INTEGERS, LARGEST, rounded, spacing
from ..linter.model import Operator, Subgraph
from ..linter.options import GatherOptions
from ..linter.patterns import MOVES
from ..linter.ranges import Ranges, ranges_of
from ._precision import is_float, makes_floats, span, stored

RULE = Rule(
    id="fp16-float-index",
    summary="integers above 2048 that are held in a float tensor",
    kind=Kind.PRECISION,
    severity=Severity.WARNING,
    since="0.1.0",
)

TESTS: dict[str, Callable[[float, float], bool]] = {
    "EQUAL": operator.eq,
    "NOT_EQUAL": operator.ne,
    "LESS": operator.lt,
    "LESS_EQUAL": operator.le,
    "GREATER": operator.gt,
    "GREATER_EQUAL": operator.ge,
}
NORMAL = 64.0
"""Values up to here are ordinary ones."""
WHOLE = ("INT32", "INT64", "INT16", "UINT32")


def check(case: Case) -> Iterator[Finding]:
    if case.fp32:
        return
    ranges = ranges_of(case)
    angles = {(angle.graph, angle.product.index) for angle in ranges.patterns.angles}
    for graph, op in case.operators():
        if len(op.inputs) < 1 or op.inputs[0] < 0 or not op.outputs or op.outputs[0] < 0:
            continue
        if op.name == "CAST":
            found = _cast(ranges, graph, op, angles)
        elif op.name in ("FLOOR_MOD", "FLOOR_DIV") and makes_floats(graph, op):
            found = _beyond(ranges, graph, op, f"{op.name} in float")
        elif op.name in ("FLOOR", "ROUND", "CEIL") and makes_floats(graph, op):
            producer = graph.producer(op.inputs[0])
            computed = producer is not None and producer.name in ("ADD", "MUL", "SUB", "DIV")
            found = _beyond(ranges, graph, op, f"{op.name} of a computed float") if computed else None
        elif op.name in TESTS and len(op.inputs) == 2 and is_float(graph.tensors[op.inputs[0]]):
            found = _comparison(ranges, graph, op)
        elif op.name in ("GATHER", "EMBEDDING_LOOKUP") and makes_floats(graph, op):
            found = _table(ranges, graph, op)
        else:
            continue
        if found is None or not case.on_gpu(graph, op):
            continue
        yield stored(
            case,
            RULE,
            place(graph, op, (op.inputs[0], op.outputs[0])),
            found + ": integers above 2048 are not exact in half precision",
            advice="compute indices and counts in INT32, which is exact",
            outcome="2049 is 2048, 2145 is 2144, FLOOR_MOD by 2 is 0",
            severity=Severity.WARNING,
        )


def _cast(ranges: Ranges, graph: Subgraph, op: Operator, angles: set[tuple[int, int]]) -> str | None:
    source, made = graph.tensors[op.inputs[0]], graph.tensors[op.outputs[0]]
    values = ranges.likely(graph, source.index)
    beyond = values.known and values.peak > INTEGERS
    if is_float(source) and made.type in WHOLE:
        if beyond:
            return f"a float of {span(values)} is cast to {made.type}"
        rows = 0 if values.known else _rows_indexed(graph, made.index)
        return f"a float is cast to an index into {rows} rows" if rows > INTEGERS + 1 else None
    if source.type in WHOLE and is_float(made) and beyond:
        readers = [reader for reader in graph.readers(made.index) if (graph.index, reader.index) not in angles]
        if not all(_is_normalized(ranges, graph, reader) for reader in readers):
            return f"{source.type} of {span(values)} is cast to float and computed with"
    return None


def _is_normalized(ranges: Ranges, graph: Subgraph, op: Operator) -> bool:
    """Whether an operator only scales whole numbers down to ordinary values, which may as well be rounded."""
    if op.name not in ("MUL", "DIV") or not op.outputs or ranges.likely(graph, op.outputs[0]).peak > NORMAL:
        return False
    whole = ("CAST", "CEIL", "FLOOR", "FLOOR_DIV", "FLOOR_MOD", "ROUND")
    return not any(reader.name in whole for reader in graph.readers(op.outputs[0]))


def _rows_indexed(graph: Subgraph, index: int, reach: int = 3) -> int:
    """How many rows the table has that a tensor is an index into; 0 where it is none."""
    most = 0
    for op in graph.readers(index):
        if op.name in MOVES and op.outputs and reach:
            most = max(most, _rows_indexed(graph, op.outputs[0], reach - 1))
        if len(op.inputs) < 2 or min(op.inputs[:2]) < 0:
            continue
        if op.name == "GATHER" and op.inputs[1] == index:
            options, shape = op.options_of(GatherOptions), graph.tensors[op.inputs[0]].shape
            axis = options.axis if options else 0
            if -len(shape) <= axis < len(shape):
                most = max(most, shape[axis])
        elif op.name == "EMBEDDING_LOOKUP" and op.inputs[0] == index:
            most = max(most, *graph.tensors[op.inputs[1]].shape[:1], 0)
        elif op.name == "GATHER_ND" and op.inputs[1] == index:
            most = max(most, *graph.tensors[op.inputs[0]].shape, 0)
    return most


def _beyond(ranges: Ranges, graph: Subgraph, op: Operator, what: str) -> str | None:
    values = ranges.likely(graph, op.inputs[0])
    return f"{what} of {span(values)}" if values.known and values.peak > INTEGERS else None


def _comparison(ranges: Ranges, graph: Subgraph, op: Operator) -> str | None:
    a, b = (ranges.likely(graph, index) for index in op.inputs)
    for constant, data in (op.inputs, op.inputs[::-1]):
        value = ranges.constants.scalar(graph, constant)
        if value is None or ranges.constants.behind(graph, data) is not None:
            continue
        if value != int(value if math.isfinite(value) else 0) or not INTEGERS < abs(value) < LARGEST:
            return None
        if ranges.worst(graph, data).peak <= INTEGERS:
            return None
        return f"{op.name} with {value:.0f}" if _misjudged(op.name, value, constant == op.inputs[1]) else None
    if not a.known or not b.known:
        return None
    if a.lo == a.hi and b.lo == b.hi:
        holds = TESTS[op.name]
        differs = holds(a.lo, b.lo) != holds(rounded(a.lo), rounded(b.lo))
        return f"{op.name} of {a.lo:.6g} and {b.lo:.6g}" if differs else None
    if min(a.peak, b.peak) > INTEGERS:
        return f"{op.name} of floats of {span(a)} and {span(b)}"
    return None


def _misjudged(name: str, value: float, right: bool) -> bool:
    """Whether some integer near a constant compares otherwise once both are halves."""
    holds, step = TESTS[name], int(spacing(value))
    for near in range(int(value) - 2 * step, int(value) + 2 * step + 1):
        exact = holds(near, value) if right else holds(value, near)
        half = holds(rounded(near), rounded(value)) if right else holds(rounded(value), rounded(near))
        if exact != half:
            return True
    return False


def _table(ranges: Ranges, graph: Subgraph, op: Operator) -> str | None:
    """A constant float table that holds integers."""
    index = op.inputs[1] if op.name == "EMBEDDING_LOOKUP" and len(op.inputs) > 1 else op.inputs[0]
    tensor = ranges.constants.behind(graph, index)
    if tensor is None or tensor.type != "FLOAT32":
        return None
    facts = ranges.constants.facts(graph, tensor)
    values = ranges.constants.values(graph, tensor)
    if facts is None or values is None or not INTEGERS < facts.peak < LARGEST:
        return None
    if not all(value == int(value) for value in values) or all(rounded(value) == value for value in values):
        return None
    return f"a float table holds integers to {facts.peak:.0f}"
