"""What was reported in public is found as `checks/reported.md` says: by a rule, by a log line, or by nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tflint import checks
from tflint.checks._routes import explain
from tflint.commands import tflint
from tflint.fixtures.builder import Graph, Quant, Tensor
from tflint.linter.engine import lint_model
from tflint.linter.errors import ModelError
from tflint.linter.findings import Confidence, Finding, Severity
from tflint.linter.reader import read
from tflint.linter.targets import Target

PAGE = Path(checks.__file__).with_name("reported.md")
ROW = re.compile(r"^\| (?P<id>[a-z0-9-]+) \| (?P<seen>.+) \| (?P<reports>\[.+\)) \| (?P<found>.+) \|$", re.MULTILINE)


@cache
def rows() -> dict[str, str]:
    """By id, how a row is found."""
    return {row["id"]: row["found"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))}


def rules_of(found: str) -> set[str]:
    return {word for word in re.findall(r"`([a-z][a-z0-9-]+)`", found) if word in checks.TABLE}


# Models of the rows


def add_mask(g: Graph) -> Tensor:
    scores = g.op("BATCH_MATMUL", g.input([1, 4, 6, 8]), g.input([1, 4, 8, 6]), out=[1, 4, 6, 6])
    return g.op("ADD", scores, g.input([1, 1, 6, 6]), out=[1, 4, 6, 6])


def ranks_differ(g: Graph) -> Tensor:
    return g.op("ADD", g.input([6, 6]), g.input([1, 4, 6, 6]), out=[1, 4, 6, 6])


def returned_sum(g: Graph) -> Tensor:
    total = g.op("ADD", g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8]))
    g.output(total)
    return g.op("SUM", total, g.const([3]), keep_dims=True, out=[1, 4, 4, 1])


def returned_product(g: Graph) -> Tensor:
    product = g.op("MUL", g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8]))
    g.output(product)
    return g.op("ABS", product)


def pad_rank_three(g: Graph) -> Tensor:
    return g.op("PAD", g.input([4, 6, 8]), g.const([[0, 0], [1, 1], [0, 0]]), out=[4, 8, 8])


def heads_as_batch(g: Graph) -> Tensor:
    return g.op("SOFTMAX", g.op("BATCH_MATMUL", g.input([4, 6, 8]), g.input([4, 8, 6]), out=[4, 6, 6]))


def dynamic_int8(g: Graph) -> Tensor:
    quant = Quant([0.1] * 8, [0] * 8, 0)
    weights = g.const(shape=[8, 8], data=bytes(64), type="INT8", quant=quant)
    return g.op("ADD", g.op("FULLY_CONNECTED", g.input([1, 6, 8]), weights, None, out=[6, 8]), g.input([6, 8]))


def dequantized_int8(g: Graph) -> Tensor:
    weights = g.const(shape=[8, 8], data=bytes(64), type="INT8", quant=Quant(0.1, 0))
    return g.op("FULLY_CONNECTED", g.input([4, 8]), g.op("DEQUANTIZE", weights, type="FLOAT32"), None, out=[4, 8])


def columns(g: Graph) -> Tensor:
    return g.op("BATCH_MATMUL", g.input([1, 1, 2, 8]), g.input([1, 1, 6, 8]), adj_y=True, out=[1, 1, 2, 6])


def adjoint(g: Graph) -> Tensor:
    return g.op("BATCH_MATMUL", g.input([1, 2, 4, 4]), g.input([1, 2, 4, 4]), adj_x=True, out=[1, 2, 4, 4])


def adjoint_matrix(g: Graph) -> Tensor:
    matrix = g.const(np.arange(16, dtype=np.float32).reshape(4, 4))
    return g.op("BATCH_MATMUL", g.input([1, 2, 4, 4]), matrix, adj_y=True, out=[1, 2, 4, 4])


def unary(op: str, shape: list[int], **options: Any) -> Callable[[Graph], Tensor]:
    return lambda g: g.op(op, g.input(shape), out=None, **options)


def broadcast_to(g: Graph) -> Tensor:
    return g.op("BROADCAST_TO", g.input([1, 4, 1, 8]), g.const([1, 4, 2, 8]), version=2, out=[1, 4, 2, 8])


def gather_nd(g: Graph) -> Tensor:
    return g.op("GATHER_ND", g.input([4, 8]), g.const([[0], [2]]), out=[2, 8])


def divided_by_itself(g: Graph) -> Tensor:
    x = g.input([1, 4])
    return g.op("DIV", x, x)


def constants_only(g: Graph) -> Tensor:
    values = g.const(np.ones([1, 4], np.float32))
    return g.op("ADD", g.input([1, 1]), g.op("REDUCE_MAX", values, g.const([1]), keep_dims=True, out=[1, 1]))


def transpose_conv(g: Graph) -> Tensor:
    weights = g.const(shape=[4, 3, 3, 8], fill=0.5)
    shape = g.const([1, 8, 8, 4])
    bias = g.const(shape=[4], fill=0.0)
    return g.op(
        "TRANSPOSE_CONV",
        *(shape, weights, g.input([1, 4, 4, 8]), bias),
        version=4,
        padding="SAME",
        stride_w=2,
        stride_h=2,
        fused_activation_function="RELU",
        out=[1, 8, 8, 4],
    )


def strided_slice(mask: str) -> Callable[[Graph], Tensor]:
    def make(g: Graph) -> Tensor:
        out = [8] if mask == "shrink_axis_mask" else [1, 8]
        given = g.input([4, 8])
        return g.op("STRIDED_SLICE", given, g.const([0, 0]), g.const([1, 8]), g.const([1, 1]), out=out, **{mask: 1})

    return make


def slice_version(g: Graph) -> Tensor:
    return g.op(
        "STRIDED_SLICE", g.input([4, 8]), *(g.const(v) for v in ([0, 0], [2, 8], [1, 1])), version=4, out=[2, 8]
    )


def long_sum(g: Graph) -> Tensor:
    return g.op("SUM", g.input([1, 128, 128, 8]), g.const([1, 2]), keep_dims=True, out=[1, 1, 1, 8])


def wide_mean(g: Graph) -> Tensor:
    return g.op("MEAN", g.input([1, 256, 256, 8]), g.const([1, 2]), keep_dims=True, out=[1, 1, 1, 8])


def rms_norm(epsilon: float) -> Callable[[Graph], Tensor]:
    def make(g: Graph) -> Tensor:
        x = g.input([1, 512])
        mean = g.op("MEAN", g.op("MUL", x, x), g.const([-1]), keep_dims=True, out=[1, 1])
        return g.op("MUL", x, g.op("RSQRT", g.op("ADD", mean, g.const(epsilon))), out=[1, 512])

    return make


def long_dot_product(g: Graph) -> Tensor:
    weights = g.const(np.full([4, 3, 3, 512], 0.5, np.float32))
    return g.op("CONV_2D", g.input([1, 8, 8, 512]), weights, None, padding="SAME", out=[1, 8, 8, 4])


def both_flags(g: Graph) -> Tensor:
    flags = {"align_corners": True, "half_pixel_centers": True}
    return g.op("RESIZE_BILINEAR", g.input([1, 4, 4, 8]), g.const([8, 8]), out=[1, 8, 8, 8], **flags)


def runtime_shape(g: Graph) -> Tensor:
    return g.op("RESHAPE", g.input([1, 8]), g.input([2], type="INT32"), out=[2, 4])


def pad_rank_two(g: Graph) -> Tensor:
    return g.op("PAD", g.input([4, 8]), g.const([[1, 1], [0, 0]]), out=[6, 8])


def infinite_padding(g: Graph) -> Tensor:
    padded = g.op("PADV2", g.input([1, 4, 4, 8]), g.const([[0, 0], [1, 1], [1, 1], [0, 0]]), -1.0, out=[1, 6, 6, 8])
    return g.op("CONV_2D", padded, g.const(shape=[4, 3, 3, 8], fill=0.5), None, padding="VALID", out=[1, 4, 4, 4])


def select(condition: list[int], branch: list[int]) -> Callable[[Graph], Tensor]:
    def make(g: Graph) -> Tensor:
        given = g.input(condition, type="BOOL")
        return g.op("SELECT_V2", given, g.input(branch), g.input([1, 4, 4, 8]), out=[1, 4, 4, 8])

    return make


def gather_matrix(g: Graph) -> Tensor:
    return g.op("GATHER", g.input([4, 8]), g.const([[0, 1], [2, 3]]), axis=0, out=[2, 2, 8])


def lookup(ids: str, type: str) -> Callable[[Graph], Tensor]:
    def make(g: Graph) -> Tensor:
        quant = Quant([0.1] * 4, [0] * 4, 0) if type == "INT4" else None
        table = g.const(shape=[4, 8], data=bytes(16 if type == "INT4" else 32), type=type, quant=quant)
        return g.op("EMBEDDING_LOOKUP", g.input([2], type=ids), table, out=[2, 8], type="FLOAT32")

    return make


def postprocess(g: Graph) -> Tensor:
    given = (g.input([1, 8, 4]), g.input([1, 8, 3]), g.const(shape=[8, 4], fill=0.5))
    options = {"max_detections": 3, "max_classes_per_detection": 1, "num_classes": 2, "nms_iou_threshold": 0.5}
    scales = {"y_scale": 1.0, "x_scale": 1.0, "h_scale": 1.0, "w_scale": 1.0, "nms_score_threshold": 0.5}
    boxes: Tensor
    boxes, *rest = g.custom("TFLite_Detection_PostProcess", *given, custom_options=options | scales, out=[[]] * 4)
    g.output(*rest)
    return boxes


def composite(g: Graph) -> Tensor:
    body = g.subgraph("body")
    body.output(body.op("SOFTMAX", body.input([1, 8])))
    made: Tensor = g.composite("odml.softmax", g.input([1, 8]), decomposition=body, attributes={})
    return made


def runtime_weights(g: Graph) -> Tensor:
    return g.op("FULLY_CONNECTED", g.input([1, 8]), g.input([4, 8]), g.const([0.5] * 4), out=[1, 4])


def runtime_alpha(g: Graph) -> Tensor:
    return g.op("PRELU", g.input([1, 4, 4, 8]), g.input([8]))


def integer_sum(g: Graph) -> Tensor:
    return g.op("ADD", g.input([1, 4], type="INT32"), g.input([1, 4], type="INT32"))


def variable(g: Graph) -> Tensor:
    return g.op("ADD", g.input([1, 4]), g.variable([1, 4]))


def large_table(g: Graph) -> Tensor:
    buffer = g.external_buffer(200 << 20)
    table = g.const(shape=[200 << 10, 1024], type="INT8", external=buffer, quant=Quant(0.1, 0))
    return g.op("GATHER", table, g.input([1], type="INT32"), axis=0, out=[1, 1024], type="INT8", quant=Quant(0.1, 0))


def changing_output(g: Graph) -> Tensor:
    made = g.op("ABS", g.input([1, 8]))
    made.signature = [-1, 8]
    return made


def int4_weights(g: Graph) -> Tensor:
    weights = g.const(shape=[4, 8], data=bytes(16), type="INT4", quant=Quant([0.1] * 4, [0] * 4, 0))
    return g.op("FULLY_CONNECTED", g.input([1, 8]), weights, None, out=[1, 4])


def split(kind: str) -> Callable[[Graph], Tensor]:
    def make(g: Graph) -> Tensor:
        type = "INT32" if kind == "type" else "FLOAT32"
        x = g.input([1, 4, 4, 8], type=type)
        first, second = g.op("SPLIT", 3, x if kind == "concat" else g.op("ABS", x), num_splits=2)
        if kind == "concat":
            return g.op("CONCATENATION", first, second, axis=3)
        return g.op("ADD", first, second)

    return make


def folded(g: Graph) -> Tensor:
    shape = [1, 8, 8, 128]
    return g.op("ADD", g.input(shape), g.const(np.broadcast_to(np.arange(128, dtype=np.float32), shape)), out=shape)


def conv(g: Graph, x: Tensor, kernel: int) -> Tensor:
    channels = x.shape[-1] if x.shape else 0
    return g.op(
        "CONV_2D", x, g.const(shape=[4, kernel, kernel, channels], fill=0.5), None, padding="SAME", out=[1, 8, 8, 4]
    )


def two_stems(g: Graph) -> Tensor:
    image = g.input([1, 8, 8, 3])
    return g.op("CONCATENATION", conv(g, image, 3), conv(g, image, 5), axis=3, out=[1, 8, 8, 8])


def branches(g: Graph) -> Tensor:
    x = g.op("ABS", g.input([1, 8, 8, 4]))
    return g.op("ADD", conv(g, x, 3), conv(g, x, 1))


def quick_gelu(g: Graph) -> Tensor:
    x = g.input([1, 16])
    return g.op("MUL", x, g.op("LOGISTIC", g.op("MUL", x, g.const(1.702))))


def in_part(g: Graph) -> Tensor:
    return g.op("ABS", g.op("LOG_SOFTMAX", g.op("ABS", g.input([1, 8]))))


def top_k(g: Graph) -> Tensor:
    values, indices = g.op("TOPK_V2", g.input([1, 6]), 2, out=[[1, 2], [1, 2]])
    g.output(indices)
    return values


def angles(g: Graph) -> Tensor:
    product = g.op("MUL", g.input([1, 64, 1]), g.const(np.linspace(0.001, 1, 8, dtype=np.float32)), out=[1, 64, 8])
    return g.op("SIN", product)


@dataclass(frozen=True, slots=True)
class Case:
    """A model of a row: on this target the rule reports it, and on the other backends named it does not."""

    row: str
    rule: str
    make: Callable[[Graph], Tensor]
    litert: str = "2.3.0"
    backend: str = "webgpu"
    silent_on: tuple[str, ...] = ()


OPENCL = ("webgpu", "metal")
"""Backends on which a fault of OpenCL is not reported."""

CASES = (
    Case("one-head-mask", "batch-matmul-broadcast-add", add_mask, "2.1.5", "opencl", OPENCL),
    Case("ranks-differ", "mixed-rank-operands", ranks_differ, "2.1.5"),
    Case("ranks-differ", "mixed-rank-operands", ranks_differ, "2.1.5", "opencl"),
    Case("output-and-consumed", "add-output-aliasing", returned_sum),
    Case("output-and-consumed", "add-output-aliasing", returned_sum, "2.1.6", "opencl"),
    Case("other-output-and-consumed", "fused-output", returned_product, "2.1.5"),
    Case("rank-three-padding", "rank-three-pad", pad_rank_three),
    Case("rank-three-padding", "rank-three-pad", pad_rank_three, "2.1.5", "metal"),
    Case("heads-as-batch", "rank-three-attention", heads_as_batch, "2.1.6", "opencl", OPENCL),
    Case("dynamic-int8-rows", "quantized-matrix-rows", dynamic_int8, "2.1.5"),
    Case("dequantized-int8", "dequantized-matrix", dequantized_int8),
    Case("columns-off-four", "batch-matmul-columns", columns, "2.1.2"),
    Case("adjoint-ignored", "batch-matmul-adjoint", adjoint, "2.1.6", "opencl", OPENCL),
    Case("adjoint-ignored", "batch-matmul-adjoint", adjoint_matrix),
    Case("broadcast-to", "broadcast-to", broadcast_to),
    Case("gather-nd", "gather-nd", gather_nd),
    Case("hard-sigmoid", "relu-0-to-1", unary("RELU_0_TO_1", [1, 8])),
    Case("twice-the-same", "identical-inputs", divided_by_itself),
    Case("constants-only", "constant-inputs", constants_only),
    Case("rank-five", "rank-over-four", unary("ABS", [1, 2, 2, 2, 2])),
    Case("int64", "tensor-type", lambda g: g.op("CAST", g.input([1, 4], type="INT64"), type="FLOAT32")),
    Case("transpose-conv-four", "transpose-conv-version", transpose_conv),
    Case("version-ceiling", "op-version", slice_version),
    Case("sum-overflows", "fp16-overflow-reduction", long_sum),
    Case("sum-overflows", "fp16-overflow-reduction", long_sum, "2.2.0", "opencl"),
    Case("norm-overflows", "fp16-overflow-norm", rms_norm(1e-5)),
    Case("epsilon-vanishes", "fp16-epsilon", rms_norm(1e-12)),
    Case("wide-mean", "multi-axis-reduction", wide_mean, "2.1.3", "opencl", OPENCL),
    Case("large-activations", "fp16-long-dot-product", long_dot_product),
    Case("both-resize-flags", "cpu-prepare", both_flags),
    Case("dynamic-size", "dynamic-shape", runtime_shape),
    Case("batched-depth-to-space", "batched-depth-space", unary("DEPTH_TO_SPACE", [2, 4, 4, 8], block_size=2)),
    Case("batched-depth-to-space", "batched-depth-space", unary("DEPTH_TO_SPACE", [2, 4, 4, 8]), "2.1.6", "opencl"),
    Case("infinite-padding", "padded-value-before-conv", infinite_padding),
    Case("paddings", "op-parameters", pad_rank_two),
    Case("slice-masks", "op-parameters", strided_slice("shrink_axis_mask")),
    Case("select-shapes", "select", select([1, 4, 4, 8], [1, 1, 1, 8])),
    Case("select-shapes", "select-condition-rank", select([4, 8], [1, 4, 4, 8])),
    Case("gather-indices", "op-parameters", gather_matrix),
    Case("embedding-table", "op-parameters", lookup("INT32", "INT8")),
    Case("embedding-table", "tensor-type", lambda g: g.op("GATHER", g.input([4, 8], type="INT64"), [0], axis=0)),
    Case("index-heads", "unsupported-op", in_part),
    Case("detection-head", "custom-op", postprocess),
    Case("four-byte-output", "dynamic-output", postprocess),
    Case("softmax-composite", "composite-op", composite),
    Case("stablehlo-left", "unregistered-op", lambda g: g.op("STABLEHLO_IOTA", out=[4], type="INT32")),
    Case("stablehlo-left", "unsupported-op", in_part),
    Case("runtime-weights", "runtime-weights-bias", runtime_weights),
    Case("runtime-weights", "op-parameters", runtime_alpha),
    Case("test-exclusions", "opencl-untested", integer_sum, "2.2.0", "opencl", OPENCL),
    Case("variables", "variable-tensor", variable),
    Case("binding-limit", "buffer-limit", large_table, silent_on=("opencl", "metal")),
    Case("two-gigabytes", "buffer-limit", large_table),
    Case("output-size", "dynamic-output", changing_output),
    Case("int4-on-apple", "int4-weights", lookup("INT32", "INT4"), "2.3.0", "metal", ("webgpu", "opencl")),
    Case("int4-on-adreno", "int4-weights", int4_weights, "2.3.0", "opencl", OPENCL),
    Case("half-float-metal", "select-condition-rank", select([4, 8], [1, 4, 4, 8])),
    Case("digits-corrupted", "fp16-position-angle", angles),
    Case("digits-corrupted", "fp16-overflow-norm", rms_norm(1e-5)),
    Case("digits-corrupted", "fp16-long-dot-product", long_dot_product),
    Case("chunks", "split", split("type")),
    Case("chunks", "split-parts-combined", split("parts")),
    Case("chunks", "split-concat", split("concat")),
    Case("folded-constants", "oversized-constant", folded),
    Case("two-stems", "several-input-convs", two_stems),
    Case("deploy-mode", "unfused-branches", branches),
    Case("substituted-activation", "written-out-activation", quick_gelu),
    Case("one-key", "one-element-softmax", unary("SOFTMAX", [4, 1])),
    Case("silent-fallback", "partitioned-graph", in_part),
    Case("top-k", "topk-channels", top_k),
)

NOT_OF_THE_ROW = {("zero-scales", "kernel-creation")}
"""Rules that a row names for something else than what was seen."""

LOGS = {
    "dynamic-int8-rows": "Unable to parse bc coord for BATCH axis. Layout is bhwc, args are res, DST_X + 0, DST_Y + 0.",
    "dequantized-int8": "INVALID_ARGUMENT: Shape mismatch: {bhwc, {576, 1, 1, 576}} vs {bhwc, {1, 1, 576, 576}}",
    "columns-off-four": "INVALID_ARGUMENT: Unsupported weights shape.",
    "broadcast-to": "BROADCAST_TO: Operation is not supported.",
    "gather-nd": "GATHER_ND: Operation is not supported.",
    "hard-sigmoid": "RELU_0_TO_1: Not supported op RELU_0_TO_1",
    "twice-the-same": "DIV: No support of few identical inputs in the same operation.",
    "constants-only": "REDUCE_MAX: Expected 1 const input tensor(s), but node has 2 const input(s).",
    "rank-five": "ADD: Tensor dimensions must be less than 5. x",
    "int64": "CAST: Tensor type(INT64) is not supported. x",
    "transpose-conv-four": "TRANSPOSE_CONV: Max version supported: 3. Requested version 4.",
    "version-ceiling": "ADD: Max version supported: 2. Requested version 4.",
    "both-resize-flags": "If half_pixel_centers is True, align_corners must be False.",
    "dynamic-size": "Attempting to use a delegate that only supports static-sized tensors with a graph",
    "batched-depth-to-space": "clBuildProgram failed: Build program failure",
    "shader-source": "<source>:12:3: error: expected expression",
    "paddings": "PAD: Invalid paddings tensor shape: expected 4x2 or 3x2, got 2x2",
    "slice-masks": "STRIDED_SLICE: Slice does not support shrink_axis_mask parameter. ",
    "gather-indices": "GATHER: Only support 1D indices",
    "index-heads": "NON_MAX_SUPPRESSION_V5: Operation is not supported.",
    "detection-head": "CUSTOM TFLite_Detection_PostProcess: TFLite_Detection_PostProcess",
    "softmax-composite": "STABLEHLO_COMPOSITE: odml.softmax",
    "stablehlo-left": "'vhlo.iota_v1' op is not part of the vhlo support yet.",
    "step-weights": "Unsupported weights shape",
    "variables": "ERROR: [model_load.cc:290] Variable tensors not yet supported.",
    "binding-limit": "Binding size (155582464) of [Buffer] is larger than the maximum storage buffer binding size",
    "wheel-crash": "Could not load symbol LiteRtRegisterAcceleratorGpuOpenCl: undefined symbol",
    "zero-scales": "unsupported scale value (0.000000) in channel 0 for INT4 tensor 12 in XNNPACK delegate",
    "half-float-metal": "error: implicit conversion from 'float4' to 'half4' is not permitted",
    "channel-maximum": "RuntimeError: NHWC node rewriter not found: amax",
    "no-lowering": "RuntimeError: Lowering not found: aten._fft_r2c",
    "channel-attention": "error: operands don't have broadcast-compatible shapes",
    "top-k": "TopK requires src tensor C dimension to be divisible by 4.",
}
"""By row, the line that was posted."""


def reported(case: Case, backend: str) -> list[Finding]:
    g = Graph()
    g.output(case.make(g))
    (result,) = lint_model(read(g.build()), [Target(case.litert, backend)], checks.some([case.rule]))
    return list(result.findings)


def test_the_page_is_read_whole() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(rows()) == len(lines) - 1, "a row that the pattern does not know, or an id twice"


@pytest.mark.parametrize("row", sorted(rows()))
def test_a_row_is_found_or_says_why_not(row: str) -> None:
    found = rows()[row]
    named = {rule for rule in rules_of(found) if (row, rule) not in NOT_OF_THE_ROW}
    assert named == {case.rule for case in CASES if case.row == row}
    assert ("log line" in found) == (row in LOGS)
    why_not = re.search(r"not (?:decidable from the file|reproduced|reported)[^:]*: \w+", found)
    assert named or row in LOGS or why_not or row == "truncated-file"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.row}-{case.rule}-{case.backend}")
def test_the_rule_reports_it_where_it_was_seen(case: Case) -> None:
    findings = reported(case, case.backend)
    assert findings
    for finding in findings:
        assert finding.advice
        if finding.confidence is Confidence.REPORTED:
            assert finding.severity is not Severity.ERROR
            assert any(evidence.source == "reported" and evidence.ref for evidence in finding.evidence)
    for backend in case.silent_on:
        assert not reported(case, backend), backend


@pytest.mark.parametrize("row", sorted(LOGS))
def test_the_line_is_routed(row: str) -> None:
    (entry,) = explain([LOGS[row]])
    assert entry.route is not None
    assert entry.route.advice
    named = rules_of(rows()[row])
    if named and row not in {row for row, _ in NOT_OF_THE_ROW} and row != "half-float-metal":
        assert named.intersection(entry.route.rules)


def test_a_truncated_file_is_an_error_with_an_offset() -> None:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 8])))
    data = g.build()
    with pytest.raises(ModelError) as caught:
        read(data[: len(data) // 2])
    assert caught.value.offset is not None


@pytest.mark.parametrize("option", ["--confirm", "--bisect", "--reference", "--metric", "--precision", "--input-range"])
def test_what_no_file_decides_can_be_run(option: str) -> None:
    """Options that the page sends to."""
    assert option in CliRunner().invoke(tflint, ["lint", "--help"]).stdout
