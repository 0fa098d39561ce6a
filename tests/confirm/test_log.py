"""What is read from the native log. The texts are the wheels' own, with addresses and times left out."""

from __future__ import annotations

import pytest

from tflint.linter.confirm.log import Adapter, Line, Rejection, Report, once, parse

START = """\
INFO: [accelerator_registry.cc:54] RegisterAccelerator: ptr=0x1, name=GPU WebGPU
WARNING: Logging before InitGoogle() is written to STDERR
I0000 00:00:1796033664.757062    6406 environment.cc:532] Selected adapter: SwiftShader Device (Subzero), \
arch=swiftshader, vendor=google, backend=Vulkan, adapterType=CPU / Software
"""

PARTIAL = """\
ERROR: Following operations are not supported by GPU delegate:
DEQUANTIZE:\x20
LOG_SOFTMAX: Operation is not supported.
STRIDED_SLICE: Slice does not support shrink_axis_mask parameter.\x20
1 operations will run on the GPU, and the remaining 3 operations will run on the CPU.
I0000 00:00:1796033664.765036    6406 delegate_kernel.cc:984] Initializing WebGPU-based API from graph.
"""

NONE = """\
ERROR: Following operations are not supported by GPU delegate:
CUSTOM my.op: Operation is not supported.
No operations will run on the GPU, and all 2 operations will run on the CPU.
"""

KERNEL = """\
W0000 00:00:1796033656.121787    6336 gpu_model_builder.cc:3405] Shape mismatch in GpuModelBuilder
E0000 00:00:1796033656.121861    6336 delegate_webgpu.cc:257] Failed to create DelegateKernelLiteRt: \
INVALID_ARGUMENT: Unable to parse bc coord for BATCH axis.
=== Source Location Trace: ===
third_party/ml_drift/common/task/tensor_desc.cc:1716
ERROR: Failed to initialize kernel.
ERROR: Restored original execution plan after delegate application failure.
"""


def report(op: str, gpu: int, cpu: int) -> Report:
    return Report((Rejection(op, "Operation is not supported."),), gpu, cpu, f"{op} {gpu} {cpu}")


def test_adapter() -> None:
    found = parse(START)
    assert found.adapter == Adapter("SwiftShader Device (Subzero)", "CPU / Software", "Vulkan", "google", "swiftshader")
    assert not found.reports
    assert not found.errors
    assert not found.no_adapter


def test_partial_report() -> None:
    found = parse(START + PARTIAL)
    assert found.kernels == 1
    assert found.reports == (
        Report(
            (
                Rejection("DEQUANTIZE", ""),
                Rejection("LOG_SOFTMAX", "Operation is not supported."),
                Rejection("STRIDED_SLICE", "Slice does not support shrink_axis_mask parameter. "),
            ),
            1,
            3,
            "1 operations will run on the GPU, and the remaining 3 operations will run on the CPU.",
        ),
    )


def test_nothing_on_the_gpu() -> None:
    found = parse(NONE)
    assert found.kernels == 0
    assert found.reports[0].rejected == (Rejection("CUSTOM my.op", "Operation is not supported."),)
    assert (found.reports[0].gpu, found.reports[0].cpu) == (0, 2)


def test_reports_of_two_subgraphs_keep_their_order() -> None:
    assert [found.cpu for found in parse(PARTIAL + NONE).reports] == [3, 2]


def test_newline_inside_a_message_ends_nothing() -> None:
    # GATHER's messages end in a newline up to 2.1.5.
    text = NONE.replace("CUSTOM my.op: Operation is not supported.", "GATHER: Only support 1D indices\n")
    assert parse(text).reports[0].rejected == (Rejection("GATHER", "Only support 1D indices"),)


def test_other_logger_in_the_middle_of_a_report_is_left_out() -> None:
    first, rest = PARTIAL.split("LOG_SOFTMAX", 1)
    text = f"{first}I0000 00:00:1.5    7 environment.cc:5] noise\nLOG_SOFTMAX{rest}"
    assert parse(text).reports == parse(PARTIAL).reports


def test_failed_kernel() -> None:
    found = parse(START + KERNEL)
    assert found.kernel_errors == ("INVALID_ARGUMENT: Unable to parse bc coord for BATCH axis.",)
    assert [line.text for line in found.errors] == [
        "Failed to initialize kernel.",
        "Restored original execution plan after delegate application failure.",
    ]


def test_topk_changes_no_report() -> None:
    line = "TopK requires src tensor C dimension to be divisible by 4."
    found = parse(f"E0000 00:00:1796035656.584478   23913 gpu_model_builder.cc:4114] {line}\n")
    assert found.topk == (line,)
    assert not found.reports
    assert not found.errors


def test_no_adapter() -> None:
    found = parse(
        "Warning: vkCreateInstance: Found no drivers!\n"
        "ERROR: [delegate_webgpu.cc:359] Failed to initialize WebGPU environment: INTERNAL: No adapters found\n"
    )
    assert found.no_adapter
    assert found.errors[-1] == Line(
        "error", "delegate_webgpu.cc:359", "Failed to initialize WebGPU environment: INTERNAL: No adapters found"
    )


def test_lines_of_the_reference_kernels_are_not_the_delegates() -> None:
    found = parse("tflint-stage: reference\nERROR: tensorflow/lite/kernels/gather.cc: out of range\n")
    assert not found.errors


def test_missing_dispatch_library_is_no_error_of_the_model() -> None:
    found = parse("ERROR: [dispatch_delegate.cc:115] Failed to initialize Dispatch API: ERROR: [x.cc:1]\n")
    assert not found.errors


def test_continued_error() -> None:
    found = parse("ERROR: [a.cc:1] first\n└ second\n")
    assert found.errors == (Line("error", "a.cc:1", "first\nsecond"),)


def test_reports_while_running_stand_apart() -> None:
    found = parse(f"tflint-stage: create\n{PARTIAL}tflint-stage: run\n{NONE}")
    assert [entry.cpu for entry in found.reports] == [3]
    assert [entry.cpu for entry in found.later] == [2]


MAIN, BODY, OTHER = report("IF", 0, 2), report("LOG_SOFTMAX", 1, 1), report("LOG_SOFTMAX", 0, 1)


@pytest.mark.parametrize(
    ("printed", "subgraphs"),
    [
        pytest.param([MAIN], [MAIN], id="one"),
        pytest.param([BODY, BODY], [BODY, BODY], id="two equal signatures"),
        pytest.param([MAIN, BODY, BODY, BODY], [MAIN, BODY], id="a loop's body prints three times"),
        pytest.param([MAIN, *[BODY] * 6], [MAIN, BODY, BODY], id="two equal branches"),
        pytest.param([MAIN, *[BODY, OTHER] * 3], [MAIN, BODY, OTHER], id="two different branches"),
        pytest.param([MAIN, *[BODY] * 4], [MAIN, BODY, BODY], id="a body and an equal signature"),
    ],
)
def test_once(printed: list[Report], subgraphs: list[Report]) -> None:
    assert once(printed) == tuple(subgraphs)


def test_shader_that_the_device_refuses() -> None:
    found = parse(
        "E0000 00:00:1796050076.778071   22936 environment.cc:105] Validation error: Error while parsing WGSL: "
        ":25:96 error: unable to parse expression\n"
        "E0000 00:00:1796050076.778151   22936 environment.cc:105] Validation error: [Invalid ShaderModule (unlabeled)] "
        "is invalid due to a previous error.\n"
    )
    assert found.shaders == 1
    assert [line.severity for line in found.errors] == ["error", "error"]
