"""`tflint explain --log`: each line of a log goes to the rule that explains it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tflint import checks
from tflint.checks._routes import _LINES, explain
from tflint.commands import tflint


def rules_of(*lines: str) -> list[tuple[str, ...] | None]:
    return [entry.route.rules if entry.route else None for entry in explain(lines)]


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
        ("STRIDED_SLICE: Max version supported: 2. Requested version 3.", "op-version"),
        ("ADD: Tensor dimensions must be less than 5. x", "rank-over-four"),
        ('ADD: Tensor "x" has bad input dims size: 5.', "rank-over-four"),
        ("MEAN: Unknown layout.", "rank-over-four"),
        ("NEG: Expected 1 runtime input tensor(s), but node has 0 runtime input(s).", "constant-inputs"),
        ("SUB: Op can only handle 1 or 2 operand(s).", "constant-inputs"),
        ("CUSTOM TFLite_Detection_PostProcess: TFLite_Detection_PostProcess", "custom-op"),
        ("STABLEHLO_COMPOSITE: odml.softmax", "composite-op"),
        ("PAD: Invalid paddings tensor shape: expected 4x2 or 3x2, got 2x2", "op-parameters"),
        ("SOFTMAX: Softmax.beta != 1 is not supported.", "op-parameters"),
    ],
)
def test_lines_of_the_delegates_list(line: str, rule: str) -> None:
    assert rules_of("Following operations are not supported by GPU delegate:", line)[1] == (rule,)


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
        (
            "Binding size (155582464) of [Buffer] is larger than the maximum storage buffer binding size (134217728)",
            "buffer-limit",
        ),
        ("ERROR: Node number 3 (CONV_2D) failed to prepare.", "cpu-prepare"),
        ("Attempting to use a delegate that only supports static-sized tensors with a graph", "dynamic-shape"),
        ("5 operations will run on the GPU, and the remaining 2 operations will run on the CPU.", "partitioned-graph"),
    ],
)
def test_other_lines(line: str, rule: str) -> None:
    assert rules_of(line) == [(rule,)]


@pytest.mark.parametrize(
    "prefix",
    [
        "11-30 10:00:00.123  1234  1240 E tflite  : ",
        "E/tflite  ( 1234): ",
        "11-30 10:00:00.123 E/tflite  ( 1234): ",
        "ERROR: ",
        "E0000 00:00:1796026455.569173   20983 delegate_webgpu.cc:366] ",
        "",
    ],
)
def test_prefixes_are_taken_off(prefix: str) -> None:
    (entry,) = explain([prefix + "DIV: No support of few identical inputs in the same operation."])
    assert entry.line == "DIV: No support of few identical inputs in the same operation."
    assert entry.route is not None


def test_an_unknown_error_of_the_runtime_is_said_to_be_unknown() -> None:
    assert rules_of("E/tflite (1): something new", "ERROR: [compiled_model.cc:1] something new") == [None, None]


def test_lines_of_others_are_passed_over() -> None:
    assert rules_of("I/ActivityManager( 99): Start proc", "E/CameraService( 7): lost", "STATE: ready", "") == []


def test_every_route_leads_to_a_rule_that_exists() -> None:
    for _, route in _LINES:
        assert set(route.rules) <= set(checks.TABLE) | PENDING


PENDING: set[str] = set()
"""Rules that routes name and that are not in the table."""


def test_the_command_reads_a_file_or_standard_input() -> None:
    log = "SQUEEZE: Operation is not supported.\n"
    result = CliRunner().invoke(tflint, ["explain", "--log", "-"], input=log)
    assert result.exit_code == 0
    assert "unsupported-op" in result.stdout
    empty = CliRunner().invoke(tflint, ["explain", "--log", "-"], input="nothing of ours\n")
    assert "No line of a delegate" in empty.stdout


def test_a_rule_and_a_log_exclude_each_other() -> None:
    assert CliRunner().invoke(tflint, ["explain"]).exit_code == 2
    assert CliRunner().invoke(tflint, ["explain", "split", "--log", "-"]).exit_code == 2
