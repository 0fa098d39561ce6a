"""The rules, one module each. Adding one: the module, its test, and its line in `TABLE`.

A module holds its page as its docstring, `RULE`, and `check(case)`, a generator of findings. Names that start with
an underscore are what several rules share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from ..linter.engine import Registered

TABLE = (
    "add-output-aliasing",
    "argmax-channels",
    "batch-matmul-adjoint",
    "batch-matmul-broadcast",
    "batch-matmul-broadcast-add",
    "batch-matmul-columns",
    "batch-pad",
    "batched-depth-space",
    "broadcast-to",
    "buffer-limit",
    "channel-pad",
    "composite-op",
    "constant-inputs",
    "constant-on-batch-axis",
    "constant-strided-slice",
    "cpu-prepare",
    "cumsum-mode",
    "custom-op",
    "depthwise-multiplier",
    "dequantized-matrix",
    "division-by-padding",
    "dynamic-output",
    "dynamic-shape",
    "dynamic-update-start",
    "embedding-table-scale",
    "folded-scale",
    "fp16-cancellation",
    "fp16-epsilon",
    "fp16-float-index",
    "fp16-long-dot-product",
    "fp16-mask",
    "fp16-overflow-constant",
    "fp16-overflow-norm",
    "fp16-overflow-reduction",
    "fp16-position-angle",
    "fp16-range",
    "fp16-resize-coordinates",
    "fp16-weight-range",
    "fused-output",
    "gather-constant-indices",
    "gather-nd",
    "grouped-conv-channels",
    "identical-inputs",
    "identity-slice",
    "implicit-flatten",
    "int16-scale",
    "int4-weights",
    "integer-constant",
    "integer-pad",
    "kernel-creation",
    "kernel-type",
    "leaky-relu-alpha",
    "lone-concat",
    "malformed-model",
    "max-of-sum",
    "max-pool-floor",
    "mixed-rank-operands",
    "multi-axis-reduction",
    "one-element-softmax",
    "one-hot-rank",
    "op-parameters",
    "op-version",
    "opencl-untested",
    "oversized-constant",
    "pad-before-add",
    "pad-before-pool",
    "padded-value-before-conv",
    "partial-delegation-fails",
    "partitioned-graph",
    "pow-base",
    "prelu-batch",
    "quantized-graph-edge",
    "quantized-matrix-rows",
    "rank-one-operand",
    "rank-over-four",
    "rank-three-attention",
    "rank-three-pad",
    "relu-0-to-1",
    "reverse-channels",
    "runtime-weights-bias",
    "same-tensor-twice",
    "select",
    "select-condition-rank",
    "several-input-convs",
    "softmax-of-infinity",
    "split",
    "split-concat",
    "split-part-copy",
    "split-parts-combined",
    "strided-pointwise-conv",
    "tensor-type",
    "topk-channels",
    "transpose-conv-activation",
    "transpose-conv-same",
    "transpose-conv-version",
    "unfused-branches",
    "unregistered-op",
    "unsupported-op",
    "unwritten-output",
    "variable-tensor",
    "variance-by-squares",
    "written-out-activation",
)
"""Every rule by id, sorted. Ids are public: renamed by alias, never used again for something else."""


def module_name(rule: str) -> str:
    return rule.replace("-", "_")


@cache
def registered(rule: str) -> Registered:
    """The rule of that id and its check; KeyError for an unknown id."""
    if rule not in TABLE:
        raise KeyError(rule)
    module = import_module(f".{module_name(rule)}", __name__)
    return Registered(module.RULE, module.check)


def every() -> tuple[Registered, ...]:
    return tuple(registered(rule) for rule in TABLE)


def some(rules: Iterable[str]) -> tuple[Registered, ...]:
    """The rules of those ids, in table order."""
    wanted = set(rules)
    return tuple(registered(rule) for rule in TABLE if rule in wanted)


def page(rule: str) -> str:
    """The rule's page: Markdown, first line the summary."""
    if rule not in TABLE:
        raise KeyError(rule)
    return (import_module(f".{module_name(rule)}", __name__).__doc__ or "").strip() + "\n"
