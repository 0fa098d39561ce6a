"""What is accepted and cannot be built: each rule with a twin that can (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fates import fates

from tflint.fixtures.builder import Graph, Tensor
from tflint.fixtures.probes import composite, loading

ALL = "2.1.2-2.3.0"
FINE = f"{ALL} partial"
MODELS = {probe.name.removeprefix("loading/"): probe.build for probe in loading.probes()}


def fails(fault: str, span: str = ALL) -> str:
    return f"{span} fails {fault}"


@pytest.mark.parametrize(
    ("case", "fate"),
    [
        ("created/SPLIT_1", fails("SPLIT_ONE_OUTPUT")),
        ("created/SPLIT_2", FINE),
        ("created/SPLIT_outside", FINE),
        ("created/GATHER_1x5x4x8_axis_1_of_3", f"{fails('GATHER_CONSTANT_INDICES', '2.1.2-2.2.0')}\n2.3.0 partial"),
        ("created/GATHER_1x5x4x8_axis_1_of_1", FINE),
        ("created/PRELU_2x4x4x8_by_4x4x8", fails("PRELU_BATCH")),
        ("created/PRELU_1x4x4x8_by_4x4x8", FINE),
        ("created/PRELU_2x4x4x8_by_1x1x8", FINE),
        ("created/SELECT_V2_6x6_batch_1_runtime", fails("SELECT_CONDITION_RANK")),
        ("created/SELECT_V2_6x6_batch_1_constant", fails("SELECT_CONDITION_RANK")),
        ("created/SELECT_V2_6x6_batch_2_runtime", FINE),
        ("created/SELECT_V2_1x1x6x6_batch_1_runtime", FINE),
        ("created/CAST_constant", f"2.1.2-2.1.4 partial\n{fails('CONSTANT_CAST', '2.1.5')}\n2.1.6-2.3.0 partial"),
        ("created/two_writers", fails("WRITTEN_TWICE")),
        ("created/two_writers_one_on_the_CPU", FINE),
        ("created/empty_0x8", fails("EMPTY_TENSOR")),
        ("created/empty_2x0", FINE),
        ("twice/PACK_4x8_axis_1", fails("SAME_TENSOR_TWICE")),
        ("twice/PACK_4x8_axis_0", FINE),
        ("twice/PACK_4x8_axis_2", FINE),
        ("twice/BATCH_MATMUL", fails("SAME_TENSOR_TWICE")),
        ("twice/CONV_2D", fails("SAME_TENSOR_TWICE")),
        ("twice/SELECT_V2", fails("SAME_TENSOR_TWICE")),
        ("twice/SELECT_V2_constants", FINE),
        ("twice/DYNAMIC_UPDATE_SLICE", fails("SAME_TENSOR_TWICE")),
        ("twice/CONCATENATION", FINE),
        ("twice/ADD", FINE),
        ("norm/shape_1x16x8", fails("VARIANCE_BY_SQUARES")),
        ("norm/shape_16x8", fails("VARIANCE_BY_SQUARES")),
        ("norm/shape_8", FINE),
        ("norm/square", fails("VARIANCE_BY_SQUARES")),
        ("norm/swapped", fails("VARIANCE_BY_SQUARES")),
        ("norm/axis_1", FINE),
        ("norm/no_epsilon", FINE),
        ("norm/runtime_epsilon", FINE),
        ("norm/centred", FINE),
        ("norm/RELU_between", FINE),
        ("norm/SQRT_DIV", FINE),
        ("file/in_place_ADD", f"{ALL} unloadable MALFORMED"),
        ("file/in_place_NEG", fails("MALFORMED")),
        ("file/in_place_LOG_SOFTMAX", FINE),
    ],
)
def test_what_kills_and_its_twin(case: str, fate: str) -> None:
    assert fates(MODELS[case]) == fate


def test_only_composites_in_the_kept_partition_kill() -> None:
    shapes = ((1, 4, 4, 8), (8,))

    def norm(*, outside: bool) -> Callable[[], bytes]:
        attributes = {"epsilon": 1e-5}
        return lambda: composite.composite("odml.rms_norm", shapes, attributes, constant=True, outside=outside)

    assert fates(norm(outside=False)) == fails("COMPOSITE")
    assert fates(norm(outside=True)) == FINE


def test_custom_norms_without_options_kill_where_they_load() -> None:
    unknown = "2.1.2 unloadable CUSTOM_OP\n"
    assert fates(lambda: composite.custom("custom_call.LayerNorm")) == (
        unknown + fails("KERNEL_CREATION", "2.1.3-2.3.0")
    )
    assert fates(lambda: composite.custom("custom_call.GroupNorm")) == (
        unknown + fails("KERNEL_CREATION", "2.1.3-2.2.0") + "\n2.3.0 partial"
    )
    assert fates(lambda: composite.custom("custom_call.RmsNorm", options={})) == unknown + "2.1.3-2.3.0 partial"


def test_a_split_constant_kills() -> None:
    def build() -> bytes:
        graph = Graph()
        parts = graph.op("SPLIT", 1, graph.const(shape=(4, 8), fill=1), num_splits=2, out=[(4, 4)] * 2)
        graph.output(graph.op("ADD", graph.input((4, 4)), parts[0]))
        return graph.build()

    assert fates(build) == fails("CONSTANT_OPERAND")


@pytest.mark.parametrize(("type_", "dies"), [("INT8", True), ("INT16", True), ("INT32", False)])
def test_constants_that_cannot_be_read_as_floats(type_: str, dies: bool) -> None:
    def build(shape: tuple[int, ...]) -> Callable[[], bytes]:
        def make() -> bytes:
            graph = Graph()
            constant = graph.const(shape=shape, type=type_, fill=1)
            made: Tensor = graph.op("EQUAL", graph.input((1, 1, 4, 8), type_), constant, out=(1, 1, 4, 8), type="BOOL")
            graph.output(made)
            return graph.build()

        return make

    assert ("UNREADABLE_CONSTANT" in fates(build((1, 1, 4, 8)))) is dies
    assert "UNREADABLE_CONSTANT" not in fates(build(()))


@pytest.mark.parametrize(("type_", "fate"), [("INT64", fails("KERNEL_CREATION")), ("INT32", FINE), ("INT16", FINE)])
def test_types_that_only_bodies_can_be_given(type_: str, fate: str) -> None:
    def build() -> bytes:
        graph = Graph()
        branch = graph.subgraph("branch")
        branch.output(branch.op("LOG_SOFTMAX", branch.op("CAST", branch.input((1, 4), type_), type="FLOAT32")))
        value = graph.input((1, 4), type_)
        (made,) = graph.op(
            "IF",
            graph.input((), "BOOL"),
            value,
            then_subgraph_index=branch,
            else_subgraph_index=branch,
            out=[(1, 4)],
            type="FLOAT32",
        )
        graph.output(graph.op("ABS", made))
        return graph.build()

    assert fates(build) == fate
