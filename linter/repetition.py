"""Whether a large constant says the same thing again and again: read in samples, never as a whole."""

from __future__ import annotations

from .constants import HEAD_BYTES, item_size
from .model import Model, Tensor

SAMPLES = 256
"""Positions compared along and across an axis. A value that differs only between samples is missed: what is told is
what it looks like."""

SAMPLE_BYTES = 4096
"""Bytes compared at each position."""


def repeated_axes(model: Model, tensor: Tensor) -> tuple[int, ...]:
    """The axes along which a constant repeats one slice, as a broadcast that was folded into the file does."""
    item = item_size(tensor)
    buffer = model.buffers[tensor.buffer]
    if item is None or buffer.start is None or buffer.size != item * tensor.elements:
        return ()
    found = []
    outer, inner = 1, tensor.elements
    for axis, extent in enumerate(tensor.shape):
        inner //= max(extent, 1)
        if extent > 1 and _repeats(model, buffer.start, outer, extent, inner * item):
            found.append(axis)
        outer *= extent
    return tuple(found)


def same_bytes(model: Model, first: Tensor, second: Tensor) -> bool:
    """Whether two constants of one size hold the same bytes, by samples."""
    one, other = model.buffers[first.buffer], model.buffers[second.buffer]
    if one.size != other.size or one.start is None or other.start is None:
        return False
    # Weights differ at once, and of a remote file their first bytes are at hand.
    head = min(HEAD_BYTES, one.size)
    if model.fetch(one.start, head) != model.fetch(other.start, head):
        return False
    offsets = [position * SAMPLE_BYTES for position in _spread(max(1, one.size // SAMPLE_BYTES))]
    model.expect(
        (start + offset, start + min(offset + SAMPLE_BYTES, one.size))
        for offset in offsets
        for start in (one.start, other.start)
    )
    for offset in offsets:
        count = min(SAMPLE_BYTES, one.size - offset)
        if model.fetch(one.start + offset, count) != model.fetch(other.start + offset, count):
            return False
    return True


def _repeats(model: Model, start: int, outer: int, extent: int, block: int) -> bool:
    """Whether in each of `outer` runs all `extent` blocks of `block` bytes are equal to the run's first."""
    step = extent * block
    for run in _spread(outer):
        begin = start + run * step
        if step <= 4 * SAMPLE_BYTES:
            data = model.fetch(begin, step)
            if data != data[:block] * extent:
                return False
            continue
        for piece in _spread(max(1, block // SAMPLE_BYTES)):
            offset = piece * SAMPLE_BYTES
            count = min(SAMPLE_BYTES, block - offset)
            expected = model.fetch(begin + offset, count)
            for index in _spread(extent, 16):
                if model.fetch(begin + index * block + offset, count) != expected:
                    return False
    return True


def _spread(count: int, most: int = SAMPLES) -> range | list[int]:
    """Up to `most` positions below `count`, spread evenly, first and last included."""
    if count <= most:
        return range(count)
    return [index * (count - 1) // (most - 1) for index in range(most)]
