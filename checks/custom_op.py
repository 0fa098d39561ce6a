"""A custom operator that the runtime does not know, or that the GPU refuses.

## What it reports
A CUSTOM operator that is not registered (the model cannot run at all), a TensorFlow operator that needs the Flex
delegate, and a registered custom operator without a GPU kernel (such as TFLite_Detection_PostProcess).

## Why it matters
An unresolved custom operator fails on the CPU too: `Encountered unresolved custom op: X.` The default runtime
registers only NumericVerify, Mfcc, AudioSpectrogram, TFLite_Detection_PostProcess and aeq.hadamard_rotation; with
the GPU requested it adds stubs for the custom names that its delegate parses (four up to 2.1.2, eight from 2.1.3,
nine from 2.2.0).

## What to do
Cut the head that needs the custom operator from the model and run it in the application (detection decoding and
NMS), or convert with builtin operators only:

```python
# ai-edge / litert-torch: keep NMS and box decoding out of the exported module
class Export(torch.nn.Module):
    def forward(self, x):
        return self.net.raw_heads(x)
```

## What it cannot see
Operators that the application registers itself: it judges the runtime as released.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.delegate.refusal import Refusal
from ..linter.findings import Finding, Kind, Rule, Severity
from ..linter.model import Operator, Subgraph
from ._failed import failed
from ._refused import findings

RULE = Rule(
    id="custom-op",
    summary="a custom operator that is not registered, or has no GPU kernel",
    kind=Kind.REJECTED,
    severity=Severity.ERROR,
    since="0.1.0",
    references=("LiteRT#7936",),
)


def check(case: Case) -> Iterator[Finding]:
    yield from findings(case, RULE, _advice)
    yield from failed(
        case,
        RULE,
        Fault.CUSTOM_OP,
        advice="convert with builtin operators only, or cut the part that needs it from the model; "
        "an application may also register it itself",
    )
    yield from failed(
        case,
        RULE,
        Fault.FLEX_OP,
        advice="convert without TensorFlow (Flex) operators: the GPU runtime does not link the Flex delegate",
    )


def _advice(graph: Subgraph, op: Operator, why: Refusal) -> str:
    name = op.custom_code or "the operator"
    return f"cut {name} from the model and run it in the application, or express it by builtin operators"
