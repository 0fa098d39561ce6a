"""`tflint explain --log`: each line of a log goes to the rule that explains it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from tflint.checks._routes import Explained, explain
from tflint.commands import tflint

HEADER = "Following operations are not supported by GPU delegate:"
NONE: tuple[str, ...] = ()
"""Explained, and no model decides it."""


def entries(*lines: str) -> list[Explained]:
    return list(explain(lines))


def rules_of(*lines: str) -> list[tuple[str, ...] | None]:
    return [entry.route.rules if entry.route else None for entry in entries(*lines)]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("GATHER_ND: Operation is not supported.", "gather-nd"),
        ("BROADCAST_TO: Operation is not supported.", "broadcast-to"),
        ("SQUEEZE: Operation is not supported.", "unsupported-op"),
        ("RELU_0_TO_1: Not supported op RELU_0_TO_1", "relu-0-to-1"),
        ("DIV: No support of few identical inputs in the same operation.", "identical-inputs"),
        ("SPLIT: Tensor type(INT32) is not supported. serving_default_x:0", "split"),
        ("CAST: Tensor type(INT64) is not supported. x", "tensor-type"),
        ("TRANSPOSE_CONV: Max version supported: 3. Requested version 4.", "transpose-conv-version"),
        ("TRANSPOSE_CONV: Unsupported data type for float32 tensor", "op-parameters"),
        ("STRIDED_SLICE: Max version supported: 2. Requested version 3.", "op-version"),
        ("ADD: Tensor dimensions must be less than 5. x", "rank-over-four"),
        ('ADD: Tensor "x" has bad input dims size: 5.', "rank-over-four"),
        ('ADD: Tensor "x" has bad input dims size: 0.', "op-parameters"),
        ("MEAN: Unknown layout.", "rank-over-four"),
        ("NEG: Expected 1 runtime input tensor(s), but node has 0 runtime input(s).", "constant-inputs"),
        ("RESHAPE: Expected 1 runtime input tensor(s), but node has 2 runtime input(s).", "op-parameters"),
        ("SUB: Op can only handle 1 or 2 operand(s).", "constant-inputs"),
        ("CUSTOM TFLite_Detection_PostProcess: TFLite_Detection_PostProcess", "custom-op"),
        ("CUSTOM Resampler: src.b != warp.b", "custom-op"),
        ("STABLEHLO_COMPOSITE: odml.softmax", "composite-op"),
        ("PAD: Invalid paddings tensor shape: expected 4x2 or 3x2, got 2x2", "op-parameters"),
        ("SOFTMAX: Softmax.beta != 1 is not supported.", "op-parameters"),
        # The same words without the operator come from a CPU kernel.
        ("RESIZE_BILINEAR: If half_pixel_centers is True, align_corners must be False.", "op-parameters"),
    ],
)
def test_lines_of_the_delegates_list(line: str, rule: str) -> None:
    assert rules_of(HEADER, line)[1] == (rule,)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("ERROR: [model_load.cc:290] Variable tensors not yet supported.", "variable-tensor"),
        ("ERROR: Encountered unresolved custom op: ethos-u.", "custom-op"),
        (
            "ERROR: Didn't find op for builtin opcode 'MUL' version '8'. An older version of this builtin",
            "unregistered-op",
        ),
        ("TopK requires src tensor C dimension to be divisible by 4.", "topk-channels"),
        (
            "INVALID_ARGUMENT: Shape mismatch: {bhwc, {576, 1, 1, 576}} vs {bhwc, {1, 1, 576, 576}}",
            "dequantized-matrix",
        ),
        ("Unsupported weights shape.", "batch-matmul-columns"),
        ("F0000 00:00:1796026455.5 1 graph.cc:1] Check failed: !IsInput(consumer, value)", "same-tensor-twice"),
        ("ERROR: Node number 3 (CONV_2D) failed to prepare.", "cpu-prepare"),
        ("If half_pixel_centers is True, align_corners must be False.", "cpu-prepare"),
        ("Attempting to use a delegate that only supports static-sized tensors with a graph", "dynamic-shape"),
        ("5 operations will run on the GPU, and the remaining 2 operations will run on the CPU.", "partitioned-graph"),
        ("No operations will run on the GPU, and all 2 operations will run on the CPU.", "partitioned-graph"),
        # The delegate's reason goes to its library's own log too, without the operator.
        ("E0000 00:00:1.5 1 model_builder_helper.cc:1] src has no data.", "op-parameters"),
    ],
)
def test_other_lines(line: str, rule: str) -> None:
    assert rules_of(line) == [(rule,)]


# Lines as they stand in public reports, with the prefixes that were posted

REPORTS = {
    "google-ai-edge/LiteRT#8598": (
        ("ERROR: Following operations are not supported by GPU delegate:", ("partitioned-graph",)),
        ("RELU_0_TO_1: Not supported op RELU_0_TO_1", ("relu-0-to-1",)),
    ),
    "google-ai-edge/LiteRT#7936": (
        ("E tflite : Following operations are not supported by GPU delegate:", ("partitioned-graph",)),
        ("E tflite : CUSTOM TFLite_Detection_PostProcess: TFLite_Detection_PostProcess", ("custom-op",)),
        ("E litert : [litert_compiled_model_jni.cc] Failed to create compiled model", NONE),
    ),
    "google-ai-edge/LiteRT#5307": (
        ("Following operations are not supported by GPU delegate:", ("partitioned-graph",)),
        ("ADD: Max version supported: 2. Requested version 4.", ("op-version",)),
        ("CAST: Tensor type(INT64) is not supported. model_1533/tf.cast_12/Cast", ("tensor-type",)),
        ("DEQUANTIZE: ", NONE),
        ("FLOOR_MOD: Can't parse inputs with const tensors.", ("op-parameters",)),
        ("GATHER: Only support 1D indices", ("op-parameters",)),
        ("GATHER_ND: Operation is not supported.", ("gather-nd",)),
    ),
    "google-ai-edge/LiteRT#9277": (
        (
            "INVALID_ARGUMENT: Unable to parse bc coord for BATCH axis. Layout is bhwc, "
            "args are res, DST_X + 0, DST_Y + 0, DST_S + 0.",
            ("quantized-matrix-rows",),
        ),
    ),
    "google-ai-edge/LiteRT#1872": (
        (
            "INFO: [litert/runtime/accelerators/auto_registration.cc:59] GPU accelerator could not be dynamically "
            "loaded and registered: ERROR: [litert/runtime/accelerators/auto_registration.cc:92]",
            NONE,
        ),
        ("└ Could not load symbol LiteRtRegisterAcceleratorGpuOpenCl: undefined symbol", NONE),
    ),
    "google-ai-edge/litert-torch#1126": (("{RuntimeError('NHWC node rewriter not found: amax')}", NONE),),
    "google-ai-edge/litert-torch#678": (("RuntimeError: Lowering not found: aten.normal_functional.default", NONE),),
    "google-ai-edge/litert-torch#246": (
        (
            "<unknown>:0: error: loc(callsite(x)): 'vhlo.iota_v1' op is not part of the vhlo support yet.",
            ("unregistered-op",),
        ),
    ),
    "leehack/llamadart#553": (
        (
            "Binding size (155582464) of [Buffer] is larger than the maximum storage buffer binding size (134217728).",
            ("buffer-limit",),
        ),
    ),
    "tensorflow/tensorflow#56545": (
        (
            "2022-06-23 22:29:14.326 4381-4381/com.example.app E/tflite: Following operations are not supported by "
            "GPU delegate:",
            ("partitioned-graph",),
        ),
        ("    ADD: OP is supported, but tensor type/shape isn't compatible.", ("tensor-type", "rank-over-four")),
        ("    CAST: Not supported cast case", ("tensor-type",)),
        ("    STRIDED_SLICE: Max version supported: 2. Requested version 4.", ("op-version",)),
        (
            "    357 operations will run on the GPU, and the remaining 1283 operations will run on the CPU.",
            ("partitioned-graph",),
        ),
    ),
    "tensorflow/tensorflow#57610": (
        ("1: GATHER: Operation is not supported.", ("unsupported-op",)),
        (
            "1: 351 operations will run on the GPU, and the remaining 1084 operations will run on the CPU.",
            ("partitioned-graph",),
        ),
    ),
    "tensorflow/tensorflow#35378": (
        (
            "java.lang.RuntimeException: Unable to start activity: java.lang.IllegalArgumentException: Internal error: "
            "Failed to apply delegate: Next operations are not supported by GPU delegate:",
            ("partitioned-graph",),
        ),
        ("    First 2 operations will run on the GPU, and the remaining 249 on the CPU.", ("partitioned-graph",)),
    ),
    "tensorflow/tensorflow#45142": (
        (
            "java.lang.IllegalArgumentException: Internal error: Failed to apply delegate: TfLiteGpuDelegate Init: "
            "MEAN: Index for axis out of range",
            ("op-parameters",),
        ),
        ("    TfLiteGpuDelegate Prepare: delegate is not initialized", NONE),
        ("    Node number 58 (TfLiteGpuDelegateV2) failed to prepare.", NONE),
    ),
    "tensorflow/tensorflow#67699": (
        (
            "W/System.err(30515): Ignoring failed delegate application: java.lang.IllegalArgumentException: Internal "
            "error: Failed to apply delegate: Attempting to use a delegate that only supports static-sized tensors "
            "with a graph that has dynamic-sized tensors.",
            ("dynamic-shape",),
        ),
    ),
    "tensorflow/tensorflow#34873": (
        (
            "> ERROR: third_party/tensorflow/lite/kernels/depthwise_conv.cc:109 filter->type != data_type (10 != 1)",
            ("cpu-prepare",),
        ),
        ("> ERROR: Node number 2 (DEPTHWISE_CONV_2D) failed to prepare.", ("cpu-prepare",)),
    ),
    "tensorflow/tensorflow#60936": (
        ("ERROR: Failed to build program executable - Build program failure", ("batched-depth-space",)),
        ("ERROR: Falling back to OpenGL", NONE),
        ("ERROR: TfLiteGpuDelegate Init: OpenGL-based API disabled", NONE),
        ("ERROR: Restored original execution plan after delegate application failure.", NONE),
    ),
    "tensorflow/tensorflow#58660": (
        ("TFLite Warning: Following operations are not supported by GPU delegate:", ("partitioned-graph",)),
        ("CAST: Not supported Cast case. Input type: UINT8 and output type: FLOAT32", ("tensor-type",)),
    ),
    "mlcommons/mobile_app_open#1134": (
        ("VERBOSE: Replacing 796 out of 796 node(s) with delegate (LITERT_CL) node, yielding 1 partitions", NONE),
    ),
    "tensorflow/tensorflow#56162": (("error: 'tf.Cast' op is neither a custom op nor a flex op", ("custom-op",)),),
}
"""By report. Most of TensorFlow's are of the delegate before LiteRT 2, whose logs people still have."""


@pytest.mark.parametrize("report", REPORTS)
def test_lines_of_public_reports(report: str) -> None:
    lines, rules = zip(*REPORTS[report], strict=True)
    assert rules_of(*lines) == list(rules)


PREFIXES = (
    "11-30 10:00:00.123  1234  1240 E tflite  : ",
    "2026-11-30 10:00:00.123 +0200 1234 1240 E tflite: ",
    "11-30 10:00:00.123 u0_a12  1234  1240 E tflite  : ",
    "E/tflite  ( 1234): ",
    "E/tflite: ",
    "E tflite : ",
    "11-30 10:00:00.123 E/tflite  ( 1234): ",
    "2026-11-30 10:00:00.123 1234-1240/com.example.app E/tflite: ",
    "2026-11-30 10:00:00.123  1234-1240  tflite                  com.example.app                      E  ",
    "2026-11-30 10:00:00.123456+0200 Runner[123:4567] [tflite] ",
    "ERROR: ",
    "\x1b[31mERROR: ",
    "E0000 00:00:1796026455.569173   20983 delegate_webgpu.cc:366] ",
    "2026-11-30 10:00:00.123456: E tensorflow/lite/delegates/gpu/delegate.cc:1] ",
    "> ERROR: ",
    "    ",
    "",
)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_prefixes_are_taken_off(prefix: str) -> None:
    (entry,) = entries(prefix + "DIV: No support of few identical inputs in the same operation.")
    assert entry.line == "DIV: No support of few identical inputs in the same operation."
    assert entry.route is not None


def test_the_prefix_on_a_line_of_its_own() -> None:
    log = ("[ 11-30 10:00:00.123  1234: 1240 E/tflite   ]", "something new", "", "something new")
    assert entries(*log) == [Explained(2, "something new", None)]


@pytest.mark.parametrize("prefix", [p for p in PREFIXES if "E" in p and "Runner" not in p])
def test_an_unknown_error_of_the_runtime_is_said_to_be_unknown(prefix: str) -> None:
    assert entries(prefix + "something new") == [Explained(1, "something new", None)]


def test_an_unknown_reason_of_a_refusal_is_said_to_be_unknown() -> None:
    assert rules_of("MUL: a reason that is new", HEADER, "NEW_OP: Words", "NEW_OP: Words")[0] is None
    assert rules_of(HEADER, "NEW_OP: Words") == [("partitioned-graph",), None]


def test_a_reason_of_several_lines_is_one_line() -> None:
    reason = ("ADD: add: unsupported constant tensor type: INT8 {", "  type: INT8", "  data: {...}", "}", "")
    rest = "SQUEEZE: Operation is not supported."
    assert rules_of(HEADER, *reason, rest) == [("partitioned-graph",), ("tensor-type",), ("unsupported-op",)]


def test_a_kernel_that_fails_without_a_word() -> None:
    """The line is a consequence where another tells the cause; alone it is the fault that prints nothing else."""
    cause = (
        "ERROR: Failed to create litert::ml_drift::DelegateKernelLiteRt: INVALID_ARGUMENT: Unsupported weights shape."
    )
    line = "ERROR: Failed to initialize kernel."
    assert rules_of(line, cause, line) == [("identity-slice",), ("batch-matmul-columns",), NONE]


def test_notices_that_every_run_prints_are_no_fault() -> None:
    notices = (
        "ERROR: Failed to initialize Dispatch API: ERROR: [litert/runtime/dispatch/dispatch_delegate.cc:174]",
        "WARNING: NPU accelerator could not be loaded and registered: kLiteRtStatusErrorNotFound.",
        "ERROR: Failed to load plugin at: vendors/x/compiler/libLiteRtCompilerPlugin_X.so with error: ERROR: [a.cc:1]",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
    )
    for entry in entries(*notices):
        assert entry.route is not None
        assert "no fault" in entry.route.cause
        assert not entry.route.advice


def test_lines_of_others_are_passed_over() -> None:
    others = (
        "I/ActivityManager( 99): Start proc",
        "E/CameraService( 7): lost",
        "11-30 10:00:00.123  1234  1240 E Bluetooth: Operation is not supported.",
        "STATE: ready",
        "Downloading: 50 %",
        "{'a': 1}",
        "",
    )
    assert rules_of(*others) == []


def test_an_operator_that_only_the_delegate_before_refused() -> None:
    (entry,) = entries("GATHER: Operation is not supported.")
    assert entry.route is not None
    assert "before LiteRT 2" in entry.route.cause


def test_the_command_says_each_line_once() -> None:
    log = (
        "I/Choreographer( 1): Skipped 30 frames\n"
        + 6 * "SQUEEZE: Operation is not supported.\n"
        + "E/tflite (1): something new\nDEQUANTIZE: \n"
    )
    result = CliRunner().invoke(tflint, ["explain", "--log", "-"], input=log)
    assert result.exit_code == 0
    assert result.stdout == snapshot("""\
2, 3, 4, 5 and 2 more: SQUEEZE: Operation is not supported.
    unsupported-op: SQUEEZE is refused: no kernel for the operator
    do: RESHAPE to the same shape: exact
8: something new
    unknown: no rule explains this line
9: DEQUANTIZE:
    no rule: FLOAT16 weights stay on the CPU because another operator is refused
    do: mend that one

2 explained, 1 unknown.
Pages of the rules: tflint explain unsupported-op
""")


def test_a_log_without_a_line_of_ours() -> None:
    empty = CliRunner().invoke(tflint, ["explain", "--log", "-"], input="nothing of ours\n")
    assert empty.stdout == "No line of a delegate, the loader or the converter in this log.\n"


def test_a_rule_and_a_log_exclude_each_other() -> None:
    assert CliRunner().invoke(tflint, ["explain"]).exit_code == 2
    assert CliRunner().invoke(tflint, ["explain", "split", "--log", "-"]).exit_code == 2
