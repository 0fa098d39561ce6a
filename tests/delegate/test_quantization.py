"""QUANTIZE and DEQUANTIZE: each condition from both sides, in the runtime's words (measured on every release)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answers import ACCEPTED, BUILT, answers, fates

from tflint.fixtures.builder import Graph, Quant
from tflint.fixtures.probes.single import Operand, constant, runtime, single

ALL = "2.1.2-2.3.0"
SCALES = "Unsupported quantization scale size"
DENSIFY = "Dequantize for Densify is not supported"
SHAPE = (1, 4, 4, 8)
ONE = Quant(0.05, 3)
MANY = Quant([0.1] * 8, [0] * 8, 3)


def quantize(data: Operand | None = None, quant: Quant | None = ONE, type: str = "INT8", version: int = 1) -> str:
    return answers(single("QUANTIZE", data or runtime(SHAPE), out=SHAPE, type=type, quant=quant, version=version))


def dequantize(data: Operand, shape: tuple[int, ...] = SHAPE, version: int = 2) -> Callable[[], bytes]:
    return single("DEQUANTIZE", data, out=shape, type="FLOAT32", version=version)


def packed(shape: tuple[int, ...] = SHAPE, kind: str = "INT8", quant: Quant | None = ONE) -> Operand:
    return constant(shape, kind, quant=quant)


def test_versions() -> None:
    assert quantize(version=2) == ACCEPTED
    assert quantize(version=3) == f"{ALL} Max version supported: 2. Requested version 3."
    data = runtime(SHAPE, "INT8", quant=ONE)
    assert answers(dequantize(data, version=3)) == ACCEPTED
    assert answers(dequantize(data, version=4)) == f"{ALL} Max version supported: 3. Requested version 4."


def test_outputs_of_quantize() -> None:
    for kind in ("INT8", "UINT8"):
        assert quantize(type=kind) == ACCEPTED
    assert quantize(type="INT16") == f"{ALL} Tensor type(INT16) is not supported. quantize_1"
    assert quantize(quant=None) == f"{ALL} Encountered Quantize output with no quant params"
    assert quantize(quant=MANY) == f"{ALL} {SCALES}"


def test_inputs_of_quantize() -> None:
    assert quantize(runtime(SHAPE, "UINT8", quant=ONE)) == ACCEPTED
    assert quantize(runtime(SHAPE, "INT8", quant=MANY)) == f"{ALL} {SCALES}"
    words = "Expected 1 runtime input tensor(s), but node has 0 runtime input(s)."
    assert quantize(constant(SHAPE)) == f"{ALL} {words}"


def test_runtime_inputs_of_dequantize() -> None:
    assert answers(dequantize(runtime(SHAPE, "INT8", quant=ONE))) == ACCEPTED
    assert answers(dequantize(runtime(SHAPE, "INT8", quant=MANY))) == f"{ALL} {SCALES}"
    assert answers(dequantize(runtime(SHAPE, "INT16", quant=ONE))) == f"{ALL} Unsupported dequantization type."


@pytest.mark.parametrize("kind", ["FLOAT16", "INT8"])
def test_runtime_inputs_without_scales_are_refused_from_2_1_6_on(kind: str) -> None:
    build = dequantize(runtime(SHAPE, kind))
    assert answers(build) == f"2.1.2-2.1.5 accepted\n2.1.6-2.3.0 {DENSIFY}"
    assert fates(build) == "2.1.2-2.1.5 HALF_DEQUANTIZE\n2.1.6-2.3.0 built"


def test_a_half_float_of_rank_5_was_not_read() -> None:
    shape = (1, 1, 1, 1, 8)
    said = answers(dequantize(runtime(shape, "FLOAT16"), shape))
    # On 2.1.5 the output is tested first.
    assert said.splitlines()[0] == "2.1.2-2.1.4 Tensor dimensions must be less than 5. input_0"
    assert said.splitlines()[-1] == f"2.1.6-2.3.0 {DENSIFY}"


def test_only_int8_and_uint8_can_be_dequantized_at_run_time() -> None:
    assert fates(dequantize(runtime(SHAPE, "UINT8", quant=ONE))) == BUILT
    assert fates(dequantize(runtime(SHAPE, "INT4", quant=ONE))) == "2.1.2-2.1.5 built\n2.1.6-2.3.0 HALF_DEQUANTIZE"


def test_constant_inputs_of_dequantize() -> None:
    for rank in (2, 3, 4):
        assert answers(dequantize(packed(SHAPE[:rank]), SHAPE[:rank])) == ACCEPTED
    assert answers(dequantize(packed((8,)), (8,))) == f"{ALL} Unsupported dims for tensor: const_0 Got dims:1"
    assert answers(dequantize(packed(kind="INT2"))) == f"{ALL} Unsupported data type for float32 tensor"
    assert answers(dequantize(packed(kind="INT4"))) == ACCEPTED


@pytest.mark.parametrize(
    ("shape", "fails"),
    [((4, 8), True), ((1, 8), False), ((2, 4, 8), True), ((1, 4, 8), False), ((2, 1, 4, 8), False)],
)
def test_dequantized_constants_that_lie_along_the_first_axis(shape: tuple[int, ...], fails: bool) -> None:
    for kind in ("INT8", "UINT8", "INT4"):
        said = fates(dequantize(packed(shape, kind), shape))
        assert said == (f"{ALL} DEQUANTIZED_MATRIX" if fails else BUILT)


def test_integer_constants_need_scales() -> None:
    assert fates(dequantize(packed())) == BUILT
    assert fates(dequantize(packed(quant=None))) == f"{ALL} UNREADABLE_CONSTANT"


def test_half_constants_are_looked_through() -> None:
    def build() -> bytes:
        graph = Graph()
        weights = graph.op("DEQUANTIZE", graph.const(shape=[4, 8], type="FLOAT16", fill=1))
        graph.output(graph.op("FULLY_CONNECTED", graph.input([2, 8]), weights, out=[2, 4]))
        return graph.build()

    assert fates(build) == BUILT
