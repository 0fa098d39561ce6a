"""Whether the delegate accepts one operator.

Order: is there a kernel; what the kernel itself tests; rank and type of every tensor (GetOpsToReplaceWithOptions,
ml_drift_delegate/tflite/model_builder.cc, v2.2.0). The first failure is the operator's one message.
"""

from __future__ import annotations

from .kernel import Kernel, types_of
from .kernels import BUILTINS
from .kernels.composite import named_kernel
from .node import Node
from .refusal import Cause, Refusal, Refusals

PACKED = frozenset({"INT2", "INT4"})
"""Types of runtime inputs that are taken from 2.1.6 on (measured on CONV_2D and FULLY_CONNECTED)."""

NO_KERNEL = Refusal(Cause.KERNEL, "Operation is not supported.")


def refusal(n: Node) -> Refusal | None:
    """What the delegate says against an operator, None when it accepts it."""
    kernel = named_kernel(n) if n.op.name in ("STABLEHLO_COMPOSITE", "CUSTOM") else BUILTINS.get(n.op.name)
    if kernel is None:
        return NO_KERNEL
    return next(kernel.check(n), None) or next(_ranks_and_types(n, kernel), None)


def _ranks_and_types(n: Node, kernel: Kernel) -> Refusals:
    for tensors, rule in ((n.inputs, kernel.takes), (n.outputs, kernel.gives)):
        types = types_of(rule, n)
        for tensor in tensors:
            if tensor is None:
                continue
            if tensor.rank > 4:
                yield Refusal(
                    Cause.RANK,
                    f"Tensor dimensions must be less than 5. {n.label(tensor)}",
                    (tensor.index,),
                )
            refused = tensor.type not in types or (tensor.type in PACKED and n.before("2.1.6"))
            if refused and n.in_arena(tensor):
                yield Refusal(
                    Cause.TYPE,
                    f"Tensor type({tensor.type}) is not supported. {n.label(tensor)}",
                    (tensor.index,),
                )
