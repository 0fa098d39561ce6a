"""Matrix products, table lookups and dequantized constants that are accepted and then cannot be built.

All measured; the releases are in the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..model import Model, Subgraph, Tensor
from ..options import BatchMatMulOptions, FullyConnectedOptions
from ..targets import VERSIONS, Era
from .building import BATCH_AXIS, Build, builds, per_channel
from .failure import Failure, Fault
from .layout import layout
from .quantized import scheme

FEW_ROWS = 8
"""Rows up to which a quantized FULLY_CONNECTED has a kernel of its own (measured: 8 have, 9 have not)."""


def failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    for build in builds(model, graph, chosen, era, _RULES):
        yield from _RULES[build.op.name](build)


def _fully_connected(build: Build) -> Iterator[Failure]:
    data, weights, bias = build.input(0), build.input(1), build.input(2)
    if data is None or weights is None:
        return
    kind = scheme(weights, build.era)
    if data.index == weights.index:
        yield build.same_tensor(weights)
    elif not weights.constant:
        if weights.type == "INT8" and kind == "affine" and per_channel(weights):
            yield build.many_scales(weights)
        elif weights.type in ("INT4", "INT2"):
            message = "INVALID_ARGUMENT: model input type is not supported."
            yield build.fail(Fault.PACKED_WEIGHTS, message, "runtime weights of 4 or 2 bits", weights)
    elif bias is not None and not bias.constant:
        yield build.runtime_bias(bias, weights)
    elif kind == "blockwise":
        yield from _blockwise(build, data, weights)
    elif kind == "affine":
        yield from build.read_as_float(bias)
        yield from _quantized_rows(build, data, weights)
    else:
        yield from build.read_as_float(weights)
        yield from build.read_as_float(bias)


def _quantized_rows(build: Build, data: Tensor, weights: Tensor) -> Iterator[Failure]:
    """The result has its rows along batch and the data has them along height or width, which no kernel can do."""
    options = build.options(FullyConnectedOptions)
    extents = layout(data.shape)
    if extents is None or (options is not None and options.keep_num_dims):
        return
    positions = extents.height * extents.width
    rows = data.elements // max(weights.shape[-1], 1)
    if extents.batch != 1 or rows == 1 or positions <= FEW_ROWS:
        return
    yield build.fail(
        Fault.MATRIX_ROWS,
        f"INVALID_ARGUMENT: {BATCH_AXIS}. Layout is bhwc, args are res, DST_X + 0, DST_Y + 0, DST_S + 0.",
        f"quantized weights, and {positions} rows that are not along the first axis",
        weights,
        data,
    )


def _blockwise(build: Build, data: Tensor, weights: Tensor) -> Iterator[Failure]:
    """INT4 alone is known, and not well: three releases write beyond their memory, which few sizes survive."""
    quantization = weights.quantization
    if weights.type != "INT4" or quantization is None:
        message = "UNIMPLEMENTED: FULLY_CONNECTED with blockwise quantization."
        yield build.fail(Fault.BLOCKWISE_WEIGHTS, message, "blockwise weights that are not INT4", weights)
        return
    era = build.era
    extents = layout(data.shape)
    few = extents is None or extents.batch * extents.height * extents.width <= FEW_ROWS
    one_block = quantization.block_size >= weights.shape[-1]
    missing = "NOT_FOUND: No GPU object with name - weights_"
    if era.since("2.2.0") or (era.since("2.1.5") and era.before("2.1.6")):
        if era.since("2.3.0") and quantization.zero_points_tensor >= 0:
            return
        outcome = "memory is overwritten while the weights are converted; most sizes kill the process"
        releases = ("2.1.5", "2.2.0", "2.3.0")
        yield build.fail(Fault.BLOCKWISE_WEIGHTS, "free(): invalid next size", outcome, weights, releases=releases)
    elif era.since("2.1.3"):
        if one_block:
            message = f"{missing}zero_point" if few else ""
            releases = ("2.1.3", "2.1.4", "2.1.6")
            yield build.fail(Fault.BLOCKWISE_WEIGHTS, message, "one block a row", weights, releases=releases)
    elif few != one_block:
        message, outcome = (f"{missing}scale", "several blocks a row") if few else ("", "one block a row")
        yield build.fail(Fault.BLOCKWISE_WEIGHTS, message, outcome, weights, releases=("2.1.2",))


def _batch_matmul(build: Build) -> Iterator[Failure]:
    left, right = build.input(0), build.input(1)
    if left is None or right is None:
        return
    # Above a batch of 1 each operand is given a RESHAPE of its own first.
    if left.index == right.index and left.shape[:1] == (1,):
        yield build.same_tensor(right)
        return
    yield from build.read_as_float(right)
    if not right.constant and right.type == "INT8" and scheme(right, build.era) is None and build.era.before("2.3.0"):
        yield build.fail(
            Fault.KERNEL_CREATION,
            "NOT_FOUND: No GPU object with name - weights_scale",
            "a runtime INT8 operand without scales",
            right,
            releases=VERSIONS[:-1],
        )
    options = build.options(BatchMatMulOptions)
    as_weights = right.constant and right.rank == 2  # then it is transposed while it is read, whatever the flags
    if options is None or not options.adj_y or as_weights or right.rank < 2 or build.era.since("2.1.5"):
        return
    columns, depth = right.shape[-2:]
    if columns % 4 or depth % 4:
        yield build.fail(
            Fault.BATCH_MATMUL_COLUMNS,
            "INVALID_ARGUMENT: Unsupported weights shape.",
            f"adj_y with {columns} columns over a depth of {depth}",
            right,
            releases=("2.1.2", "2.1.3", "2.1.4"),
        )


def _embedding_lookup(build: Build) -> Iterator[Failure]:
    ids, table = build.input(0), build.input(1)
    if ids is None or table is None:
        return
    if ids.constant:
        yield build.constant_operand(ids)
    elif not table.constant:
        yield build.fail(Fault.RUNTIME_PARAMETER, "", "the process dies when the table is not constant", table)
    elif scheme(table, build.era) == "blockwise":
        message = "EMBEDDING_LOOKUP: Use external weights for blockwise quantization."
        yield build.fail(Fault.BLOCKWISE_WEIGHTS, message, "a table with blockwise scales", table)
    elif table.rank != 2:
        message = f"Check failed: dims->size == 2 ({table.rank} vs. 2)"
        yield build.fail(Fault.KERNEL_CREATION, message, "the process ends at a table that is no matrix", table)


def _dequantize(build: Build) -> Iterator[Failure]:
    data = build.input(0)
    if data is None:
        return
    kind = scheme(data, build.era)
    if not data.constant:
        if kind is None:  # refused from 2.1.6 on
            outcome = "the process dies at a runtime tensor without scales"
            message = "the process dies while a DEQUANTIZE of a runtime tensor without scales is built"
            yield build.fail(Fault.HALF_DEQUANTIZE, message, outcome, data, releases=VERSIONS[:4])
        elif kind != "affine" or data.type not in ("INT8", "UINT8"):
            outcome = "the process dies at a runtime tensor that is not INT8 or UINT8 with one scale"
            yield build.fail(Fault.HALF_DEQUANTIZE, "Encountered Dequantize input with no quant params", outcome, data)
        return
    yield from build.read_as_float(data)
    if data.type == "FLOAT16" or data.rank not in (2, 3) or data.shape[0] == 1:
        return
    made = layout(data.shape) or ()
    read = (1, 1, *data.shape) if data.rank == 2 else (1, *data.shape)
    yield build.fail(
        Fault.DEQUANTIZED_MATRIX,
        f"INVALID_ARGUMENT: Shape mismatch: {_bhwc(made)} vs {_bhwc(read)}",
        "a dequantized constant of rank 2 or 3 whose first extent is not 1",
        data,
    )


def _bhwc(extents: tuple[int, ...]) -> str:
    return "{bhwc, {" + ", ".join(map(str, extents)) + "}}"


_RULES: Mapping[str, Callable[[Build], Iterator[Failure]]] = {
    "FULLY_CONNECTED": _fully_connected,
    "BATCH_MATMUL": _batch_matmul,
    "EMBEDDING_LOOKUP": _embedding_lookup,
    "DEQUANTIZE": _dequantize,
}
