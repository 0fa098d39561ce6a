"""A maximum over values below -10000, or over integers, where MAX_POOL_2D starts from -10000.

## What it reports
A MAX_POOL_2D whose values can all be below -10000, as far as the file or `--input-range` tells: additive masks of -1e9,
scaled logits; and one over INT8 or UINT8 data without quantization parameters.

## Why it matters
The kernel starts its maximum at -10000: a window whose values are all lower returns -10000. Measured on WebGPU on
2.1.2 to 2.3.0, fp32, and in fp16 on 2.1.3 to 2.3.0. Over integers the shader does not compile for that start
(`no matching constructor for 'vec4<i32>(abstract-float)'`), and the result is not written; on 2.1.2 the run fails.
Quantized data and REDUCE_MAX are right.

## What to do
Exact where the values allow it:

```python
F.max_pool2d(x.clamp(min=-1e4), 2)             # the mask needs no more than -10000
F.max_pool2d(x / 2**k, 2) * 2**k               # a power of two that brings the values above -10000
```

A pool over the whole map: REDUCE_MAX.

## What it cannot see
Values that nothing bounds: it is silent about them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.findings import Finding, Kind, Rule, Severity, place
from ..linter.ranges import ranges_of
from ._evidence import measured

RULE = Rule(
    id="max-pool-floor",
    summary="MAX_POOL_2D starts its maximum at -10000",
    kind=Kind.MISCOMPUTE,
    severity=Severity.WARNING,
    since="0.1.0",
)

FLOOR = -10000.0
INTEGERS = ("INT8", "UINT8")


def check(case: Case) -> Iterator[Finding]:
    for graph, op in case.gpu_operators("MAX_POOL_2D"):
        if not op.inputs or op.inputs[0] < 0:
            continue
        data = graph.tensors[op.inputs[0]]
        where = place(graph, op, (*op.inputs, *op.outputs))
        if data.type in INTEGERS and not data.quantized:
            yield case.hazard(
                RULE,
                where,
                f"the maximum over {data.type} data without quantization parameters is not written: "
                "its shader does not compile",
                advice="CAST to FLOAT32 before the pool, or use REDUCE_MAX",
                evidence=(measured("zeros; `Error while parsing WGSL` in the log"),),
            )
            continue
        known = ranges_of(case).worst(graph, data.index)
        if not known.lo < FLOOR or known.lo == float("-inf"):
            continue
        certain = known.hi < FLOOR
        values = "are all" if certain else "may all be"
        yield case.hazard(
            RULE,
            where,
            f"windows of {graph.label(data.index)} whose values {values} below -10000 "
            f"(it reaches {known.lo:.4g}) return -10000",
            advice="clamp the values at -10000 before the pool, or scale them down by a power of two and up again",
            severity=Severity.ERROR if certain else Severity.WARNING,
            evidence=(measured("-10000 where every value of a window is lower"),),
        )
