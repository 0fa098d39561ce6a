"""Variable tensors, which CompiledModel does not load.

## What it reports
A tensor marked as variable (state of an LSTM, SVDF or RNN operator).

## Why it matters
CompiledModel refuses the model at load: `Variable tensors not yet supported.` The older Interpreter runs it.

## What to do
Carry the state as graph inputs and outputs:

```python
def forward(self, x, state):
    y, state = self.cell(x, state)
    return y, state
```

The application feeds the state that the last run returned, zeros at first: exact.

## What it cannot see
Whether the state matters: a model that is run once on a whole sequence can drop it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..linter.case import Case
from ..linter.delegate.failure import Fault
from ..linter.findings import Finding, Kind, Rule, Severity
from ._failed import failed

RULE = Rule(
    id="variable-tensor",
    summary="variable tensors are not supported",
    kind=Kind.LOAD,
    severity=Severity.ERROR,
    since="0.1.0",
)


def check(case: Case) -> Iterator[Finding]:
    yield from failed(
        case,
        RULE,
        Fault.VARIABLE_TENSOR,
        advice="carry the state as graph inputs and outputs",
    )
