"""Accepted is not created: what still fails, or kills the process, while kernels are build.

All of it was measured, on the releases that each evidence names; where a release mended it, the test says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from ..model import Model, Subgraph
from ..options import PackOptions, StableHLOCompositeOptions
from ..targets import VERSIONS, Era
from . import creation_convolution, creation_fusion, creation_matmul, creation_movement
from .building import BATCH_AXIS, CANNOT_READ, Build, builds, per_channel
from .failure import Failure, Fault, Stage, measured
from .in_place import own_inputs
from .layout import layout

Failures = Iterator[Failure]


def creation_failures(model: Model, graph: Subgraph, chosen: frozenset[int], era: Era) -> Failures:
    """Failures that the operators on the GPU (`chosen`, by index) cause, and operators that write what they read."""
    for op in graph.operators:
        yield from own_inputs(graph, op, on_gpu=op.index in chosen)
    for build in builds(model, graph, chosen, era, _RULES):
        yield from _RULES[build.op.name](build)
    for module in (creation_convolution, creation_fusion, creation_matmul, creation_movement):
        yield from module.failures(model, graph, chosen, era)
    yield from _written_twice(graph, chosen)
    yield from _empty(graph, chosen)
    yield from _too_large(graph, chosen)
    yield from _body_inputs(graph, chosen)


def _batch_axis(arguments: str) -> str:
    return f"INVALID_ARGUMENT: {BATCH_AXIS}. Layout is bhwc, args are {arguments}."


def _composite(build: Build) -> Failures:
    """Whatever its name, attributes and inputs."""
    options = build.options(StableHLOCompositeOptions)
    name = options.name if options is not None else ""
    message = f"the process dies while the composite {name} is built"
    yield build.fail(Fault.COMPOSITE, message, "SIGSEGV when any accepted composite is built")


def _custom(build: Build) -> Failures:
    """Norms and pixel shuffles that the delegate reads as their composites, without looking whether attributes are
    there. No release before 2.1.3 knows them."""
    code, unset = build.op.custom_code, build.op.custom_options_size == 0
    bare = build.input(1) is None
    old, message = build.era.before("2.3.0"), f"the process dies while {code} is built"
    if code == "custom_call.GroupNorm" and ((unset and old) or (bare and not unset)):
        # Without attributes, 2.3.0 takes one group. With attributes that give no number of groups, it divides by 0.
        outcome = "SIGILL without attributes, or without scale and bias" if old else "SIGFPE without scale and bias"
        yield build.fail(Fault.KERNEL_CREATION, message, outcome, releases=_OLD_STUBS if old else VERSIONS[-1:])
    elif code in ("custom_call.LayerNorm", "custom_call.RmsNorm", "custom_call.PixelShuffle") and unset:
        yield build.fail(Fault.KERNEL_CREATION, message, "SIGSEGV without attributes", releases=VERSIONS[1:])
    elif code == "custom_call.LayerNorm" and bare and old:
        yield build.fail(Fault.KERNEL_CREATION, message, "SIGILL without scale and bias", releases=_OLD_STUBS)


_OLD_STUBS = VERSIONS[1:-1]


def _split(build: Build) -> Failures:
    data = build.input(1)
    if data is not None and data.constant:
        yield build.constant_operand(data)
    elif len(build.op.outputs) == 1 and data is not None:
        yield build.fail(Fault.SPLIT_ONE_OUTPUT, CANNOT_READ, "the process dies of a split into one part", data)


def _two_operands(build: Build) -> Failures:
    """A constant of several elements is read as floats unless it is INT32 or BOOL; one element is read as it is."""
    first, second = build.input(0), build.input(1)
    for tensor, beside in ((first, second), (second, first)):
        if tensor is None or beside is None or not tensor.constant:
            continue
        if tensor.elements > 1 and tensor.type not in ("INT32", "BOOL"):
            yield from build.read_as_float(tensor)
        if per_channel(beside) and not beside.constant:
            yield build.many_scales(beside)
    yield from _packed(build)


_BINARY = (
    *("ADD", "SUB", "MUL", "DIV", "POW", "FLOOR_DIV", "FLOOR_MOD", "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM", "ATAN2"),
    *("RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"),
    *("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"),
)


def _packed(build: Build) -> Failures:
    """No shader is made for data of less than a byte."""
    for position in range(len(build.op.inputs)):
        data = build.input(position)
        if data is not None and data.type in ("INT4", "INT2") and not data.constant:
            message = "BindGroupLayoutEntry had none of buffer, sampler, texture"
            outcome = "the process dies of data of less than a byte"
            yield build.fail(Fault.KERNEL_CREATION, message, outcome, data, releases=("2.2.0",))
            return


def _bitcast(build: Build) -> Failures:
    data, result = build.input(0), build.node.output(0)
    if data is not None and result is not None and {data.type, result.type} <= {"INT8", "UINT8"}:
        message = "INVALID_ARGUMENT: Unsupported ucl::Reinterpret case in WebGPU."
        yield build.fail(Fault.KERNEL_CREATION, message, "no kernel for 8 bits", data, releases=("2.2.0",))
    yield from _packed(build)


def _cast(build: Build) -> Failures:
    """Only 2.1.5 accepts the CAST of a constant."""
    yield from _packed(build)
    data = build.input(0)
    if data is not None and data.constant:
        yield build.fail(
            Fault.CONSTANT_CAST, CANNOT_READ, "the process dies of a constant input", data, releases=("2.1.5",)
        )


def _rectifier(build: Build) -> Failures:
    """Only 2.1.5 accepts a constant."""
    data = build.input(0)
    if data is not None and data.constant:
        outcome = "the process dies of a constant input"
        yield build.fail(Fault.CONSTANT_OPERAND, CANNOT_READ, outcome, data, releases=("2.1.5",))


def _prelu(build: Build) -> Failures:
    """An alpha for each position is read at the batch of the data, and has none."""
    data, alpha = build.input(0), build.input(1)
    if data is None or alpha is None:
        return
    if data.constant:
        yield build.constant_operand(data)
        return
    yield from build.read_as_float(alpha)
    if alpha.rank < 3:
        return
    extents = layout(data.shape)
    positions = alpha.elements // max(1, alpha.shape[-1])
    if extents is not None and extents.batch > 1 and positions > 1:
        outcome = "no kernel for an alpha of several positions and a batch above 1"
        yield build.fail(Fault.PRELU_BATCH, _batch_axis("(X), (Y), (S)"), outcome, alpha, data)


def _select(build: Build) -> Failures:
    condition, result = build.input(0), build.node.output(0)
    if condition is not None and result is not None:
        asked, given = layout(condition.shape), layout(result.shape)
        if asked is not None and given is not None and asked.batch != 1 and given.batch == 1:
            outcome = "no kernel for a condition whose first axis lands on the batch of a result that has none"
            message = _batch_axis("cond_x, cond_y, cond_z")
            yield build.fail(Fault.SELECT_CONDITION_RANK, message, outcome, condition, result)
    for position in (1, 2):
        branch = build.input(position)
        if branch is not None and branch.type not in ("INT32", "BOOL"):
            yield from build.read_as_float(branch)
    yield from _same_tensor(build)


def _same_tensor(build: Build) -> Failures:
    """Runtime operands only: a constant is read anew for each operand."""
    for first, second in combinations(build.op.inputs[:3], 2):
        if first == second >= 0 and not build.graph.tensors[first].constant:
            yield build.same_tensor(build.graph.tensors[first])
            return


def _pack(build: Build) -> Failures:
    """Inputs that are reshaped first are distinct by then; those that the layout leaves alone are not."""
    options = build.options(PackOptions)
    axis = options.axis if options is not None else 0
    seen: set[int] = set()
    for index in build.op.inputs:
        tensor = build.graph.tensors[index]
        if index in seen and not tensor.constant:
            position = axis + tensor.rank + 1 if axis < 0 else axis
            if layout(tensor.shape) == layout((*tensor.shape[:position], 1, *tensor.shape[position:])):
                yield build.same_tensor(tensor)
                return
        seen.add(index)


def _written_twice(graph: Subgraph, chosen: frozenset[int]) -> Failures:
    writers: dict[int, int] = {}
    for index in sorted(chosen):
        for tensor in graph.operators[index].outputs:
            if tensor >= 0 and writers.setdefault(tensor, index) != index:
                message = "the process dies when two operators on the GPU write one tensor"
                evidence = measured("SIGILL; fine when one of them is on the CPU")
                yield Failure(Fault.WRITTEN_TWICE, Stage.AFTER_CHECK, message, graph.index, index, (tensor,), evidence)
                return


def _empty(graph: Subgraph, chosen: frozenset[int]) -> Failures:
    """A result's texture has no width or height when batch, height or width is 0; channels may be. Empty operands do
    no harm, and the results of SOFTMAX are no textures (measured)."""
    empty = {tensor.index for tensor in graph.tensors if 0 in tensor.shape and 0 in (layout(tensor.shape) or ())[:3]}
    for index in sorted(chosen) if empty else ():
        op = graph.operators[index]
        reads = op.name in ("ARG_MAX", "ARG_MIN")
        joins = op.name == "CONCATENATION"
        tensors = [t for t in op.inputs if t >= 0 and (reads or (joins and graph.tensors[t].constant))]
        for tensor in (*op.outputs, *tensors) if op.name != "SOFTMAX" else ():
            if tensor in empty:
                message = "the process dies of a tensor without elements: its texture is empty"
                evidence = measured("SIGFPE or SIGILL")
                yield Failure(Fault.EMPTY_TENSOR, Stage.AFTER_CHECK, message, graph.index, index, (tensor,), evidence)
                return


LARGEST = 1 << 30
"""Bytes of one buffer on the device that everything was measured on. Devices differ; few allow more."""


def _too_large(graph: Subgraph, chosen: frozenset[int]) -> Failures:
    """Four bytes an element in fp32, half as much in fp16, with the channels filled up to a multiple of 4."""
    for tensor in graph.tensors:
        if tensor.constant or tensor.elements <= LARGEST >> 4:
            continue
        extents = layout(tensor.shape)
        if extents is None:
            continue
        size = 4 * extents.batch * extents.height * extents.width * -(-extents.channels // 4) * 4
        users = {*graph.consumers.get(tensor.index, ()), graph.producers.get(tensor.index, -1)}
        if size > LARGEST and (at := min(users & chosen, default=None)) is not None:
            message = f"Requested allocation size - {size} bytes. Max allocation size for this GPU - {LARGEST} bytes."
            evidence = measured("RESOURCE_EXHAUSTED on a device that allows 1 GiB a buffer", precision="fp32")
            yield Failure(Fault.ALLOCATION, Stage.AFTER_CHECK, message, graph.index, at, (tensor.index,), evidence)
            return  # the runtime stops at the first


def _body_inputs(graph: Subgraph, chosen: frozenset[int]) -> Failures:
    """The check does not ask for the types of what a body, branch or decomposition is given."""
    given = [tensor for tensor in graph.inputs if tensor >= 0 and graph.tensors[tensor].type in _NEVER_ON_GPU]
    for tensor in given if graph.index else ():
        for index in graph.consumers.get(tensor, ()):
            if index in chosen:
                wide = graph.tensors[tensor].type == "INT64"
                text = "Unsupported data type - long" if wide else "model input type is not supported."
                evidence = measured("no kernel can be given an input of this type")
                yield Failure(
                    Fault.KERNEL_CREATION,
                    Stage.AFTER_CHECK,
                    f"INVALID_ARGUMENT: {text}",
                    graph.index,
                    index,
                    (tensor,),
                    evidence,
                )
                return


_NEVER_ON_GPU = frozenset({"INT64", "UINT64", "FLOAT64", "COMPLEX64", "STRING"})

_RULES: Mapping[str, Callable[[Build], Failures]] = {
    "STABLEHLO_COMPOSITE": _composite,
    "CUSTOM": _custom,
    "SPLIT": _split,
    "CAST": _cast,
    **dict.fromkeys(("RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU"), _rectifier),
    "BITCAST": _bitcast,
    **dict.fromkeys(_BINARY, _two_operands),
    "PRELU": _prelu,
    "SELECT": _select,
    "SELECT_V2": _select,
    "CONV_2D": _same_tensor,
    "DEPTHWISE_CONV_2D": _same_tensor,
    "TRANSPOSE_CONV": _same_tensor,
    "DYNAMIC_UPDATE_SLICE": _same_tensor,
    "PACK": _pack,
}
