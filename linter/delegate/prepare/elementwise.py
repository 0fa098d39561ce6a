"""CPU Prepare of operators that work element by element.

Source: tflite/kernels/{activations,elementwise,add,sub,mul,div,comparisons,logical,…}.cc, v2.1.2 to v2.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import isclose

from ...options import MulOptions
from .state import Preparer, Step

_EIGHT_BITS = ("INT8", "UINT8")


def unary(s: Step) -> None:
    """RELU and its kin: the output has the input's type and shape."""
    s.counts(1)
    source, target = s.input(0), s.output()
    s.same_type(source, target)
    if source.type == "INT16" and s.op.name.startswith(("RELU", "LEAKY")):
        s.symmetric(source, target)
    s.like(source)


def tanh(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.same_type(source, target)
    if source.type == "INT16":
        s.symmetric(source, target)
        s.require(target.scale == 2.0**-15, f"the output's scale is {target.scale:g}, not 1/32768")
    s.like(source)


def logistic(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.same_type(source, target)
    if source.type in _EIGHT_BITS:
        s.require(target.scale == 1 / 256, f"the output's scale is {target.scale:g}, not 1/256")
    elif source.type == "INT16":
        s.symmetric(source, target)
        s.require(target.scale == 1 / 32768, f"the output's scale is {target.scale:g}, not 1/32768")
    s.like(source)


def softmax(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.require(source.rank >= 1, "its input is a scalar")
    for kind, zero_point, scale in (("INT8", -128, 1 / 256), ("INT16", 0, 1 / 32768)):
        if source.type == target.type == kind:
            s.require(target.zero_point == zero_point, f"the output's zero point is not {zero_point}")
            close = isclose(target.scale, scale, rel_tol=0.001)
            s.require(close, f"the output's scale is {target.scale:g}, not {scale:g}")
    if source.type == "INT16":
        s.symmetric(source, target)
    s.like(source)


def log_softmax(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.same_type(source, target)
    if source.type in _EIGHT_BITS:
        s.require(target.scale == 1 / 16, f"the output's scale is {target.scale:g}, not 1/16")
        wanted = 255 if source.type == "UINT8" else 127
        s.require(target.zero_point == wanted, f"the output's zero point is not {wanted}")
    s.like(source)


def prelu(s: Step) -> None:
    s.counts(2)
    source, alpha, target = s.input(0), s.input(1), s.output()
    target.type = source.type
    shape = s.broadcast(source, alpha)
    s.resize(target, shape)
    s.require(shape == source.shape, "alpha does not broadcast to the input's shape")
    readable = alpha.affine or not alpha.tensor.constant or alpha.type not in ("INT32", "INT4")
    s.require(readable, f"its alpha is {alpha.type}: the process dies when the delegate reads it")


def _typed_unary(types: tuple[str, ...], s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.same_type(source, target)
    s.typed(source, "its input", *types, since="2.1.6", more=("FLOAT16",) if s.op.name in ("SIN", "COS") else ())
    if source.type == "INT8" or (source.type == "INT16" and source.quantized):
        s.require(source.affine and target.affine, f"its {source.type} tensors are not quantized")
        if source.type == "INT16":
            s.symmetric(source, target)
    s.like(source)


def _float_unary(types: tuple[str, ...], s: Step) -> None:
    """FLOOR, CEIL, ROUND: the output takes the input's type."""
    s.counts(1)
    source, target = s.input(0), s.output()
    s.typed(source, "its input", *types)
    target.type = source.type
    s.like(source)


def copy(s: Step) -> None:
    """NEG, ZEROS_LIKE: the output takes the input's type and shape."""
    s.counts(1)
    source = s.input(0)
    s.output().type = source.type
    s.like(source)


def exp(s: Step) -> None:
    copy(s)
    if s.input(0).type == "INT16":
        s.symmetric(s.input(0), s.output())


def cast(s: Step) -> None:
    s.counts(1)
    s.like(s.input(0))


def _arithmetic(s: Step) -> None:
    """Two operands of one type, which the output takes."""
    s.counts(2)
    first, second = s.input(0), s.input(1)
    s.same_type(first, second)
    s.output().type = first.type
    s.resize(s.output(), s.broadcast(first, second))


def add(s: Step) -> None:
    _arithmetic(s)
    operands = (s.input(0), s.input(1), s.output())
    kind = operands[0].type
    if kind == "INT16" and (operands[0].quantized or s.op.name == "SUB"):
        s.symmetric(*operands)
    rescaled = {"ADD": _EIGHT_BITS, "SUB": (*_EIGHT_BITS, "INT16"), "SQUARED_DIFFERENCE": ("INT8",)}
    if kind in rescaled[s.op.name]:
        # QuantizeMultiplierSmallerThanOneExp checks its argument and aborts.
        s.require(
            all(slot.scale > 0 for slot in operands), f"its {kind} tensors have no single scale: the kernel aborts"
        )


def mul(s: Step) -> None:
    s.counts(2)
    first, second, target = s.input(0), s.input(1), s.output()
    s.same_type(first, second)
    shape = s.broadcast(first, second)
    s.resize(target, shape)
    if not (first.known and second.known):
        return
    s.typed(first, "a constant operand", "FLOAT32", "COMPLEX64", "INT8", "UINT8", "INT16", "INT32", "INT64")
    found, other = first.values(), second.values()
    if found is not None and other is not None and 1 in (len(found), len(other)):
        options = s.options(MulOptions)
        plain = options is None or options.fused_activation_function == "NONE"
        whole = first.type.startswith("INT") and not first.quantized
        target.compute([a * b for a in found for b in other] if plain and whole else None)
    else:
        target.compute(None)


def compare(s: Step) -> None:
    s.counts(2)
    first, second, target = s.input(0), s.input(1), s.output()
    if s.op.name not in ("EQUAL", "NOT_EQUAL"):
        s.require(first.type != "STRING", "it cannot order STRING tensors")
    s.same_type(first, second)
    target.type = "BOOL"
    s.resize(target, s.broadcast(first, second))


def _typed_binary(types: tuple[str, ...], s: Step) -> None:
    s.counts(2)
    s.same_type(s.input(0), s.input(1))
    s.typed(s.input(0), "its operands", *types)
    _arithmetic(s)


def atan2(s: Step) -> None:
    s.counts(2)
    first, second, target = s.input(0), s.input(1), s.output()
    s.require(first.rank == second.rank, f"its operands have ranks {first.rank} and {second.rank}")
    s.require(first.shape == second.shape, "its operands have different shapes")
    s.same_type(first, second)
    s.same_type(first, target)
    s.typed(first, "its operands", "FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT16")
    s.like(first)


def add_n(s: Step) -> None:
    s.require(len(s.op.inputs) >= 2, f"it has {len(s.op.inputs)} inputs; the kernel takes 2 or more")
    first = s.input(0)
    s.output().type = first.type
    for other in s.inputs()[1:]:
        s.require(other.shape == first.shape, "its operands have different shapes")
        s.same_type(first, other)
    s.like(first)


def bitcast(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8}
    from_size, to_size = (sizes.get("".join(filter(str.isdigit, slot.type))) for slot in (source, target))
    if from_size is None or to_size is None:
        return
    shape = source.shape
    if from_size > to_size:
        shape = (*shape, from_size // to_size)
    elif from_size < to_size:
        s.require(shape[-1:] == (to_size // from_size,), "the last axis does not make one element of the wider type")
        shape = shape[:-1]
    s.resize(target, shape)


def quantize(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.require(target.affine, "its output is not quantized")
    eight = ("UINT8", "INT8")
    if source.type == "FLOAT32":
        s.typed(target, "its output", *eight, "INT16", "INT4", since="2.1.3", more=("UINT4",))
    elif source.type == "INT16":
        s.typed(target, "its output", "INT8", "INT16", "INT32")
    elif source.type == "INT32":
        s.typed(target, "its output", "INT8", "INT16")
    else:
        s.typed(source, "its input", "FLOAT32", "INT16", "INT32", *eight)
        s.typed(target, "its output", *eight, since="2.1.3", more=("INT16",))
    if source.type == target.type == "INT16":
        s.symmetric(source, target)
    s.like(source)


def dequantize(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    kinds = ("INT2", "INT4", "UINT8", "INT8", "INT16", "FLOAT16")
    s.typed(source, "its input", *kinds, since="2.1.3", more=("UINT4",))
    if source.type == "INT16":
        s.symmetric(source)
    target.type = "FLOAT32"
    if source.tensor.constant:
        s.keep(target)
    s.like(source)


def _same_shapes(s: Step) -> None:
    """StableHLO arithmetic does not broadcast."""
    s.counts(2)
    s.same_type(s.input(0), s.input(1))
    s.require(s.input(0).shape == s.input(1).shape, "its operands have different shapes")
    s.like(s.input(0))


_ROUND = ("FLOAT32", "FLOAT16", "BFLOAT16")

PREPARERS: Mapping[str, Preparer] = {
    **dict.fromkeys(
        ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "LEAKY_RELU", "ELU", "HARD_SWISH", "GELU", "SIGN"), unary
    ),
    "TANH": tanh,
    "LOGISTIC": logistic,
    "SOFTMAX": softmax,
    "LOG_SOFTMAX": log_softmax,
    "PRELU": prelu,
    "ABS": partial(_typed_unary, ("FLOAT32", "INT8", "INT16", "INT32")),
    "SIN": partial(_typed_unary, ("FLOAT32",)),
    "COS": partial(_typed_unary, ("FLOAT32",)),
    "LOG": partial(_typed_unary, ("FLOAT32", "INT8", "INT16")),
    "SQRT": partial(_typed_unary, ("FLOAT32", "INT8", "INT16")),
    "RSQRT": partial(_typed_unary, ("FLOAT32", "INT8", "INT16")),
    "SQUARE": partial(_typed_unary, ("FLOAT32",)),
    "LOGICAL_NOT": partial(_typed_unary, ("BOOL",)),
    "FLOOR": partial(_float_unary, _ROUND),
    "ROUND": partial(_float_unary, _ROUND),
    "CEIL": partial(_float_unary, ("FLOAT32",)),
    "NEG": copy,
    "ZEROS_LIKE": copy,
    "EXP": exp,
    "CAST": cast,
    "ADD": add,
    "SUB": add,
    "MUL": mul,
    "DIV": _arithmetic,
    "SQUARED_DIFFERENCE": add,
    "MAXIMUM": _arithmetic,
    "MINIMUM": _arithmetic,
    "RIGHT_SHIFT": _arithmetic,
    "BITWISE_XOR": _arithmetic,
    "POW": partial(_typed_binary, ("INT32", "FLOAT32")),
    "FLOOR_DIV": partial(_typed_binary, ("FLOAT32", "INT32", "INT16", "INT8")),
    "FLOOR_MOD": partial(_typed_binary, ("INT8", "INT16", "INT32", "FLOAT32", "INT64")),
    "LOGICAL_AND": partial(_typed_binary, ("BOOL",)),
    "LOGICAL_OR": partial(_typed_binary, ("BOOL",)),
    **dict.fromkeys(("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"), compare),
    "ATAN2": atan2,
    "ADD_N": add_n,
    "BITCAST": bitcast,
    "QUANTIZE": quantize,
    "DEQUANTIZE": dequantize,
    **dict.fromkeys(
        ("STABLEHLO_ADD", "STABLEHLO_AND", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM", "STABLEHLO_MULTIPLY"),
        _same_shapes,
    ),
}
