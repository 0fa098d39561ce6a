"""CPU Prepare of operators that reduce, search or count.

Source: tflite/kernels/{reduce,arg_min_max,topk_v2,cumsum,one_hot,where,select,unique,…}.cc, v2.1.2 to v2.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from ...options import ArgMaxOptions, ArgMinOptions, OneHotOptions, ReducerOptions, UniqueOptions
from .state import Preparer, Shape, Slot, Step


def reduce(s: Step) -> None:
    s.counts(2)
    source, axes, target = s.input(0), s.input(1), s.output()
    if s.op.name in ("REDUCE_ALL", "REDUCE_ANY"):
        s.typed(source, "its input", "BOOL")
    else:
        s.typed(source, "its input", "FLOAT32", "INT32", "INT64", "UINT8", "INT8", "INT16", "BOOL")
    s.typed(axes, "the axes", "INT32")
    if source.type == "INT16":
        s.symmetric(source, target)
    if not axes.known:
        s.dynamic()
        return
    shape = _reduced(s, source.shape, axes)
    if s.op.name == "REDUCE_PROD":
        fits = not source.quantized or (source.affine and source.type in ("INT8", "INT16"))
        s.require_since("2.1.5", fits, "its quantized input is not INT8 or INT16 with scale and zero point")
        if shape is not None and source.known and prod(shape) <= 1 << 20:
            values = source.integers()
            whole = source.type in ("INT32", "INT64") and values is not None and prod(shape) == 1
            target.compute([prod(values)] if whole and values is not None else None)
    if shape is not None:
        s.resize(target, shape)


def _reduced(s: Step, shape: Shape, axes: Slot) -> Shape | None:
    values = axes.integers()
    if values is None:
        return None
    if not shape:
        return ()
    options = s.options(ReducerOptions)
    keep = options is not None and options.keep_dims
    outside = [axis for axis in values if not -len(shape) <= axis < len(shape)]
    # Up to 2.1.6, an axis out of range is only noticed where the rank changes.
    if outside and (not keep or s.since("2.2.0")):
        s.axis(outside[0], len(shape))
    dropped = {axis % len(shape) for axis in values if axis not in outside}
    if keep:
        return tuple(1 if axis in dropped else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in dropped)


def arg_extreme(s: Step) -> None:
    s.counts(2)
    source, axis, target = s.input(0), s.input(1), s.output()
    s.scalar(axis, "the axis")
    s.typed(axis, "the axis", "INT32", "INT64")
    options = s.options(ArgMaxOptions) or s.options(ArgMinOptions)
    kind = str(options.output_type) if options is not None else "FLOAT32"
    s.require(kind in ("INT32", "INT64"), f"its result is {kind}; the kernel gives INT32 or INT64")
    target.type = kind
    s.typed(source, "its input", "FLOAT32", "UINT8", "INT8", "INT32", "BOOL")
    s.require(source.rank >= 1, "its input is a scalar")
    if not axis.known:
        s.dynamic()
        return
    values = axis.integers()
    if values:
        at = s.axis(values[0], source.rank)
        s.require_since("2.2.0", source.shape[at] > 0, "the axis is empty")
        s.resize(target, source.shape[:at] + source.shape[at + 1 :])


def top_k(s: Step) -> None:
    s.counts(2, outputs=2)
    source, count, values, indices = s.input(0), s.input(1), s.output(0), s.output(1)
    s.same_type(source, values)
    s.typed(count, "k", "INT32", "INT16")
    if not count.known or source.open:
        s.dynamic()
        return
    s.scalar(count, "k")
    s.require(source.rank >= 1, "its input is a scalar")
    k = count.integers()
    if k:
        s.require(k[0] <= source.shape[-1], f"k is {k[0]}, and the last axis has {source.shape[-1]}")
        for target in (values, indices):
            s.resize(target, (*source.shape[:-1], 0 if k[0] < 0 and s.since("2.1.3") else k[0]))


def cumsum(s: Step) -> None:
    s.counts(2)
    source, axis = s.input(0), s.input(1)
    s.typed(source, "its input", "INT32", "FLOAT32", "INT64")
    s.typed(axis, "the axis", "INT32")
    s.scalar(axis, "the axis")
    s.require(source.rank >= 1, "its input is a scalar")
    s.like(source)


def one_hot(s: Step) -> None:
    s.counts(4)
    indices, depth, on, off = s.inputs()
    target = s.output()
    s.typed(on, "its on value", "FLOAT32", "INT16", "INT32", "INT64", "INT8", "UINT8", "BOOL")
    target.type = on.type
    s.typed(indices, "its indices", "INT32", "INT64")
    options = s.options(OneHotOptions)
    given = options.axis if options is not None else 0
    axis = indices.rank if given == -1 else given
    s.require(0 <= axis <= indices.rank, f"axis {given} is out of range")
    if indices.rank == 0 and given != -1 and not s.since("2.1.6"):
        s.with_gpu(False, "its indices are a scalar: the process dies when the delegate looks at them")
    for what, slot in (("the depth", depth), ("its on value", on), ("its off value", off)):
        s.scalar(slot, what)
    s.same_type(on, off)
    if not depth.known:
        s.dynamic()
        return
    values = depth.integers()
    if values:
        s.require(values[0] >= 0, "its depth is negative")
        s.resize(target, (*indices.shape[:axis], values[0], *indices.shape[axis:]))


def select(s: Step) -> None:
    s.counts(3)
    condition, first, second = s.inputs()
    target = s.output()
    s.typed(condition, "its condition", "BOOL")
    s.same_type(first, second)
    target.type = first.type
    if condition.elements == first.elements == second.elements == target.elements == 1:
        return
    if condition.shape == first.shape == second.shape:
        s.like(first)
        return
    if s.op.name == "SELECT":
        low = condition.rank == 0 or (condition.rank == 1 and condition.shape[:1] == first.shape[:1])
        s.require(low, "its condition is neither of the branches' shape nor of their first axis")
        s.require(first.shape == second.shape, "its branches have different shapes")
        s.like(first)
        return
    s.resize(target, s.broadcast(condition, first, second))


def where(s: Step) -> None:
    s.counts(1)
    condition, target = s.input(0), s.output()
    s.typed(condition, "its condition", "BOOL", "FLOAT32", "INT64", "INT32", "INT8", "UINT8", "UINT32")
    target.type = "INT64"
    if not condition.known:
        s.dynamic()
        return
    values = condition.values()
    if values is not None:
        s.resize(target, (sum(value != 0 for value in values), condition.rank))


def unique(s: Step) -> None:
    s.counts(1, outputs=2)
    source, found, index = s.input(0), s.output(0), s.output(1)
    options = s.options(UniqueOptions)
    kind = str(options.idx_out_type) if options is not None else "INT32"
    s.require_since("2.1.6", kind in ("INT32", "INT64"), f"its index is {kind}; the kernel gives INT32 or INT64")
    s.require_since("2.1.6", (found.type, index.type) == (source.type, kind), "its outputs are of other types")
    s.ranked(source, "its input", 1)
    s.dynamic()


def non_max_suppression(s: Step) -> None:
    soft = len(s.op.inputs) == 6
    s.counts(5, 6, outputs=3 if soft else 2)
    boxes, scores, most = s.input(0), s.input(1), s.input(2)
    s.typed(boxes, "the boxes", "FLOAT32")
    s.require(boxes.rank == 2 and boxes.shape[1] == 4, "the boxes are not rows of four")
    s.typed(scores, "the scores", "FLOAT32")
    s.require(scores.shape == boxes.shape[:1], "the scores are not one a box")
    s.typed(most, "the number of boxes", "INT32")
    s.ranked(most, "the number of boxes", 0)
    for position in range(3, len(s.op.inputs)):
        s.typed(s.input(position), "a threshold", "FLOAT32")
        s.ranked(s.input(position), "a threshold", 0)
    if not most.known:
        s.dynamic()
        return
    values = most.integers()
    if values:
        s.require(values[0] >= 0, "the number of boxes is negative")
        for target in s.outputs()[:-1]:
            s.resize(target, (values[0],))
        s.resize(s.outputs()[-1], ())


def segment_sum(s: Step) -> None:
    s.counts(2)
    data, ids, target = s.input(0), s.input(1), s.output()
    s.typed(data, "its data", "INT32", "FLOAT32")
    s.typed(ids, "the segment ids", "INT32")
    if not (data.known and ids.known):
        s.dynamic()
        return
    values = ids.integers()
    if values is not None:
        s.resize(target, (max(values, default=-1) + 1, *data.shape[1:]))


def unsorted_segment(s: Step) -> None:
    s.counts(3)
    data, ids, count, target = s.input(0), s.input(1), s.input(2), s.output()
    s.typed(data, "its data", "INT32", "FLOAT32")
    s.typed(ids, "the segment ids", "INT32")
    s.typed(count, "the number of segments", "INT32")
    if not (ids.known and count.known):
        s.dynamic()
        return
    s.require(ids.shape == data.shape[: ids.rank], "the segment ids do not have the shape of the leading axes")
    values = count.integers()
    if values:
        s.resize(target, (values[0], *data.shape[ids.rank :]))


def scatter_nd(s: Step) -> None:
    s.counts(3)
    indices, updates, shape = s.inputs()
    target = s.output()
    s.typed(updates, "its updates", "FLOAT32", "UINT8", "BOOL", "INT8", "INT64", "INT32")
    s.same_type(indices, shape)
    target.type = updates.type
    if not shape.known:
        s.dynamic()
        return
    s.typed(indices, "its indices", "INT32")
    s.ranked(shape, "the shape", 1)
    s.require(min(indices.rank, updates.rank) >= 1, "its indices or updates are a scalar")
    outer, depth = indices.rank - 1, indices.shape[-1]
    s.require(indices.shape[:-1] == updates.shape[:outer], "its indices and updates differ on a leading axis")
    values = shape.integers()
    if values is not None:
        s.require(updates.shape[outer:] == values[depth:], "its updates do not have the shape of what they replace")
        s.resize(target, values)


def sparse_to_dense(s: Step) -> None:
    s.counts(4)
    indices, shape, values, default = s.inputs()
    target = s.output()
    s.require(indices.rank < 3, f"its indices have rank {indices.rank}; the kernel takes at most 2")
    s.ranked(shape, "the shape", 1)
    s.require(values.rank < 2, f"its values have rank {values.rank}; the kernel takes at most 1")
    s.scalar(default, "the default value")
    s.typed(indices, "its indices", "INT32", "INT64")
    s.typed(shape, "the shape", "INT32", "INT64")
    s.typed(values, "its values", "INT32", "INT64", "INT8", "UINT8", "FLOAT32")
    s.same_type(values, default)
    target.type = values.type
    if not shape.known:
        s.dynamic()
        return
    extents = shape.integers()
    if extents is not None:
        s.resize(target, extents)


def reverse_sequence(s: Step) -> None:
    s.counts(2)
    source, lengths = s.input(0), s.input(1)
    s.ranked(lengths, "the lengths", 1)
    s.typed(source, "its input", "INT32", "FLOAT32", "UINT8", "INT16", "INT64")
    s.typed(lengths, "the lengths", "INT32", "INT64")
    s.same_type(s.output(), source)
    s.like(source)


def matrix_diag(s: Step) -> None:
    s.counts(1)
    source = s.input(0)
    s.require(source.rank >= 1, "its input is a scalar")
    s.output().type = source.type
    s.resize(s.output(), (*source.shape, source.shape[-1]))


def matrix_set_diag(s: Step) -> None:
    s.counts(2)
    source = s.input(0)
    s.require(source.rank >= 2, "its input is no matrix")
    s.output().type = source.type
    s.like(source)


def rfft2d(s: Step) -> None:
    s.counts(2)
    source, length, target = s.input(0), s.input(1), s.output()
    s.require(source.rank >= 2, "its input is no matrix")
    s.typed(source, "its input", "FLOAT32")
    s.require(length.shape == (2,), "the FFT length is not two numbers")
    s.typed(length, "the FFT length", "INT32")
    target.type = "COMPLEX64"
    if not length.known:
        s.dynamic()
        return
    values = length.integers()
    if values is not None and len(values) == 2:
        s.require(all(v > 0 and not v & (v - 1) for v in values), "an FFT length is no power of 2")
        s.resize(target, (*source.shape[:-2], values[0], values[1] // 2 + 1))


def complex_part(s: Step) -> None:
    s.counts(1)
    source = s.input(0)
    s.typed(source, "its input", "COMPLEX64", "COMPLEX128")
    s.typed(s.output(), "its output", "FLOAT32" if source.type == "COMPLEX64" else "FLOAT64")
    s.like(source)


def bucketize(s: Step) -> None:
    s.counts(1)
    source = s.input(0)
    s.typed(source, "its input", "INT32", "FLOAT32", "INT64", "FLOAT64")
    s.output().type = "INT32"
    s.like(source)


def random(s: Step) -> None:
    s.counts(1)
    shape = s.input(0)
    s.typed(shape, "the shape", "INT32")
    s.ranked(shape, "the shape", 1)
    if not shape.known:
        s.dynamic()
        return
    values = shape.integers()
    if values is not None:
        s.resize(s.output(), values)


def multinomial(s: Step) -> None:
    s.counts(2)
    logits, count = s.input(0), s.input(1)
    s.typed(logits, "its logits", "FLOAT32")
    s.typed(count, "the number of samples", "INT32")
    if not (logits.known and count.known):
        s.dynamic()
        return
    values = count.integers()
    if values:
        s.resize(s.output(), (logits.shape[0], values[0]))


PREPARERS: Mapping[str, Preparer] = {
    **dict.fromkeys(
        ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ALL", "REDUCE_ANY"),
        reduce,
    ),
    "ARG_MAX": arg_extreme,
    "ARG_MIN": arg_extreme,
    "TOPK_V2": top_k,
    "CUMSUM": cumsum,
    "ONE_HOT": one_hot,
    "SELECT": select,
    "SELECT_V2": select,
    "WHERE": where,
    "UNIQUE": unique,
    "NON_MAX_SUPPRESSION_V4": non_max_suppression,
    "NON_MAX_SUPPRESSION_V5": non_max_suppression,
    "SEGMENT_SUM": segment_sum,
    **dict.fromkeys(
        ("UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "UNSORTED_SEGMENT_MIN"),
        unsorted_segment,
    ),
    "SCATTER_ND": scatter_nd,
    "SPARSE_TO_DENSE": sparse_to_dense,
    "REVERSE_SEQUENCE": reverse_sequence,
    "MATRIX_DIAG": matrix_diag,
    "MATRIX_SET_DIAG": matrix_set_diag,
    "RFFT2D": rfft2d,
    "REAL": complex_part,
    "IMAG": complex_part,
    "COMPLEX_ABS": complex_part,
    "BUCKETIZE": bucketize,
    "RANDOM_UNIFORM": random,
    "RANDOM_STANDARD_NORMAL": random,
    "MULTINOMIAL": multinomial,
}
