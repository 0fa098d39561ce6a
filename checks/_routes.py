"""From a line of a runtime log to the rule that explains it.

The words are those of LiteRT 2.1.2 to 2.3.0 (measured, and read from v2.2.0), of its converter, and of public
reports. What none of the patterns knows is said to be unknown."""

# ruff: noqa: E501 - log lines are quoted as they are printed.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..linter.delegate.refusal import Cause
from ._refused import ALWAYS, GENERAL, SPECIFIC


class Route(NamedTuple):
    """What a log line means: the rules that explain it (none for what no model decides), why it comes, and what to
    do."""

    rules: tuple[str, ...]
    cause: str
    advice: str


class Explained(NamedTuple):
    """One log line, without its prefix, and its route; None when the line is a delegate's and unknown."""

    number: int
    line: str
    route: Route | None


_PREFIXES = (
    # logcat threadtime, brief and time: date, process, level, tag
    re.compile(r"^\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d+\s+\d+\s+\d+\s+(?P<level>[VDIWEFA])\s+(?P<tag>[^:]+):\s?"),
    re.compile(r"^(?:\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d+\s+)?(?P<level>[VDIWEFA])/(?P<tag>[^(]+)\(\s*\d+\):\s?"),
    # absl: level, date, thread, file:line]
    re.compile(r"^(?P<level>[IWEF])\d{4} [\d:.]+\s+\d+ (?P<tag>[\w./-]+):\d+\]\s?"),
    re.compile(r"^(?P<level>INFO|WARNING|ERROR|FATAL): (?:\[(?P<tag>[\w./-]+):\d+\]\s?)?"),
)
_OURS = re.compile(r"tflite|litert|ml_drift|delegate|webgpu|dawn|xnnpack|interpreter|subgraph|\.cc$", re.IGNORECASE)

_OPERATOR = re.compile(r"^(?P<op>[A-Z][A-Z0-9_]+)(?P<custom> [\w.:/-]+)?: (?P<message>.*)$")
"""A line of the delegate's list: operator, the name of a custom one, and why."""

_CAUSES = (
    (re.compile(r"^Max version supported: "), Cause.VERSION),
    (re.compile(r"dimensions must be less than 5|bad input dims size: [5-9]|Unknown layout|rank > 4"), Cause.RANK),
    (re.compile(r"^Tensor type\("), Cause.TYPE),
    (re.compile(r"few identical inputs"), Cause.IDENTICAL),
    (re.compile(r"^Operation is not supported\.|^Not supported op "), Cause.KERNEL),
    (
        re.compile(
            r"but node has 0 runtime input|has 2 const input|Op can only handle 1 or 2 operand|must be a runtime tensor$"
            r"|constant inputs and output must have|doesn't support constant input|Constant input is not supported"
            r"|Constant input\[0\]"
        ),
        Cause.CONSTANT,
    ),
)

_ADVICE = {
    Cause.VERSION: "convert without the form that needs the version, or raise the release where the ceiling rose",
    Cause.RANK: "keep the tensor at rank 4 or below",
    Cause.TYPE: "change the element type where the tensor is created",
    Cause.IDENTICAL: "fold the operator: its result is known",
    Cause.KERNEL: "express it by operators that have kernels; the rule's page lists replacements",
    Cause.CONSTANT: "fold it at export",
    Cause.PARAMETER: "give the operator the form that its kernel takes",
}

_LINES: tuple[tuple[str, Route], ...] = (
    (
        r"^(?:No|\d+) operations will run on the GPU, and (?:all|the remaining) \d+ operations will run on the CPU",
        Route(
            ("partitioned-graph",),
            "the residency of one subgraph",
            "see which operators are refused and what to fix first",
        ),
    ),
    (
        r"^Following operations are not supported by GPU delegate:",
        Route(
            ("unsupported-op",), "the list of refused operators begins", "each line that follows is explained by itself"
        ),
    ),
    (
        r"Some ops are not accelerated|Hint fully delegated to single delegate is set",
        Route(
            ("partitioned-graph",),
            "full residency is required and an operator is refused",
            "fix the refused operators, or allow the CPU",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*cond|args are cond",
        Route(
            ("select-condition-rank",),
            "a SELECT condition of lower rank than the result",
            "RESHAPE the condition to the result's rank",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*DST_X|args are res, DST_X",
        Route(
            ("quantized-matrix-rows",),
            "FULLY_CONNECTED with quantized weights over several rows",
            "RESHAPE the rows to the first axis, or keep the dimensions",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis",
        Route(
            ("gather-constant-indices", "select-condition-rank", "quantized-matrix-rows", "prelu-batch"),
            "a kernel reads a batch that its tensor does not have",
            "lint the model: the rule that fires names the operator",
        ),
    ),
    (
        r"Unsupported weights shape\.?",
        Route(
            ("batch-matmul-columns",),
            "BATCH_MATMUL with adj_y and columns off a multiple of 4",
            "TRANSPOSE explicitly, or 2.1.5 and later",
        ),
    ),
    (
        r"Shape mismatch: \{bhwc",
        Route(
            ("dequantized-matrix",),
            "a constant INT8 matrix behind DEQUANTIZE",
            "quantize dynamically, or store FLOAT16 weights",
        ),
    ),
    (
        r"TopK requires src tensor C dimension to be divisible by 4",
        Route(
            ("topk-channels",), "TOPK_V2 over channels off a multiple of 4", "pad with -1e9 to a multiple of 4 channels"
        ),
    ),
    (
        r"Output id not found",
        Route(("split-concat",), "a graph input is split and put together again", "take the parts with SLICE"),
    ),
    (
        r"includes writable usage and another usage in the same synchronization scope|Invalid CommandBuffer",
        Route(("split-parts-combined",), "two outputs of one split meet in an operator", "take the parts with SLICE"),
    ),
    (
        r"Error while parsing WGSL",
        Route(
            ("batched-depth-space", "cumsum-mode", "lone-concat", "mixed-rank-operands"),
            "a shader does not compile; creation and run succeed and the result is unwritten",
            "lint the model: the rule that fires names the operator",
        ),
    ),
    (r"Check failed: CanReadValue", Route(("split",), "SPLIT with one output kills the process", "drop the SPLIT")),
    (
        r"Check failed: !IsInput\(consumer",
        Route(
            ("same-tensor-twice",), "one tensor in two operands kills the process", "give one operand a copy by RESHAPE"
        ),
    ),
    (
        r"Encountered unresolved custom op: ",
        Route(
            ("custom-op",), "a custom operator that is not registered", "convert with builtin operators, or register it"
        ),
    ),
    (
        r"Select TensorFlow op\(s\), included in the given model",
        Route(("custom-op",), "a TensorFlow operator without the Flex delegate", "convert without Flex operators"),
    ),
    (
        r"Didn't find op for builtin opcode|Op builtin_code out of range",
        Route(
            ("unregistered-op",),
            "an operator or version that this runtime does not have",
            "raise the release, or convert for the older one",
        ),
    ),
    (
        r"delegate that only supports static-sized tensors|is a dynamic-sized tensor",
        Route(
            ("dynamic-shape",),
            "a shape that is only known at run time",
            "export with fixed sizes and constant shape operands",
        ),
    ),
    (
        r"Variable tensors not yet supported|variable tensor with buffer or external buffer|Variable input tensors must be a graph output",
        Route(("variable-tensor",), "variable tensors", "carry the state as graph inputs and outputs"),
    ),
    (
        r"No custom tensor buffer handler|NOT_FOUND.*delegate_kernel_litert|\(LITERT_WEBGPU\) failed to invoke",
        Route(
            ("partial-delegation-fails", "quantized-graph-edge"),
            "2.1.2 and 2.1.3 fail at the first run",
            "2.1.4 and later, or full residency",
        ),
    ),
    (
        r"Model provided is schema version|quantized_dimension must be in range|has invalid quantization parameters"
        r"|Element type \(\d+\) not currently supported|model identifier",
        Route(
            ("malformed-model",),
            "the runtime refuses to load the file",
            "convert the model again with a current converter",
        ),
    ),
    (
        r"If half_pixel_centers is True, align_corners must be False|failed to prepare|was not true\.$|was optional but was expected"
        r"|im2col size overflowed",
        Route(
            ("cpu-prepare",),
            "a CPU kernel refuses the operator before the GPU is asked",
            "give the operator the form that its kernel wants",
        ),
    ),
    (
        r"larger than the maximum storage buffer binding size|RESOURCE_EXHAUSTED",
        Route(("buffer-limit",), "a buffer above the device's limit", "split or quantize it"),
    ),
    (
        r"Unsupported quantization scale size|unsupported scale value",
        Route(
            ("op-parameters",),
            "quantization parameters that the kernel does not take",
            "quantize activations per tensor; no zero scales",
        ),
    ),
    (
        r"depth_multiplier != 1 && input\.c != 1",
        Route(
            ("op-parameters",),
            "a depth multiplier with several input channels (releases before 2.1)",
            "use 2.1.2 or later",
        ),
    ),
    (
        r"No adapters found|shaderUniform.*ArrayDynamicIndexing required|Failed to initialize WebGPU environment",
        Route((), "no usable GPU on this machine", "install a Vulkan driver; the model is not at fault"),
    ),
    (
        r"Failed to create litert::ml_drift::DelegateKernelLiteRt|Failed to create DelegateKernelLiteRt|Delegate kernel initialization failed"
        r"|Failed to initialize kernel|Restored original execution plan after delegate application failure|Failed to modify graph with delegate",
        Route(
            (), "a kernel could not be created", "the cause stands on the line before; lint the model for the operator"
        ),
    ),
    (
        r"expected expression|implicit conversion .*half4",
        Route(
            (),
            "a shader of the driver's own language does not compile (reported on OpenCL and Metal)",
            "report it with the model; fp32 may help",
        ),
    ),
    (
        r"NHWC node rewriter not found: amax",
        Route(
            (), "converter: a channel maximum in NCHW", "max_pool2d over a (C, 1) kernel, or drop the norm to rank 3"
        ),
    ),
    (
        r"Lowering not found: aten\.(?:_fft_r2c|complex)",
        Route(
            (),
            "converter: a Fourier transform",
            "a DFT is a fixed linear map: Conv1d with windowed cosines and sines, inverse as matmul and overlap-add",
        ),
    ),
    (
        r"operands don't have broadcast-compatible shapes",
        Route((), "converter: channel attention through Linear", "express it as a 1x1 convolution"),
    ),
)

_COMPILED = tuple((re.compile(pattern), route) for pattern, route in _LINES)


def explain(lines: Iterable[str]) -> Iterator[Explained]:
    """Every line of a log that a delegate, the loader or the converter wrote, in order."""
    listing = False
    for number, raw in enumerate(lines, 1):
        line, level, tag = _stripped(raw.rstrip("\n"))
        if not line.strip():
            continue
        route = _route(line)
        operator = _OPERATOR.match(line) if route is None else None
        if operator is not None and (listing or _cause(operator["message"]) is not Cause.PARAMETER):
            route = _operator_route(operator["op"], operator["message"])
        if route is not None:
            listing = "Following operations" in line or (listing and operator is not None)
            yield Explained(number, line.strip(), route)
        elif level in ("E", "F", "ERROR", "FATAL") and (not tag or _OURS.search(tag)):
            listing = False
            yield Explained(number, line.strip(), None)
        else:
            listing = False


def _stripped(line: str) -> tuple[str, str, str]:
    """A line without the prefixes of logcat, absl and the runtime; its level and tag."""
    level = tag = ""
    for _ in range(3):
        for prefix in _PREFIXES:
            match = prefix.match(line)
            if match is not None:
                found = match.groupdict()
                level, tag = found.get("level") or level, found.get("tag") or tag
                line = line[match.end() :]
                break
        else:
            break
    return line, level, tag.strip()


def _route(line: str) -> Route | None:
    for pattern, route in _COMPILED:
        if pattern.search(line):
            return route
    return None


def _cause(message: str) -> Cause:
    for pattern, cause in _CAUSES:
        if pattern.search(message):
            return cause
    return Cause.PARAMETER


def _operator_route(op: str, message: str) -> Route:
    cause = _cause(message)
    if cause in ALWAYS:
        rule = ALWAYS[cause]
    elif op == "CUSTOM":
        rule = "custom-op"
    elif op == "STABLEHLO_COMPOSITE":
        rule = "composite-op"
    elif op == "TRANSPOSE_CONV":
        rule = "transpose-conv-version" if cause is Cause.VERSION else GENERAL[cause]
    else:
        rule = SPECIFIC.get(op, GENERAL[cause])
    return Route((rule,), f"{op} is refused: {cause.value}", _ADVICE[cause])
