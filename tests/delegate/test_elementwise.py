"""Operators that work element by element: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from typing import Any

import pytest
from answers import ACCEPTED, answers

from tflint.fixtures.probes.elementwise import CHANNEL_SCALES, ONE_SCALE, SPARSE, natural, shaped
from tflint.fixtures.probes.single import BASE, Operand, constant, half, runtime, single
from tflint.linter.delegate.placement import Placer
from tflint.linter.reader import read

ALL = "2.1.2-2.3.0"
UNUSABLE = f"{ALL} Can't parse inputs with const tensors."


def two(operator: str, **fields: Any) -> tuple[Operand, Operand]:
    fields = {"type": natural(operator), **fields}
    return runtime(**fields), runtime(**fields)


@pytest.mark.parametrize(
    ("operator", "ceiling"),
    [
        ("LOGISTIC", 2),
        ("RELU", 2),
        ("RSQRT", 2),
        ("TANH", 2),
        ("EQUAL", 2),
        ("GREATER_EQUAL", 2),
        ("LESS", 2),
        ("NOT_EQUAL", 2),
        ("SUB", 2),
    ],
)
def test_versions_above_a_fixed_ceiling(operator: str, ceiling: int) -> None:
    operands = [runtime()] if operator in ("LOGISTIC", "RELU", "RSQRT", "TANH") else two(operator)
    assert answers(single(operator, *operands, version=ceiling)) == ACCEPTED
    words = f"Max version supported: {ceiling}. Requested version {ceiling + 1}."
    assert answers(single(operator, *operands, version=ceiling + 1)) == f"{ALL} {words}"


@pytest.mark.parametrize(("operator", "old", "registered"), [("ADD", 2, 5), ("MUL", 4, 7)])
def test_the_ceilings_of_add_and_mul_rose_in_2_1_6(operator: str, old: int, registered: int) -> None:
    """`registered` is the highest version that every release loads."""
    assert answers(single(operator, *two(operator), version=old)) == ACCEPTED
    for version in (old + 1, registered):
        assert answers(single(operator, *two(operator), version=version)) == (
            f"2.1.2-2.1.5 Max version supported: {old}. Requested version {version}.\n2.1.6-2.3.0 accepted"
        )


@pytest.mark.parametrize(
    ("operator", "version"), [("ABS", 5), ("MAXIMUM", 4), ("MINIMUM", 4), ("FLOOR_DIV", 3), ("CAST", 8)]
)
def test_versions_that_are_all_accepted(operator: str, version: int) -> None:
    operands = [runtime()] if operator in ("ABS", "CAST") else two(operator)
    assert answers(single(operator, *operands, version=version)) == ACCEPTED


@pytest.mark.parametrize(
    ("operator", "taken", "refused"),
    [
        ("EXP", "BFLOAT16", "INT32"),
        ("GELU", "FLOAT16", "BFLOAT16"),
        ("HARD_SWISH", "FLOAT16", "INT16"),
        ("NEG", "INT32", "INT64"),
        ("RELU", "FLOAT16", "INT32"),
        ("ADD", "INT32", "INT64"),
        ("MAXIMUM", "INT16", "UINT32"),
        ("SQUARED_DIFFERENCE", "FLOAT16", "INT32"),
        ("EQUAL", "UINT32", "BFLOAT16"),
        ("LESS", "INT32", "INT64"),
        ("RIGHT_SHIFT", "INT8", "UINT32"),
        ("ADD_N", "FLOAT16", "INT32"),
    ],
)
def test_types(operator: str, taken: str, refused: str) -> None:
    count = 1 if operator in ("EXP", "GELU", "HARD_SWISH", "NEG", "RELU") else 2
    said = answers(single(operator, *[runtime(type=refused) for _ in range(count)]))
    assert said == f"{ALL} Tensor type({refused}) is not supported. input_0"
    assert answers(single(operator, *[runtime(type=taken) for _ in range(count)])) == ACCEPTED


def test_a_comparison_gives_bool_and_an_addition_does_not() -> None:
    assert answers(single("EQUAL", *two("EQUAL", type="BOOL"))) == ACCEPTED
    said = answers(single("ADD", *two("ADD", type="BOOL")))
    assert said == f"{ALL} Tensor type(BOOL) is not supported. add_2"


def test_a_constant_operand_of_a_unary_operator() -> None:
    said = f"{ALL} Expected 0 const input tensor(s), but node has 1 const input(s)."
    for operator in ("ABS", "TANH", "LOGICAL_NOT"):
        assert answers(single(operator, constant(type=natural(operator)))) == said
    said = f"{ALL} Expected 1 runtime input tensor(s), but node has 0 runtime input(s)."
    assert answers(single("HARD_SWISH", constant())) == said


def test_relu_0_to_1_is_refused_since_2_1_5() -> None:
    said = "2.1.2-2.1.4 accepted\n2.1.5-2.3.0 Not supported op RELU_0_TO_1"
    assert answers(single("RELU_0_TO_1", runtime())) == said
    assert answers(single("RELU_N1_TO_1", runtime())) == ACCEPTED


def test_bitwise_xor_is_refused_unless_both_operands_are_constant() -> None:
    refused = "Not supported op BITWISE_XOR"
    assert answers(single("BITWISE_XOR", *two("BITWISE_XOR"))) == f"{ALL} {refused}"
    constants = (constant(type="INT32"), constant(type="INT32"))
    assert answers(single("BITWISE_XOR", *constants)) == f"2.1.2-2.2.0 {refused}\n2.3.0 accepted"


@pytest.mark.parametrize("operator", ["ADD", "ADD_N", "MUL"])
def test_one_tensor_twice_is_taken(operator: str) -> None:
    same = runtime()
    assert answers(single(operator, same, same)) == ACCEPTED


@pytest.mark.parametrize("operator", ["DIV", "SUB", "MAXIMUM", "EQUAL", "POW", "SQUARED_DIFFERENCE", "LOGICAL_AND"])
def test_one_tensor_twice_is_refused(operator: str) -> None:
    same = runtime(type=natural(operator))
    said = f"{ALL} No support of few identical inputs in the same operation."
    assert answers(single(operator, same, same)) == said
    assert answers(single(operator, *two(operator))) == ACCEPTED


def test_runtime_scalars_combine_with_scalars_only() -> None:
    assert answers(single("SUB", runtime(()), runtime(()))) == ACCEPTED
    assert answers(single("SUB", runtime(), runtime((1,)))) == ACCEPTED
    assert answers(single("SUB", runtime(), runtime(()))) == f'{ALL} Tensor "input_1" has bad input dims size: 0.'
    assert answers(single("SUB", runtime(()), runtime())) == f'{ALL} Tensor "input_0" has bad input dims size: 0.'
    assert answers(single("SUB", runtime(), constant(()))) == ACCEPTED


def test_rank_5_is_named_by_another_tensor_in_each_era() -> None:
    deep = runtime(shaped(5)), runtime(shaped(5))
    assert answers(single("ADD", *deep)) == (
        '2.1.2-2.1.4 Tensor "input_0" has bad input dims size: 5.\n'
        '2.1.5 Tensor "add_2" has bad input dims size: 5.\n'
        "2.1.6-2.3.0 Tensor dimensions must be less than 5. input_0"
    )
    assert answers(single("HARD_SWISH", runtime(shaped(5)))) == (
        '2.1.2-2.1.5 Tensor "input_0" has bad input dims size: 5.\n'
        "2.1.6-2.3.0 Tensor dimensions must be less than 5. input_0"
    )
    assert answers(single("ADD", runtime(), runtime())) == ACCEPTED


def test_rank_6_is_refused_while_operands_are_read() -> None:
    deep = runtime(shaped(6)), runtime(shaped(6))
    assert answers(single("ADD", *deep)) == (
        '2.1.2-2.1.4 Tensor "input_0" has bad input dims size: 6.\n'
        '2.1.5-2.3.0 Tensor "add_2" has bad input dims size: 6.'
    )


def test_scales_by_channel() -> None:
    one, many = runtime(type="INT8", quant=ONE_SCALE), runtime(type="INT8", quant=CHANNEL_SCALES)
    said = f"{ALL} Unsupported quantization scale size"
    assert answers(single("MUL", one, many, quant=ONE_SCALE)) == said
    assert answers(single("MUL", many, one, quant=ONE_SCALE)) == said
    assert answers(single("MUL", one, runtime(type="INT8", quant=ONE_SCALE), quant=ONE_SCALE)) == ACCEPTED


@pytest.mark.parametrize(
    ("type_", "shape", "usable"),
    [
        ("INT32", (), True),
        ("BOOL", (), False),
        ("INT64", (1,), False),
        ("INT16", (1, 1), False),
        ("INT16", (1, 1, 1, 8), True),  # the constant passes; whether it can be built is not asked here
        ("UINT8", (), False),
    ],
)
def test_constants_beside_a_runtime_operand(type_: str, shape: tuple[int, ...], usable: bool) -> None:
    said = answers(single("EQUAL", runtime(type=type_), constant(shape, type_)))
    assert (said == UNUSABLE) is not usable


def test_a_quantized_scalar_is_usable_and_a_plain_one_is_not() -> None:
    data = runtime(type="INT8", quant=ONE_SCALE)
    assert answers(single("EQUAL", data, constant((), "INT8", quant=ONE_SCALE))) == ACCEPTED
    assert answers(single("EQUAL", data, constant((), "INT8"))) == UNUSABLE


def test_sparse_constants_are_not_usable() -> None:
    sparse = constant((2, 2), data=bytes(8), sparsity=SPARSE)
    assert answers(single("EQUAL", runtime((2, 2)), sparse)) == UNUSABLE
    assert answers(single("EQUAL", runtime((2, 2)), constant((2, 2)))) == ACCEPTED


def test_two_constants_are_looked_at_since_2_3_0() -> None:
    before = "2.1.2-2.2.0 Expected 1 const input tensor(s), but node has 2 const input(s).\n2.3.0 "
    assert answers(single("ADD", constant(), constant())) == before + "accepted"
    assert answers(single("ADD", constant(), constant((8,)))) == (
        before + "add: constant inputs and output must have the same rank, but got 4, 1 and 4"
    )
    assert answers(single("ADD", constant(shaped(5)), constant(shaped(5)))) == (
        "2.1.2-2.1.4 Expected 1 const input tensor(s), but node has 2 const input(s).\n"
        '2.1.5 Tensor "add_4" has bad input dims size: 5.\n'
        "2.1.6-2.2.0 Expected 1 const input tensor(s), but node has 2 const input(s).\n"
        "2.3.0 add: constant tensor with rank > 4: {\n  type: FLOAT32\n  data: {...}\n  dims: [1,1,4,4,8]\n}"
    )


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("SUB", "subtract"),
        ("SQUARED_DIFFERENCE", "squared_diff"),
        ("RIGHT_SHIFT", "shift_right"),
        ("STABLEHLO_SHIFT_LEFT", "shift_left"),
        ("GREATER_EQUAL", "greater_equal"),
    ],
)
def test_two_constants_carry_the_name_of_the_operation(operator: str, name: str) -> None:
    type_ = natural(operator)
    assert answers(single(operator, constant(type=type_), constant((8,), type_))) == (
        "2.1.2-2.2.0 Op can only handle 1 or 2 operand(s).\n"
        f"2.3.0 {name}: constant inputs and output must have the same rank, but got 4, 1 and 4"
    )


def test_the_order_in_which_two_constants_are_looked_at() -> None:
    def since_2_3_0(first: Operand, second: Operand) -> str:
        return answers(single("EQUAL", first, second)).rpartition("2.3.0 ")[2].split(" {")[0]

    wide, deep, sparse = (
        constant((2,), "INT64"),
        constant((1, 1, 1, 1, 2), "INT64"),
        {"data": bytes(16), "sparsity": SPARSE},
    )
    assert since_2_3_0(deep, wide) == "equal: constant tensor with rank > 4:"
    assert since_2_3_0(wide, deep) == "equal: unsupported constant tensor type: INT64"
    assert since_2_3_0(constant((2, 2), "INT64", **sparse), wide) == "equal: sparse constant tensor"
    assert since_2_3_0(constant(()), constant(())) == "accepted"


def test_float16_weights_are_constants_of_their_own_type() -> None:
    """The delegate looks through the DEQUANTIZE. In the graph the operands have one type, as the CPU demands."""

    def last(*operands: Operand) -> str | None:
        placed = Placer(read(single("EQUAL", *operands)())).place("2.3.0").ops[-1]
        return placed.refusal.message if placed.refusal else None

    assert last(half(), constant((8,))) == "equal: constant inputs have different types: FLOAT16 vs FLOAT32"
    assert last(half(), half()) is None
    assert last(runtime(), half()) is None


def test_the_version_comes_before_two_constants() -> None:
    said = answers(single("SUB", constant(), constant((8,)), version=3))
    assert said == f"{ALL} Max version supported: 2. Requested version 3."


@pytest.mark.parametrize("operator", ["ADD", "DIV", "MUL", "SUB"])
def test_fused_activations(operator: str) -> None:
    def fused(activation: str) -> str:
        return answers(single(operator, *two(operator), fused_activation_function=activation))

    assert fused("RELU6") == fused("TANH") == ACCEPTED
    words = "Unsupported fused activation: 5" if operator == "ADD" else "TfLiteFusedActivation.kTfLiteActSignBit"
    assert fused("SIGN_BIT") == f"{ALL} {words}"


def test_add_n_takes_two_operands() -> None:
    assert answers(single("ADD_N", *two("ADD_N"))) == ACCEPTED
    assert answers(single("ADD_N", *two("ADD_N"), runtime())) == f"{ALL} ADD_N only supports 2 inputs."


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        ((8,), "accepted"),
        ((1, 1, 8), "accepted"),
        ((4, 4, 8), "accepted"),
        (BASE, "accepted"),
        ((1,), "Linear alpha shape does not match the number of input channels."),
        ((1, 4, 8), "Alpha shape does not match input shape."),
        (
            (4, 8),
            "Expected a 3D tensor of shape HxWxC or a 4D tensor of shape 1xHxWxC but got [4,8]",
        ),
    ],
)
def test_alpha_of_prelu(alpha: tuple[int, ...], said: str) -> None:
    assert answers(single("PRELU", runtime(), constant(alpha), out=BASE)) == f"{ALL} {said}"


def test_alpha_of_prelu_is_a_float_constant() -> None:
    assert answers(single("PRELU", runtime(), runtime((8,)), out=BASE)) == f"{ALL} src has no data."
    said = answers(single("PRELU", runtime(type="INT16"), constant((8,), "INT16"), out=BASE))
    assert said == f"{ALL} Unsupported data type for float32 tensor"


def test_cast() -> None:
    assert answers(single("CAST", runtime(type="UINT32"), out_data_type="BOOL")) == ACCEPTED
    said = answers(single("CAST", runtime(type="INT64"), out_data_type="INT32"))
    assert said == f"{ALL} Tensor type(INT64) is not supported. input_0"
    said = answers(single("CAST", runtime(), out_data_type="INT64"))
    assert said == f"{ALL} Tensor type(INT64) is not supported. cast_1"
