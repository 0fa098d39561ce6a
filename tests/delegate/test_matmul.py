"""Matrix products and table lookups: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, BUILT, answers, fates

from tflint.fixtures.builder import Blockwise, Graph, Quant
from tflint.fixtures.probes.single import Operand, constant, half, runtime, single

ALL = "2.1.2-2.3.0"
SCALES = "Unsupported quantization scale size"
ONE = Quant(0.05, 3)
MANY = Quant([0.1] * 4, [0] * 4)


def dense(
    data: Operand | None = None,
    weights: Operand | None = None,
    bias: Operand | None = None,
    out: tuple[int, ...] = (2, 4),
    **keywords: object,
) -> Callable[[], bytes]:
    operands = (data or runtime((2, 8)), weights or constant((4, 8)), bias or constant((4,)))
    return single("FULLY_CONNECTED", *operands, out=out, **keywords)


def quantized(kind: str = "INT8", shape: tuple[int, ...] = (4, 8), quant: Quant = MANY) -> Operand:
    return constant(shape, kind, quant=quant)


def blockwise(kind: str = "INT4", block: int = 32, columns: int = 64, points: bool = False) -> Operand:
    def make(graph: Graph) -> object:
        blocks = [4, columns // block]
        zero = graph.const(shape=blocks, type="INT32", fill=0) if points else None
        scales = Blockwise(graph.const(shape=blocks, type="FLOAT16", fill=0.5), zero, block)
        return graph.const(shape=[4, columns], type=kind, fill=1, quant=scales)

    return Operand(make)  # type: ignore[arg-type]


def test_versions_and_options() -> None:
    assert answers(dense(version=14)) == ACCEPTED
    assert answers(dense(version=15)) == f"{ALL} Max version supported: 14. Requested version 15."
    said = answers(dense(weights_format="SHUFFLED4x16INT8"))
    assert said == f"{ALL} Unsupported FullyConnected weights format: 1"
    assert answers(dense(fused_activation_function="RELU6")) == ACCEPTED


def test_ranks_agree_when_dimensions_are_kept() -> None:
    data = runtime((1, 2, 8))
    assert answers(dense(data, out=(1, 2, 4), keep_num_dims=True)) == ACCEPTED
    assert answers(dense(data)) == ACCEPTED
    words = "Input and output dimensions different and FullyConnected doesn't support keep_num_dims."
    assert answers(dense(data, keep_num_dims=True)) == f"{ALL} {words}"


def test_which_operands_come_at_run_time() -> None:
    assert answers(dense(weights=runtime((4, 8)))) == ACCEPTED
    assert answers(dense(bias=runtime((4,)))) == ACCEPTED
    said = answers(dense(weights=runtime((4, 8)), bias=runtime((4,))))
    assert said == f"{ALL} FullyConnected doesn't support more than 2 runtime inputs."
    said = answers(dense(data=constant((2, 8))))
    assert said == f"{ALL} FullyConnected doesn't support constant input."


def test_quantized_weights_are_int8_int4_or_int2_matrices() -> None:
    for kind in ("INT8", "INT4", "INT2"):
        assert answers(dense(weights=quantized(kind))) == ACCEPTED
    for kind in ("UINT8", "FLOAT32"):
        said = answers(dense(weights=quantized(kind)))
        assert said == f"{ALL} Expected Int8, Int4, or Int2 quantized tensor: 1"
    assert answers(dense(weights=constant((4, 8), "UINT8"))) == ACCEPTED
    assert answers(dense(weights=quantized(shape=(4, 1, 1, 8)))) == ACCEPTED
    prefix = f"{ALL} PreCheckReadQuantizedValueByTensorIdx: Expected"
    assert answers(dense(weights=quantized(shape=(4, 1, 8)))) == f"{prefix} 2D or 4D quantized tensor: 1"
    said = answers(dense(weights=quantized(shape=(4, 1, 2, 4))))
    assert said == f"{prefix} 4D quantized tensor with height of 1 and width of 1: 1"


def test_scales_of_activations() -> None:
    data = runtime((2, 8), "INT8", quant=ONE)
    assert answers(dense(data, quantized(), quant=ONE)) == ACCEPTED
    assert answers(dense(data, quantized(), quant=Quant([0.1] * 4, [0] * 4, 1))) == f"{ALL} {SCALES}"
    many = runtime((2, 8), "INT8", quant=Quant([0.1] * 8, [0] * 8, 1))
    assert answers(dense(many, quantized(), quant=ONE)) == f"{ALL} {SCALES}"


def matmul(right: Operand, left: Operand | None = None, **keywords: object) -> Callable[[], bytes]:
    return single("BATCH_MATMUL", left or runtime((1, 2, 4, 8)), right, out=[1, 2, 4, 4], **keywords)


def test_constant_right_operands() -> None:
    assert answers(matmul(constant((8, 4)))) == ACCEPTED
    unsupported = "Not supported batched mat mul case"
    for shape in ((2, 8, 4), (1, 2, 8, 4)):
        assert answers(matmul(runtime(shape))) == ACCEPTED
        assert answers(matmul(constant(shape))) == f"2.1.2 {unsupported}\n2.1.3-2.3.0 accepted"
    said = answers(matmul(constant((1, 1, 2, 8, 4))))
    assert said == f"2.1.2 {unsupported}\n2.1.3-2.3.0 {unsupported}: second input has unsupported rank"


def test_a_constant_left_operand_is_refused() -> None:
    left = constant((1, 2, 4, 8))
    unsupported = "Not supported batched mat mul case"
    said = answers(matmul(runtime((1, 2, 8, 4)), left))
    assert said == f"2.1.2 {unsupported}\n2.1.3-2.3.0 {unsupported}: non-constant tensor"
    said = answers(matmul(constant((1, 2, 8, 4)), left))
    assert said == f"2.1.2 {unsupported}\n2.1.3-2.3.0 {unsupported}: too many inputs"


def test_types_of_constant_right_operands() -> None:
    for kind in ("FLOAT16", "INT8", "INT4", "UINT8", "INT32"):
        assert answers(matmul(constant((8, 4), kind))) == ACCEPTED
    for kind in ("INT64", "INT16", "BOOL"):
        assert answers(matmul(constant((8, 4), kind))) == f"{ALL} Unsupported data type for float32 tensor"


def lookup(
    table: Operand, ids: Operand | None = None, out: tuple[int, ...] = (3, 8), **keywords: object
) -> Callable[[], bytes]:
    return single("EMBEDDING_LOOKUP", ids or runtime((3,), "INT32"), table, out=out, type="FLOAT32", **keywords)


def test_tables() -> None:
    assert answers(lookup(constant((10, 8)))) == ACCEPTED
    for kind in ("INT8", "INT4"):
        assert answers(lookup(constant((10, 8), kind, quant=ONE))) == ACCEPTED
        said = answers(lookup(constant((10, 8), kind)))
        assert said == f"{ALL} EMBEDDING_LOOKUP: Empty quantization params."
    two_bits = answers(lookup(constant((10, 8), "INT2", quant=ONE)))
    words = "Expected int8, int4, or float32, but got INT2 for input #1."
    assert two_bits == f"2.1.2 {words}\n2.1.3-2.3.0 accepted"
    assert answers(lookup(constant((10, 8), "UINT8", quant=ONE))) == (
        "2.1.2 Expected int8, int4, or float32, but got UINT8 for input #1.\n"
        "2.1.3-2.1.4 Expected int8, int4, int2, or float32, but got UINT8 for input #1.\n"
        "2.1.5-2.3.0 EMBEDDING_LOOKUP: Unsupported weights type."
    )


def test_blockwise_tables_are_taken_from_2_1_6_on() -> None:
    build = lookup(blockwise("INT8", columns=64), out=(3, 64))
    words = "PreCheckReadQuantizedValueByTensorIdx: Tensor is not quantized: 2"
    assert answers(build) == f"2.1.2-2.1.5 {words}\n2.1.6-2.3.0 accepted"
    assert fates(build) == "2.1.2-2.1.5 built\n2.1.6-2.3.0 BLOCKWISE_WEIGHTS"


def test_shapes_of_lookups() -> None:
    said = answers(lookup(constant((10, 8)), runtime((1, 3), "INT32")))
    assert said == f"{ALL} Expected 1D, but got 2D input #0."
    assert answers(lookup(constant((10, 8)), out=(3, 1, 8))) == f"{ALL} Expected 2, but got 3 for output."
    assert answers(lookup(constant((10, 8)), out=(3, 4))) == f"{ALL} Expected 8, but got 4 for output.dim[1]."


def test_one_tensor_as_data_and_weights() -> None:
    both = runtime((4, 4))
    assert fates(single("FULLY_CONNECTED", both, runtime((4, 4)), out=[4, 4])) == BUILT
    assert fates(single("FULLY_CONNECTED", both, both, out=[4, 4])) == f"{ALL} SAME_TENSOR_TWICE"
    one = runtime((1, 4, 4))
    assert fates(single("BATCH_MATMUL", one, one)) == f"{ALL} SAME_TENSOR_TWICE"
    assert fates(single("BATCH_MATMUL", both, both, out=[4, 4])) == BUILT


def test_a_runtime_bias_takes_the_place_of_the_weights() -> None:
    assert fates(dense(bias=runtime((4,)))) == f"{ALL} RUNTIME_BIAS"
    assert fates(dense(weights=half((4, 8)), bias=runtime((4,)))) == f"{ALL} RUNTIME_BIAS"
    assert fates(dense()) == BUILT


def test_integer_constants_need_scales() -> None:
    assert fates(dense(weights=constant((4, 8), "INT8", quant=ONE))) == BUILT
    assert fates(dense(weights=constant((4, 8), "INT8"))) == f"{ALL} UNREADABLE_CONSTANT"
    assert fates(matmul(constant((8, 4), "INT8", quant=ONE))) == BUILT
    assert fates(matmul(constant((8, 4), "INT8"))) == f"{ALL} UNREADABLE_CONSTANT"


@pytest.mark.parametrize(
    ("shape", "keep", "fails"),
    [
        pytest.param((1, 9, 8), False, True, id="nine along the width"),
        pytest.param((1, 8, 8), False, False, id="eight"),
        pytest.param((1, 3, 3, 8), False, True, id="nine along height and width"),
        pytest.param((1, 9, 8), True, False, id="dimensions kept"),
        pytest.param((9, 1, 8), False, False, id="along the first axis"),
        pytest.param((2, 9, 8), False, False, id="along the first axis too"),
        pytest.param((9, 8), False, False, id="a matrix"),
    ],
)
def test_rows_of_quantized_products(shape: tuple[int, ...], keep: bool, fails: bool) -> None:
    rows = 1
    for extent in shape[:-1]:
        rows *= extent
    out = (*shape[:-1], 4) if keep else (rows, 4)
    said = fates(dense(runtime(shape), quantized(), out=out, keep_num_dims=keep, version=9))
    assert said == (f"{ALL} MATRIX_ROWS" if fails else BUILT)
    assert fates(dense(runtime(shape), out=out, keep_num_dims=keep)) == BUILT


def test_blockwise_weights() -> None:
    data = runtime((1, 64))

    def fate(weights: Operand, rows: int = 1) -> str:
        return fates(dense(runtime((rows, 64)), weights, out=(rows, 4), version=13))

    assert answers(dense(data, blockwise(), out=(1, 4), version=13)) == ACCEPTED
    assert fate(blockwise("INT8")) == f"{ALL} BLOCKWISE_WEIGHTS"
    assert fate(blockwise()) == (
        "2.1.2 BLOCKWISE_WEIGHTS\n2.1.3-2.1.4 built\n2.1.5 BLOCKWISE_WEIGHTS\n2.1.6 built\n2.2.0-2.3.0 BLOCKWISE_WEIGHTS"
    )
    assert fate(blockwise(points=True)).endswith("2.2.0 BLOCKWISE_WEIGHTS\n2.3.0 built")
    assert fate(blockwise(block=64)).startswith("2.1.2 built\n2.1.3-2.3.0 BLOCKWISE_WEIGHTS")
    assert fate(blockwise(), rows=9).startswith("2.1.2-2.1.4 built")


@pytest.mark.parametrize(("columns", "fails"), [(8, False), (6, True), (5, True)])
def test_columns_of_an_adjoint_right_operand(columns: int, fails: bool) -> None:
    def fate(right: Operand, rank: int = 3, **keywords: object) -> str:
        left = runtime((2, 4, 8)[3 - rank :])
        out = [*(2, 4)[3 - rank :], columns]
        return fates(single("BATCH_MATMUL", left, right, out=out, **keywords))

    said = "2.1.2-2.1.4 BATCH_MATMUL_COLUMNS\n2.1.5-2.3.0 built" if fails else BUILT
    assert fate(runtime((2, columns, 8)), adj_y=True) == said
    assert fate(runtime((2, 8, columns))) == BUILT
    assert fate(constant((columns, 8)), rank=2, adj_y=True) == BUILT


def test_lookups_that_cannot_be_built() -> None:
    assert fates(lookup(constant((10, 8)))) == BUILT
    assert fates(lookup(constant((10, 8)), constant((3,), "INT32"))) == f"{ALL} CONSTANT_OPERAND"
    assert fates(lookup(runtime((10, 8)))) == f"{ALL} RUNTIME_PARAMETER"
    assert fates(lookup(constant((10, 2, 4)), out=(3, 2, 4))) == f"{ALL} KERNEL_CREATION"
