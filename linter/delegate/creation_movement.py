"""Moving and reducing operators that are accepted and then cannot be built.

All measured; the releases are in the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..model import Model, Subgraph, Tensor
from ..options import GatherOptions
from ..targets import INDEX, VERSIONS, Era
from .building import BATCH_AXIS, Build, builds, per_channel
from .failure import Failure, Fault
from .layout import axis_letter
from .quantized import scheme


def failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Iterator[Failure]:
    for build in builds(model, graph, chosen, era, _RULES):
        yield from _RULES[build.op.name](build)


def _one_operand(build: Build) -> Iterator[Failure]:
    """Data that must come at run time. The check lets a constant through where it counts no inputs, or where a
    parameter that a CPU kernel computes is the one runtime input that it counts."""
    data = build.input(0)
    if data is not None and data.constant:
        yield build.constant_operand(data)


def _dynamic_update_slice(build: Build) -> Iterator[Failure]:
    for position in (0, 1):
        data = build.input(position)
        if data is not None and data.constant:
            yield build.constant_operand(data)
            return


def _joined(build: Build) -> Iterator[Failure]:
    """CONCATENATION and PACK take constants; PACK of one input is a RESHAPE, which does not."""
    if build.op.name == "PACK" and len(build.op.inputs) == 1:
        yield from _one_operand(build)
        return
    for position in range(len(build.op.inputs)):
        failure = next(_constant(build, build.input(position)), None)
        if failure is not None:
            yield failure
            return


def _constant(build: Build, tensor: Tensor | None) -> Iterator[Failure]:
    """A constant that becomes a tensor of the GPU (ObjectReader::AddConstInput, v2.2.0)."""
    if tensor is None or not tensor.constant or tensor.type in ("FLOAT32", "FLOAT16", "BOOL", "INT32"):
        return
    if tensor.type not in ("INT8", "UINT8", "INT4", "INT2"):
        message = "Check failed: tfl_tensor && (tfl_tensor->type == kTfLiteFloat32"
        outcome = f"the process dies at a constant of type {tensor.type}"
        yield build.fail(Fault.UNREADABLE_CONSTANT, message, outcome, tensor)
    elif scheme(tensor, build.era) != "affine":
        outcome = f"the process dies reading a constant of type {tensor.type} without scales"
        yield build.fail(Fault.UNREADABLE_CONSTANT, outcome, outcome, tensor)


def _strided_slice(build: Build) -> Iterator[Failure]:
    """The check looks at the scales of the output alone."""
    data = build.input(0)
    if data is not None and data.type in ("INT8", "UINT8") and per_channel(data):
        count = data.quantization.scale_count if data.quantization is not None else 0
        message = f"Check failed: params->scale->size == 1 ({count} vs. 1)"
        outcome = "the process ends at an operand with a scale a channel"
        yield build.fail(Fault.RUNTIME_SCALES, message, outcome, data)


def _transpose(build: Build) -> Iterator[Failure]:
    yield from _one_operand(build)
    permutation = build.input(1)
    axes = build.node.integers(permutation) if permutation is not None else None
    if permutation is None or axes is None or min(axes, default=0) >= 0:
        return
    if len(axes) == 4 and min(axes) == -4 and build.era.before("2.1.3"):
        return  # 2.1.2 reads what stands four places before its table, and lives on
    outcome = "the process dies of a negative axis in the permutation"
    yield build.fail(Fault.NEGATIVE_AXIS, outcome, outcome, permutation)


def _padv2(build: Build) -> Iterator[Failure]:
    yield from _one_operand(build)
    yield from build.read_as_float(build.input(2))


def _gather(build: Build) -> Iterator[Failure]:
    """Several indices lie along the batch, which the kernel cannot read there. Since 2.1.3 runtime indices are turned
    first, and since 2.3.0 constant ones."""
    data, indices = build.input(0), build.input(1)
    if data is None or indices is None:
        return
    options = build.options(GatherOptions)
    along_channels = axis_letter(data.rank, options.axis if options else 0) == "c"
    arguments = f"0, 0, {'S' if along_channels else 'slice_coord_TMP'}"
    message = f"INVALID_ARGUMENT: {BATCH_AXIS}. Layout is bhwc, args are {arguments}."
    if build.op.inputs[0] == build.op.inputs[1] and not data.constant and build.era.before("2.1.3"):
        yield build.same_tensor(data)
    elif data.constant:
        yield from _constant(build, data)
    elif indices.constant and not indices.elements:
        outcome = "the process dies of constant indices that are none"
        yield build.fail(Fault.EMPTY_TENSOR, outcome, outcome, indices)
    elif indices.constant and indices.elements > 1 and build.era.before("2.3.0"):
        outcome = "no kernel for several constant indices"
        yield build.fail(Fault.GATHER_CONSTANT_INDICES, message, outcome, indices, releases=VERSIONS[: INDEX["2.3.0"]])
    elif not indices.constant and indices.elements != 1 and build.era.before("2.1.3"):
        outcome = "no kernel for several indices"
        yield build.fail(Fault.GATHER_RUNTIME_INDICES, message, outcome, indices, releases=VERSIONS[:1])


def _top_k(build: Build) -> Iterator[Failure]:
    """The kernel works on whole groups of four channels, and makes a texture for as many."""
    data, count = build.input(0), build.input(1)
    if data is None or count is None:
        return
    if count.type == "INT16":
        message = "Check failed: src.bytes % sizeof(T) == 0"
        yield build.fail(Fault.KERNEL_CREATION, message, "the process ends at an INT16 k", count)
    elif data.rank and 0 < data.shape[-1] < 4:
        outcome = f"the process is killed by SIGFPE over {data.shape[-1]} channels"
        yield build.fail(Fault.TOPK_CHANNELS, outcome, outcome, data)


def _cumsum(build: Build) -> Iterator[Failure]:
    """The axis is looked up from the end of four places, as if it were not negative. 2.1.2 reads on beyond them."""
    data, axis = build.input(0), build.input(1)
    if data is None or axis is None:
        return
    if data.constant:
        yield build.constant_operand(data)
        return
    chosen = build.node.integers(axis)
    if chosen and not 0 <= chosen[0] + 4 - data.rank < 4 and build.era.since("2.1.3"):
        outcome = f"the process is killed by SIGILL at axis {chosen[0]} of rank {data.rank}"
        yield build.fail(Fault.NEGATIVE_AXIS, outcome, outcome, axis, releases=VERSIONS[1:])


def _one_hot(build: Build) -> Iterator[Failure]:
    """Since 2.2.0 the check does not ask whether on and off values are constant."""
    yield from _one_operand(build)
    for position in (2, 3):
        value = build.input(position)
        if value is not None and not value.constant:
            outcome = "the process dies reading an on or off value that comes at run time"
            yield build.fail(Fault.RUNTIME_PARAMETER, outcome, outcome, value, releases=VERSIONS[INDEX["2.2.0"] :])
            return


_RULES: Mapping[str, Callable[[Build], Iterator[Failure]]] = {
    "ARG_MAX": _one_operand,
    "CONCATENATION": _joined,
    "CUMSUM": _cumsum,
    "DYNAMIC_UPDATE_SLICE": _dynamic_update_slice,
    "GATHER": _gather,
    "MIRROR_PAD": _one_operand,
    "ONE_HOT": _one_hot,
    "PACK": _joined,
    "PAD": _one_operand,
    "PADV2": _padv2,
    "RESHAPE": _one_operand,
    "STRIDED_SLICE": _strided_slice,
    "TILE": _one_operand,
    "TOPK_V2": _top_k,
    "TRANSPOSE": _transpose,
    "UNPACK": _one_operand,
}
