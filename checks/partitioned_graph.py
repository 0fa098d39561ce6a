"""A graph that runs on the GPU only in part, and what to fix first.

## What it reports
A subgraph of which some operators are refused. It ranks the refused operators by what the GPU partition would win
if they were accepted: first the one fix that wins most, then the next with that one fixed.

## Why it matters
The delegate keeps one partition a subgraph, the largest (measured on every release; tflite/delegates/utils.cc,
v2.2.0). One refused operator in the middle can so send thousands of accepted ones to the CPU. With a GPU-only
accelerator set any refused operator stops the model from being created.

It is silent where a single kind of operator is refused and no accepted operator is left out: then that operator's
own finding says it all.

## What to do
Fix the operators in the order given. Each has a finding of its own with its rewrite:

```
tflint model.tflite --accelerators gpu,cpu          what is refused is a warning, the rest runs on the CPU
tflint explain gather-nd                            the rewrite of one
tflint model.tflite --confirm                       the runtime's own sentence beside the prediction
```

## What it cannot see
Time: it counts operators, and a convolution counts as much as a RESHAPE. The rewrite may add operators of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.partition import FixOrders
from ..linter.delegate.placement import SubgraphPlacement
from ..linter.findings import Confidence, Finding, Kind, Rule, Severity
from ..linter.model import Subgraph
from ._evidence import measured

RULE = Rule(
    id="partitioned-graph",
    summary="the graph runs on the GPU only in part",
    kind=Kind.PLACEMENT,
    severity=Severity.INFO,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    to_fix = case.placement.to_fix()
    for placed in case.placement.subgraphs:
        refused = to_fix.get(placed.index, ())
        kinds = {case.model.subgraphs[placed.index].operators[index].title for index in refused}
        stranded = placed.cpu - len(refused)
        if kinds and (stranded or len(kinds) > 1):
            yield _finding(case, placed, refused)


def _finding(case: Case, placed: SubgraphPlacement, refused: tuple[int, ...]) -> Finding:
    graph = case.model.subgraphs[placed.index]
    steps = case.derive(FixOrders).of(placed.index, refused)
    total = placed.gpu + placed.cpu
    names: dict[str, list[int]] = {}
    for index in refused:
        names.setdefault(graph.operators[index].title, []).append(index)
    listed = ", ".join(f"{len(where)} {name}" for name, where in sorted(names.items()))
    which = f"subgraph {graph.index}: " if len(case.model.subgraphs) > 1 else ""
    message = (
        f"{which}{placed.gpu} of {total} operators stay on the GPU, the largest of {len(placed.partitions)} "
        f"partitions; refused: {listed}"
    )
    advice = "; then ".join(f"{_named(graph, step.operators)}: {step.gpu} of {total} on the GPU" for step in steps)
    return RULE.finding(
        None,
        message,
        advice=f"fix first: {advice}" if advice else "fix every refused operator",
        confidence=Confidence.MEASURED if case.backend == "webgpu" else Confidence.SOURCE,
        evidence=(measured("one partition a subgraph, the largest, is kept", (case.litert,)),),
    )


def _named(graph: Subgraph, operators: tuple[int, ...]) -> str:
    """``GATHER_ND (3, 17, 20 and 4 more)``: the kind, and where in the plan."""
    shown = ", ".join(map(str, operators[:3]))
    more = f" and {len(operators) - 3} more" if len(operators) > 3 else ""
    return f"{graph.operators[operators[0]].title} ({shown}{more})"
