"""Operators that work element by element: unary, binary, comparisons, logic, and the RELU family.

Source: ElementwiseOperationParser, ReLUOperationParser and their neighbours in ml_drift_delegate/tflite/model_builder.cc, v2.2.0.
"""

from __future__ import annotations

from ..conditions import (
    inputs_constants_outputs,
    max_version,
    outputs_readable,
    readable,
    runtime_inputs,
)
from ..kernel import Kernel, Kernels
from ..node import Node
from ..refusal import Cause, Refusal, Refusals
from ..types import BASE_IN, BASE_OUT, BFLOAT16, SIGNED


def unary(n: Node) -> Refusals:
    """One runtime operand. Highest versions: ABS 5, GELU 3, all others 2."""
    yield from max_version(n, {"ABS": 5, "GELU": 3}.get(n.op.name, 2))
    yield from inputs_constants_outputs(n, 1, 0, 1)
    if n.since("2.1.5"):  # before, outputs were tested with the other tensors, after the operands
        yield from outputs_readable(n)
    yield from readable(n, 0)


def relu_0_to_1(n: Node) -> Refusals:
    """Accepted up to 2.1.4. From 2.1.5 the compatibility table is asked, and it has no entry for it."""
    yield from max_version(n, 2)
    if n.since("2.1.5"):
        yield Refusal(Cause.KERNEL, "Not supported op RELU_0_TO_1")
    yield from runtime_inputs(n, 1)
    yield from readable(n, 0)


_FLOAT_IN, _FLOAT_OUT = BASE_IN | BFLOAT16, BASE_OUT | BFLOAT16
_NUMBER_IN, _NUMBER_OUT = _FLOAT_IN | SIGNED, _FLOAT_OUT | SIGNED

KERNELS: Kernels = {
    "ABS": Kernel(unary, _NUMBER_IN, _NUMBER_OUT),
    "RELU_0_TO_1": Kernel(relu_0_to_1, BASE_IN, BASE_OUT),
}
