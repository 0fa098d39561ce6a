"""CPU Prepare of operators that move data: shapes, slices, joins, paddings.

Source: tflite/kernels/{reshape,squeeze,expand_dims,shape,slice,strided_slice,concatenation,…}.cc, v2.1.2 to v2.2.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod

from ...options import (
    ConcatenationOptions,
    DepthToSpaceOptions,
    GatherOptions,
    MirrorPadOptions,
    PackOptions,
    ReshapeOptions,
    ResizeBilinearOptions,
    ShapeOptions,
    SpaceToDepthOptions,
    SplitOptions,
    SplitVOptions,
    SqueezeOptions,
    StridedSliceOptions,
    UnpackOptions,
)
from .state import PrepareError, Preparer, Shape, Slot, Step, shape_text

_WORDS = ("FLOAT32", "UINT8", "INT8", "INT16", "INT32", "INT64")
_HALF = ("FLOAT16", "BFLOAT16")


def reshape(s: Step) -> None:
    s.counts(1, 2)
    target = s.output()
    if target.type == "STRING":
        return
    source, shape = s.input(0), s.optional(1)
    if len(s.op.inputs) == 2 and (shape is None or not shape.known):
        s.dynamic()
        return
    wanted = _wanted_shape(s, shape)
    if wanted is not None:
        s.resize(target, _stretched(source.shape, wanted))
    if source.known:
        target.compute(source.values())


def _wanted_shape(s: Step, shape: Slot | None) -> Shape | None:
    """The shape asked for: operand 1 when it is a vector of INT32, else the options. A lone 0 stands for a scalar."""
    if shape is not None and shape.rank == 1 and shape.type == "INT32":
        return shape.integers()
    options = s.options(ReshapeOptions)
    wanted = options.new_shape if options is not None else ()
    return () if wanted == (0,) else wanted


def _stretched(source: Shape, wanted: Shape) -> Shape:
    """The shape with its one -1 filled in."""
    if wanted.count(-1) > 1:
        raise PrepareError("its new shape has more than one -1")
    total = prod(source)
    if -1 in wanted:
        rest = prod(extent for extent in wanted if extent != -1)
        if total == 0 and rest != 0:
            filled = 0
        else:
            nonzero = prod(extent for extent in wanted if extent not in (0, -1))
            filled = prod(extent for extent in source if extent) // nonzero if nonzero else 0
        wanted = tuple(filled if extent == -1 else extent for extent in wanted)
    if prod(wanted) != total:
        raise PrepareError(f"{total} elements of shape {shape_text(source)} do not fit shape {shape_text(wanted)}")
    return wanted


def squeeze(s: Step) -> None:
    s.counts(1)
    source = s.input(0)
    options = s.options(SqueezeOptions)
    given = options.squeeze_dims if options is not None else ()
    s.require(source.rank <= 8, f"its input has rank {source.rank}; the kernel takes at most 8")
    dropped = {axis for axis, extent in enumerate(source.shape) if extent == 1 and not given}
    for axis in given:
        position = axis + source.rank if axis < 0 else axis
        fits = 0 <= position < source.rank and source.shape[position] == 1
        s.require(fits, f"axis {axis} of shape {shape_text(source.shape)} is not 1")
        dropped.add(position)
    s.resize(s.output(), [extent for axis, extent in enumerate(source.shape) if axis not in dropped])


def expand_dims(s: Step) -> None:
    s.counts(2)
    source, axis, target = s.input(0), s.input(1), s.output()
    target.type = source.type
    s.same_scale(source, target)
    if source.type == "INT16":
        s.symmetric(source)
    if not axis.known:
        s.dynamic()
        return
    s.scalar(axis, "the axis")
    s.typed(axis, "the axis", "INT32", "INT64")
    values = axis.integers()
    if values:
        position = s.axis(values[0], source.rank + 1)
        s.resize(target, (*source.shape[:position], 1, *source.shape[position:]))


def shape(s: Step) -> None:
    s.counts(1)
    source, target = s.input(0), s.output()
    options = s.options(ShapeOptions)
    kind = str(options.out_type) if options is not None else "FLOAT32"
    s.require(kind in ("INT32", "INT64"), f"its result is {kind}; the kernel gives INT32 or INT64")
    target.type = kind
    s.resize(target, (source.rank,))
    target.compute(source.shape)


def rank(s: Step) -> None:
    s.counts(1)
    target = s.output()
    target.type = "INT32"
    s.resize(target, ())
    target.compute((s.input(0).rank,))


def slice_(s: Step) -> None:
    s.counts(3)
    source, begin, size, target = s.input(0), s.input(1), s.input(2), s.output()
    s.same_type(source, target)
    for what, slot in (("begin", begin), ("size", size)):
        s.typed(slot, what, "INT32", "INT64")
        s.ranked(slot, what, 1)
    s.require(begin.elements == size.elements, "begin and size have different lengths")
    if source.rank > 5 and not s.since("2.2.0"):
        s.with_gpu(False, f"its input has rank {source.rank}; the kernel takes at most 5")
    s.require(source.rank > 0, "its input is a scalar: the process dies")
    s.require_since("2.3.0", begin.elements == source.rank, f"{begin.elements} begins for rank {source.rank}")
    taken = not target.open and target.rank > 0
    if taken and not (begin.known and size.known):
        return  # The file's own shape is taken as it is.
    if not (begin.known and size.known) or source.open:
        s.dynamic()
        return
    starts, counts = begin.integers(), size.integers()
    if starts is None or counts is None:
        return
    told: Callable[[bool, str], None] = partial(s.require_since, "2.3.0") if taken else s.require
    told(begin.type == size.type or not taken, "begin and size are of different types")
    found = []
    for extent, start, count in zip(source.shape, starts, counts, strict=False):
        told(count >= -1, "size has a value below -1")
        told(not taken or 0 <= start <= extent, "begin is out of range")
        told(count < 0 or start + count <= extent, "begin and size reach past the end")
        found.append(extent - start if count == -1 else count)
    if taken:
        fits = tuple(found) == target.shape
        told(fits, f"its result has shape {shape_text(found)}, and its output {shape_text(target.shape)}")
    else:
        s.resize(target, found)


def strided_slice(s: Step) -> None:
    s.counts(4)
    source, begin, end, strides, target = s.input(0), s.input(1), s.input(2), s.input(3), s.output()
    for what, slot in (("begin", begin), ("end", end), ("strides", strides)):
        s.ranked(slot, what, 1)
    s.require(begin.elements == end.elements, "begin and end have different lengths")
    s.same_type(source, target)
    for what, slot in (("begin", begin), ("end", end), ("strides", strides)):
        s.typed(slot, what, "INT32")
    s.require(source.rank > 0, "its input is a scalar: the process dies")
    if source.rank > 5 and not s.since("2.2.0"):
        s.with_gpu(False, f"its input has rank {source.rank}; the kernel takes at most 5")
    options = s.options(StridedSliceOptions)
    offset = options is not None and options.offset
    if not strides.known or not (offset or (begin.known and end.known)):
        s.dynamic()
        return
    given = (begin.integers(), end.integers(), strides.integers())
    axes = None if options is None or offset or None in given else _sliced(s, options, source.shape, given)
    if axes is not None:
        s.resize(target, [len(axis) for axis, dropped in axes if not dropped])
    if source.known and begin.known and end.known:
        values = source.values()
        one = axes is not None and source.rank == 1 and len(axes) == 1 and values is not None
        target.compute([values[i] for i in axes[0][0]] if one and axes and values else None)


def _sliced(
    s: Step, options: StridedSliceOptions, shape: Shape, given: Sequence[tuple[int, ...] | None]
) -> list[tuple[range, bool]] | None:
    """For each axis of the input, added ones included, the positions taken and whether the axis is dropped."""
    begin, end, strides = (values or () for values in given)
    count = min(len(begin), len(end), len(strides))
    added = sum([options.new_axis_mask >> i & 1 and not options.ellipsis_mask >> i & 1 for i in range(count)])
    widest = len(shape) + added
    s.require_before(
        "2.2.0", widest <= 5, f"its input has rank {widest} with the added axes; the kernel takes at most 5"
    )
    rest = list(shape)
    axes: list[tuple[range, bool]] = []
    for i in range(count):
        if options.ellipsis_mask >> i & 1:
            covered = max(1, 1 + added + len(shape) - count)
            axes += [(range(extent), False) for extent in rest[:covered]]
            rest = rest[covered:]
            continue
        if options.new_axis_mask >> i & 1:
            axes.append((range(1), False))
            continue
        if not rest:
            return None
        extent = rest.pop(0)
        s.require(strides[i] != 0, "a stride is 0")
        if options.shrink_axis_mask >> i & 1:
            start = begin[i] + extent if begin[i] < 0 else begin[i]
            axes.append((range(start, start + 1) if 0 <= start < extent else range(0), True))
            continue
        first = None if options.begin_mask >> i & 1 else begin[i]
        last = None if options.end_mask >> i & 1 else end[i]
        axes.append((range(extent)[first : last : strides[i]], False))
    return axes + [(range(extent), False) for extent in rest]


def concatenation(s: Step) -> None:
    options = s.options(ConcatenationOptions)
    s.require(bool(s.op.inputs), "it has no input")
    first, target = s.input(0), s.output()
    axis = options.axis if options is not None else 0
    if axis < 0:
        axis += first.rank
    s.require(axis >= 0 and (axis < first.rank or first.rank == axis == 0), f"axis {axis} is out of range")
    s.with_gpu(options is None or options.fused_activation_function == "NONE", "it has a fused activation")
    kinds = ("FLOAT32", "FLOAT16", "BFLOAT16", "UINT8", "INT8", "INT16", "INT32", "INT64", "BOOL", "UINT32", "INT4")
    s.typed(first, "its first input", *kinds)
    parts = s.inputs()
    all_known = all(part.known for part in parts)
    if all_known and first.rank == 0 and axis == 0 and first.type != "INT4":
        for part in parts:
            s.require(part.rank == 0, "its inputs have different ranks")
        s.resize(target, (len(parts),))
        target.compute(_joined(parts))
        return
    s.require_since("2.1.6", first.rank > 0, "its first input is a scalar")
    if first.rank == 0:
        return
    for part in parts[1:]:
        s.require(part.rank == first.rank, f"its inputs have ranks {first.rank} and {part.rank}")
        s.same_type(part, first)
        for at, (mine, extent) in enumerate(zip(part.shape, first.shape, strict=True)):
            s.require(at == axis or mine == extent, f"its inputs differ on axis {at}, which is not the one joined")
    joined = sum(part.shape[axis] for part in parts)
    s.same_type(target, first)
    if first.type == "INT8":
        for part in parts:
            s.same_scale(part, target)
    if first.type == "INT16":
        s.symmetric(*parts, target)
    s.resize(target, (*first.shape[:axis], joined, *first.shape[axis + 1 :]))
    if all_known:
        target.compute(_joined(parts) if first.rank == 1 else None)


def _joined(parts: Sequence[Slot]) -> list[float | int] | None:
    values: list[float | int] = []
    for part in parts:
        found = part.values()
        if found is None:
            return None
        values += found
    return values


def pack(s: Step) -> None:
    options = s.options(PackOptions)
    count, axis = (options.values_count, options.axis) if options is not None else (0, 0)
    s.counts(count)
    first, target = s.input(0), s.output()
    axis = s.axis(axis, first.rank + 1)
    s.typed(first, "its input", "INT32", "FLOAT32", "UINT8", "UINT32", "INT8", "INT16", "INT64")
    for part in s.inputs():
        s.require(part.shape == first.shape, "its inputs have different shapes")
        s.same_type(part, first)
    s.same_type(target, first)
    for part in s.inputs():
        s.same_scale(part, target)
    s.resize(target, (*first.shape[:axis], count, *first.shape[axis:]))


def unpack(s: Step) -> None:
    options = s.options(UnpackOptions)
    count, axis = (options.num, options.axis) if options is not None else (0, 0)
    s.counts(1, outputs=count)
    source = s.input(0)
    s.require(source.elements > 0, "its input is empty")
    axis = s.axis(axis, source.rank)
    kinds = ("INT32", "FLOAT32", "UINT8", "INT8", "INT16", "BOOL")
    s.typed(source, "its input", *kinds, since="2.1.3", more=_HALF)
    s.require(source.shape[axis] == count, f"axis {axis} has {source.shape[axis]} parts, not {count}")
    for target in s.outputs():
        s.same_type(target, source)
        s.same_scale(source, target)
        s.resize(target, source.shape[:axis] + source.shape[axis + 1 :])


def split(s: Step) -> None:
    options = s.options(SplitOptions)
    count = options.num_splits if options is not None else 0
    s.counts(2, outputs=count)
    axis, source = s.input(0), s.input(1)
    s.typed(source, "its input", *_WORDS)
    for target in s.outputs():
        target.type = source.type
    if not axis.known:
        s.dynamic()
        return
    values = axis.integers()
    if not values:
        return
    at = s.axis(values[0], source.rank)
    s.require(
        count != 0 and source.shape[at] % count == 0, f"{source.shape[at]} does not split into {count} equal parts"
    )
    for target in s.outputs():
        s.resize(target, (*source.shape[:at], source.shape[at] // count, *source.shape[at + 1 :]))


def split_v(s: Step) -> None:
    options = s.options(SplitVOptions)
    count = options.num_splits if options is not None else 0
    s.counts(3, outputs=count)
    source, sizes, axis = s.input(0), s.input(1), s.input(2)
    s.typed(source, "its input", *_WORDS)
    for target in s.outputs():
        target.type = source.type
    s.ranked(sizes, "the sizes", 1)
    s.require(sizes.elements == count, f"it has {count} outputs and {sizes.elements} sizes")
    if not (sizes.known and axis.known):
        s.dynamic()
        return
    s.typed(sizes, "the sizes", "INT32", "INT64")
    values, axes = sizes.integers(), axis.integers()
    if values is None or not axes:
        return
    at = s.axis(axes[0], source.rank)
    extent, total = source.shape[at], sum(value for value in values if value != -1)
    s.require(values.count(-1) <= 1, "its sizes have more than one -1")
    s.require(total <= extent if -1 in values else total == extent, f"its sizes do not sum to {extent}")
    for target, value in zip(s.outputs(), values, strict=False):
        part = extent - total if value == -1 else value
        s.resize(target, (*source.shape[:at], part, *source.shape[at + 1 :]))


def tile(s: Step) -> None:
    s.counts(2)
    source, factors, target = s.input(0), s.input(1), s.output()
    s.same_type(source, target)
    s.typed(factors, "its multiples", "INT32", "INT64")
    if not factors.known:
        s.dynamic()
        return
    s.require(factors.elements == source.rank, f"{factors.elements} multiples for rank {source.rank}")
    values = factors.integers()
    if values is not None:
        s.require(min(values, default=0) >= 0, "a multiple is negative")
        s.resize(target, [extent * factor for extent, factor in zip(source.shape, values, strict=True)])
    if source.known:
        found = source.values()
        one = values is not None and source.rank == 1 and found is not None
        target.compute(found * values[0] if one and values and found else None)


def transpose(s: Step) -> None:
    s.counts(2)
    source, order, target = s.input(0), s.input(1), s.output()
    s.require_before("2.1.6", source.rank <= 6, f"its input has rank {source.rank}; the kernel takes at most 6")
    s.require(source.rank <= 8, f"its input has rank {source.rank}; the kernel takes at most 8")
    s.require_before("2.1.6", source.rank > 0, "its input is a scalar: the process dies")
    s.with_gpu(source.rank > 0, "its input is a scalar: the process dies when the delegate looks at it")
    s.same_type(source, target)
    if not order.known:
        s.dynamic()
        return
    s.ranked(order, "the permutation", 1)
    s.require(order.shape[0] == source.rank, f"a permutation of {order.shape[0]} axes for rank {source.rank}")
    values = order.integers()
    if values is not None:
        distinct = len({s.axis(axis, source.rank) for axis in values}) == source.rank
        s.require_before("2.1.6", distinct, "its permutation names an axis twice: the process dies")
        s.resize(target, [source.shape[s.axis(axis, source.rank)] for axis in values])


def gather(s: Step) -> None:
    s.counts(2)
    source, indices, target = s.input(0), s.input(1), s.output()
    s.typed(indices, "its indices", "INT64", "INT32", "INT16")
    target.type = source.type
    s.typed(source, "its input", *_WORDS, "INT4", "BOOL", "STRING", *_HALF)
    options = s.options(GatherOptions)
    given, batch = (options.axis, options.batch_dims) if options is not None else (0, 0)
    axis = s.axis(given, source.rank)
    if batch < 0:
        batch += indices.rank
    s.require(0 <= batch <= axis and batch <= indices.rank, f"batch_dims {batch} is out of range")
    s.require(source.shape[:batch] == indices.shape[:batch], "input and indices differ on a batch axis")
    s.resize(target, source.shape[:axis] + indices.shape[batch:] + source.shape[axis + 1 :])
    if source.known and indices.known:
        values, at = source.values(), indices.integers()
        if source.rank == 1 and values is not None and at is not None:
            fits = all(-len(values) <= i < len(values) for i in at)
            s.require(fits, "an index is out of range")
            target.compute([values[i] for i in at])
        else:
            target.compute(None)


def gather_nd(s: Step) -> None:
    s.counts(2)
    source, indices, target = s.input(0), s.input(1), s.output()
    s.typed(source, "its input", *_WORDS, "STRING", "BOOL", *_HALF)
    s.typed(indices, "its indices", "INT64", "INT32", "INT16")
    s.require(source.rank >= 1, "its input is a scalar")
    s.require(indices.rank >= 1, "its indices are a scalar")
    depth = indices.shape[-1]
    s.require(depth <= source.rank, f"indices of length {depth} into rank {source.rank}")
    target.type = source.type
    s.resize(target, indices.shape[:-1] + source.shape[depth:])


def pad(s: Step) -> None:
    s.counts(2, 3)
    source, paddings, value, target = s.input(0), s.input(1), s.optional(2), s.output()
    s.same_type(source, target)
    if value is not None:
        s.same_type(source, value)
        s.require_since("2.2.0", value.elements == 1, f"the padding value has {value.elements} elements, not 1")
    s.with_gpu(source.rank <= 5, f"its input has rank {source.rank}; the kernel takes at most 5")
    s.require_since("2.2.0", paddings.rank == 2 and paddings.shape[1] == 2, "the paddings are not pairs")
    if not paddings.known or source.rank == 0:
        s.dynamic()
        return
    s.typed(paddings, "the paddings", "INT32", "INT64", "INT8", "INT16")
    s.resize(target, _padded(s, source, paddings))


def _padded(s: Step, source: Slot, paddings: Slot) -> Shape:
    s.require(paddings.rank == 2 and paddings.shape == (source.rank, 2), "the paddings are not one pair an axis")
    values = paddings.integers()
    if values is None:
        return s.output().shape
    s.require(min(values, default=0) >= 0, "a padding is negative")
    return tuple(extent + values[2 * i] + values[2 * i + 1] for i, extent in enumerate(source.shape))


def mirror_pad(s: Step) -> None:
    source, paddings, target = s.input(0), s.input(1), s.output()
    s.require_since("2.2.0", source.type == target.type, f"its output is {target.type}, not {source.type}")
    s.ranked(paddings, "the paddings", 2)
    s.require(paddings.shape[0] == source.rank, "the paddings are not one pair an axis")
    if source.type in ("UINT8", "INT8", "INT16"):
        s.same_scale(source, target)
    if source.type == "INT16":
        s.symmetric(source, target)
    if not paddings.known:
        s.dynamic()
        return
    s.typed(paddings, "the paddings", "INT32", "INT64")
    values, options = paddings.integers(), s.options(MirrorPadOptions)
    mode = str(options.mode) if options is not None else "none"
    s.require_since("2.2.0", mode in ("REFLECT", "SYMMETRIC"), f"its mode is {mode}")
    if values is not None and min(values, default=0) < 0 and not s.since("2.2.0"):
        s.resize(target, [extent + values[2 * i] + values[2 * i + 1] for i, extent in enumerate(source.shape)])
        return
    shape = _padded(s, source, paddings)
    if values is not None:
        edge = 1 if mode == "REFLECT" else 0
        most = [extent - edge for extent in source.shape for _ in (0, 1)]
        fits = all(value <= limit for value, limit in zip(values, most, strict=True))
        s.require_since("2.2.0", fits, "a padding is wider than what it mirrors")
    s.resize(target, shape)


def reverse(s: Step) -> None:
    s.counts(2)
    source, axis, target = s.input(0), s.input(1), s.output()
    s.ranked(axis, "the axes", 1)
    s.require(source.rank <= 8 and source.rank >= axis.elements, f"{axis.elements} axes of rank {source.rank}")
    s.typed(source, "its input", *_WORDS, "BOOL", *_HALF)
    s.typed(axis, "the axes", "INT32")
    s.same_type(source, target)
    s.like(source)


def depth_to_space(s: Step) -> None:
    block = _block(s, s.options(DepthToSpaceOptions))
    batch, height, width, depth = s.input(0).shape
    s.require(depth % (block * block) == 0, f"{depth} channels are no multiple of {block * block}")
    s.resize(s.output(), (batch, height * block, width * block, depth // block // block))


def space_to_depth(s: Step) -> None:
    block = _block(s, s.options(SpaceToDepthOptions))
    batch, height, width, depth = s.input(0).shape
    s.require(height % block == width % block == 0, f"{height} by {width} is no multiple of {block}")
    s.resize(s.output(), (batch, height // block, width // block, depth * block * block))


def _block(s: Step, options: DepthToSpaceOptions | SpaceToDepthOptions | None) -> int:
    s.counts(1)
    source, target = s.input(0), s.output()
    s.ranked(source, "its input", 4)
    s.typed(target, "its output", "FLOAT32", "UINT8", "INT8", "INT32", "INT64")
    s.same_type(source, target)
    block = options.block_size if options is not None else 0
    s.require(block > 0, f"its block size is {block}")
    return block


def space_to_batch(s: Step) -> None:
    source, block, edges = _spatial(s)
    target = s.output()
    if not (block.known and edges.known):
        s.dynamic()
        return
    blocks, around = _per_axis(s, source, block, edges)
    if blocks is None or around is None:
        return
    batch, shape = source.shape[0], list(source.shape)
    for i, size in enumerate(blocks):
        extent = shape[i + 1] + around[2 * i] + around[2 * i + 1]
        s.require(size != 0 and extent % size == 0, f"axis {i + 1} of {extent} is no multiple of its block {size}")
        shape[i + 1], batch = extent // size, batch * size
    s.resize(target, (batch, *shape[1:]))


def batch_to_space(s: Step) -> None:
    source, block, crops = _spatial(s)
    target = s.output()
    if not (block.known and crops.known):
        s.dynamic()
        return
    blocks, around = _per_axis(s, source, block, crops)
    if blocks is None or around is None:
        return
    s.require(min(around, default=0) >= 0, "a crop is negative")
    batch, shape = source.shape[0], list(source.shape)
    for i, size in enumerate(blocks):
        s.require(size != 0 and batch % size == 0, f"a batch of {batch} is no multiple of the block {size}")
        batch //= size
        shape[i + 1] = shape[i + 1] * size - around[2 * i] - around[2 * i + 1]
    s.resize(target, (batch, *shape[1:]))


def _spatial(s: Step) -> tuple[Slot, Slot, Slot]:
    s.counts(3)
    source, block, edges, target = s.input(0), s.input(1), s.input(2), s.output()
    s.require(3 <= source.rank <= 4, f"its input has rank {source.rank}, not 3 or 4")
    s.same_type(source, target)
    if source.type in ("UINT8", "INT8", "INT16"):
        s.same_scale(source, target)
    if source.type == "INT16":
        s.symmetric(source, target)
    return source, block, edges


def _per_axis(s: Step, source: Slot, block: Slot, edges: Slot) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    count = source.rank - 2
    s.require(block.shape == (count,), f"the block shape has shape {shape_text(block.shape)}, not [{count}]")
    s.require(edges.shape == (count, 2), f"the edges have shape {shape_text(edges.shape)}, not [{count},2]")
    return block.integers(), edges.integers()


def resize(s: Step) -> None:
    s.counts(2)
    source, size, target = s.input(0), s.input(1), s.output()
    s.ranked(source, "its input", 4)
    s.ranked(size, "the size", 1)
    s.typed(size, "the size", "INT32")
    bilinear = s.op.name == "RESIZE_BILINEAR"
    wrong = f"the size has shape {shape_text(size.shape)}, not [2]"
    if bilinear:
        s.require_since("2.2.0", size.shape == (2,), wrong)
    else:
        s.require(size.shape == (2,), wrong)
    target.type = source.type
    if not size.known:
        s.dynamic()
        return
    options = s.options(ResizeBilinearOptions)
    if bilinear and options is not None and options.half_pixel_centers and options.align_corners:
        s.with_gpu(False, "If half_pixel_centers is True, align_corners must be False.")
    values = size.integers()
    if values is not None and len(values) >= 2:
        s.require(not bilinear or min(values[:2]) > 0, "a size is not positive")
        s.resize(target, (source.shape[0], *values[:2], source.shape[3]))


def fill(s: Step) -> None:
    s.counts(2)
    extents, value, target = s.input(0), s.input(1), s.output()
    s.ranked(extents, "the shape", 1)
    s.typed(extents, "the shape", "INT32", "INT64")
    s.ranked(value, "the value", 0)
    target.type = value.type
    s.same_scale(value, target)
    if not extents.known:
        s.dynamic()
        return
    values = extents.integers()
    if values is not None:
        s.require(min(values, default=0) >= 0, "an extent is negative")
        s.resize(target, values)


def range_(s: Step) -> None:
    s.counts(3)
    start, limit, delta, target = s.input(0), s.input(1), s.input(2), s.output()
    for what, slot in (("start", start), ("limit", limit), ("delta", delta)):
        s.ranked(slot, what, 0)
    s.typed(start, "start", "FLOAT32", "INT32", "INT64")
    s.same_type(limit, start)
    s.same_type(delta, start)
    target.type = start.type
    if not (start.known and limit.known and delta.known):
        s.dynamic()
        return
    given = (start.values(), limit.values(), delta.values())
    if any(not values for values in given):
        target.compute(None)
        return
    first, last, step = (values[0] for values in given if values)
    s.require(step != 0, "delta is 0")
    s.require((first <= last and step > 0) or (first >= last and step < 0), "delta leads away from the limit")
    count = max(0, int(-((first - last) // step))) if start.type != "FLOAT32" else -int((first - last) // step)
    s.resize(target, (count,))
    target.compute([first + i * step for i in range(count)] if count <= 4096 else None)


def broadcast_to(s: Step) -> None:
    s.counts(2)
    source, shape, target = s.input(0), s.input(1), s.output()
    s.typed(shape, "the shape", "INT32", "INT64")
    s.same_type(source, target)
    s.require(source.type != "STRING", "it does not take STRING")
    if not shape.known:
        s.dynamic()
        return
    s.ranked(shape, "the shape", 1)
    count = shape.shape[0]
    s.require_before("2.1.6", max(count, source.rank) <= 8, "a rank is above 8")
    values = shape.integers()
    if values is None:
        return
    s.require(source.rank <= count, f"rank {source.rank} does not broadcast to rank {count}")
    tail = values[count - source.rank :]
    fits = all(mine in (1, extent) for mine, extent in zip(source.shape, tail, strict=True))
    s.require(fits, f"shape {shape_text(source.shape)} does not broadcast to {shape_text(values)}")
    s.resize(target, values)


def broadcast_args(s: Step) -> None:
    s.counts(2)
    first, second, target = s.input(0), s.input(1), s.output()
    s.typed(first, "its operands", "INT32", "INT64")
    s.same_type(first, second)
    s.same_type(first, target)
    s.ranked(first, "its first operand", 1)
    s.ranked(second, "its second operand", 1)
    s.resize(target, (max(first.shape[0], second.shape[0]),))
    if first.known and second.known:
        target.compute(None)
        one, two = first.integers(), second.integers()
        if one is not None and two is not None:
            width = max(len(one), len(two))
            pairs = zip((1,) * (width - len(one)) + one, (1,) * (width - len(two)) + two, strict=True)
            target.compute([b if a == 1 else a for a, b in pairs])


PREPARERS: Mapping[str, Preparer] = {
    "RESHAPE": reshape,
    "SQUEEZE": squeeze,
    "EXPAND_DIMS": expand_dims,
    "SHAPE": shape,
    "RANK": rank,
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "CONCATENATION": concatenation,
    "PACK": pack,
    "UNPACK": unpack,
    "SPLIT": split,
    "SPLIT_V": split_v,
    "TILE": tile,
    "TRANSPOSE": transpose,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "PAD": pad,
    "PADV2": pad,
    "MIRROR_PAD": mirror_pad,
    "REVERSE_V2": reverse,
    "DEPTH_TO_SPACE": depth_to_space,
    "SPACE_TO_DEPTH": space_to_depth,
    "SPACE_TO_BATCH_ND": space_to_batch,
    "BATCH_TO_SPACE_ND": batch_to_space,
    "RESIZE_BILINEAR": resize,
    "RESIZE_NEAREST_NEIGHBOR": resize,
    "FILL": fill,
    "RANGE": range_,
    "BROADCAST_TO": broadcast_to,
    "BROADCAST_ARGS": broadcast_args,
}
