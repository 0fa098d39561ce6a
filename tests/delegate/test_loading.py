"""What comes before the delegate is asked (measured on every release)."""

from __future__ import annotations

import pytest
from fates import fates

from tflint.fixtures.builder import Graph
from tflint.fixtures.probes import loading
from tflint.linter.delegate.placement import On, Placer
from tflint.linter.delegate.versions import registered
from tflint.linter.reader import read
from tflint.linter.targets import Era

ALL = "2.1.2-2.3.0"
MODELS = {probe.name.removeprefix("loading/"): probe.build for probe in loading.probes()}
DYNAMIC = (
    *("RESHAPE", "SUM", "ARG_MAX", "TOPK_V2", "TILE", "BROADCAST_TO", "TRANSPOSE", "EXPAND_DIMS", "SPLIT", "FILL"),
    "RESIZE_BILINEAR",
)


def fate(case: str) -> str:
    return fates(MODELS[case])


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ("schema_2", "MALFORMED"),
        ("unused_operator_210", "UNKNOWN_OPERATOR"),
        ("unused_version_99", "OP_VERSION"),
        ("unused_version_0", "OP_VERSION"),
        ("unused_unregistered", "OP_VERSION"),
        ("unused_custom_without_code", "MALFORMED"),
        ("variable_unused", "VARIABLE_TENSOR"),
        ("constant_of_31_bytes", "MALFORMED"),
        ("int4_short", "MALFORMED"),
        ("signature_without_output", "MALFORMED"),
    ],
)
def test_refused_by_every_release(case: str, fault: str) -> None:
    assert fate(f"file/{case}") == f"{ALL} unloadable {fault}"


@pytest.mark.parametrize(
    "case",
    ["unused_operator_126", "unused_custom", "constant_of_32_bytes", "constant_of_33_bytes", "int4_exact", "outside"],
)
def test_taken_by_every_release(case: str) -> None:
    assert fate(f"file/{case}") == f"{ALL} full"


def test_element_types_come_with_releases() -> None:
    fates_by_type = {number: fate(f"file/type_{number:02}") for number in range(24)}
    full = f"{ALL} full"
    assert {number for number, said in fates_by_type.items() if said == full} >= {0, 1, 2, 3, 4, 6, 7, 8, 9, 17, 18, 19}
    for number in (5, 10, 12, 13, 16):
        assert fates_by_type[number] == "2.1.2-2.1.4 unloadable ELEMENT_TYPE\n2.1.5-2.3.0 full", number
    for number in (11, 14):
        assert fates_by_type[number] == f"{ALL} unloadable ELEMENT_TYPE", number


@pytest.mark.parametrize("kind", ["float32", "int8"])
@pytest.mark.parametrize(
    ("case", "loads"),
    [
        ("per_channel", True),
        ("zero_point_only", True),
        ("zero_points_only", False),
        ("scale_only", False),
        ("two_scales_one_zero_point", False),
        ("count_differs", False),
        ("axis_beyond", False),
        ("axis_negative", False),
    ],
)
def test_quantization_parameters(kind: str, case: str, loads: bool) -> None:
    assert fate(f"quantization/{kind}_{case}") == (f"{ALL} full" if loads else f"{ALL} unloadable MALFORMED")


@pytest.mark.parametrize("operator", DYNAMIC)
def test_a_size_that_comes_at_run_time(operator: str) -> None:
    assert fate(f"dynamic/{operator}_runtime") == f"{ALL} fails DYNAMIC_SHAPE"
    assert "DYNAMIC_SHAPE" not in fate(f"dynamic/{operator}_constant")


@pytest.mark.parametrize("case", ["behind", "beside", "WHERE", "string"])
def test_one_dynamic_tensor_anywhere_is_enough(case: str) -> None:
    assert fate(f"dynamic/{case}") in (
        f"{ALL} fails DYNAMIC_SHAPE",
        "2.1.2-2.1.4 unloadable ELEMENT_TYPE\n2.1.5-2.3.0 fails DYNAMIC_SHAPE",
    )


def test_slices_of_a_declared_size_and_open_batches_are_static() -> None:
    assert fate("dynamic/SLICE_runtime") == f"{ALL} none"
    assert fate("dynamic/open_batch") == f"{ALL} partial"


@pytest.mark.parametrize("case", ["whole_shape", "slice", "fill", "joined", "range"])
def test_sizes_that_CPU_kernels_compute_are_static(case: str) -> None:
    assert "DYNAMIC_SHAPE" not in fate(f"computed/{case}")


@pytest.mark.parametrize("case", ["reshape", "arithmetic"])
def test_PACK_computes_nothing_beforehand(case: str) -> None:
    assert fate(f"computed/{case}") == f"{ALL} fails DYNAMIC_SHAPE"


def test_a_failure_before_the_report_leaves_no_placement() -> None:
    placement = Placer(read(MODELS["dynamic/RESHAPE_runtime"]())).place("2.3.0")
    assert {placed.on for placed in placement.ops} == {On.UNKNOWN}
    assert placement.line is None
    assert placement.failures[0].message.endswith("(tensor#-1 is a dynamic-sized tensor).")


def test_a_failure_after_the_report_keeps_it() -> None:
    placement = Placer(read(MODELS["created/SPLIT_1"]())).place("2.3.0")
    assert placement.line == "1 operations will run on the GPU, and the remaining 1 operations will run on the CPU."


@pytest.mark.parametrize(
    ("type_", "verdict"),
    [
        ("FLOAT32", f"{ALL} full"),
        ("FLOAT16", "2.1.2-2.1.6 unloadable PREPARE\n2.2.0-2.3.0 fails PREPARE"),
        ("UINT32", f"{ALL} unloadable PREPARE"),
    ],
)
def test_a_CPU_kernel_refuses_what_the_delegate_would_take(type_: str, verdict: str) -> None:
    """XNNPACK takes FLOAT16 means since 2.2.0, but only when the GPU is not asked for."""

    def build() -> bytes:
        graph = Graph()
        graph.output(graph.op("MEAN", graph.input((1, 4, 4, 8), type_), [3], keep_dims=True))
        return graph.build()

    assert fates(build) == verdict


def test_the_release_that_registers_a_version() -> None:
    versions = registered("BROADCAST_TO")
    assert versions is not None
    assert (versions.lowest, versions.highest(Era("2.1.6")), versions.highest(Era("2.2.0"))) == (2, 3, 4)
    assert versions.first_release(4) == "2.2.0"
    assert registered("STABLEHLO_CBRT") is None


@pytest.mark.parametrize(
    ("multiplier", "said"), [(2, f"{ALL} partial"), (3, "2.1.2-2.1.6 partial\n2.2.0-2.3.0 unloadable PREPARE")]
)
def test_XNNPACK_fails_after_the_report(multiplier: int, said: str) -> None:
    def build() -> bytes:
        graph = Graph()
        data = graph.op("ABS", graph.input((1, 4, 4, 4)))
        weights = graph.const(shape=(1, 1, 1, 8), fill=1)
        made = graph.op(
            "DEPTHWISE_CONV_2D",
            data,
            weights,
            graph.const(shape=(8,), fill=0),
            padding="VALID",
            stride_h=1,
            stride_w=1,
            depth_multiplier=multiplier,
            out=(1, 4, 4, 8),
        )
        graph.output(graph.op("LOG_SOFTMAX", made))
        return graph.build()

    assert fates(build) == said
    assert Placer(read(build())).place("2.3.0").line is not None
