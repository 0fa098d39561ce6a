"""The operators that the delegate has a kernel for, one module a family.

A kernel is a generator that yields what the delegate says at each condition that fails, in the delegate's order;
the first one counts. Differences between releases stand where the condition is (`n.since("2.1.6")`), with their
source beside them."""

from __future__ import annotations

from ..kernel import Kernels
from . import (
    convolution,
    elementwise,
    matmul,
    movement,
    quantization,
    recurrent,
    reduction,
    selection,
    stablehlo,
)

BUILTINS: Kernels = {
    **convolution.KERNELS,
    **elementwise.KERNELS,
    **matmul.KERNELS,
    **movement.KERNELS,
    **quantization.KERNELS,
    **recurrent.KERNELS,
    **reduction.KERNELS,
    **selection.KERNELS,
    **stablehlo.KERNELS,
}
"""Builtin operator name to kernel. An operator that is not here is refused on every release."""
