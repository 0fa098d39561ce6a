"""Whether a large constant says the same thing again and again: read in samples, never as a whole."""

from __future__ import annotations

from .constants import HEAD_BYTES, item_size
from .model import Model, Tensor

SAMPLES = 64
"""Positions compared along and across an axis. A value that differs only between samples is missed: what is told is
what it looks like."""

SAMPLE_BYTES = 16 * 1024
"""Bytes compared at each position."""

WHOLE = SAMPLES * SAMPLE_BYTES
"""Bytes up to which a constant is compared as a whole: its samples together would be all of it."""

FEW = 4
"""Reads that tell most constants which do not repeat."""


def repeated_axes(model: Model, tensor: Tensor) -> tuple[int, ...]:
    """The axes along which a constant repeats one slice, as a broadcast that was folded into the file does."""
    item = item_size(tensor)
    buffer = model.buffers[tensor.buffer]
    if item is None or buffer.start is None or buffer.size != item * tensor.elements:
        return ()
    constant = _Constant(model, buffer.start, buffer.size)
    found = []
    outer, inner = 1, tensor.elements
    for axis, extent in enumerate(tensor.shape):
        inner //= max(extent, 1)
        if extent > 1 and _repeats(constant, outer, extent, inner * item):
            found.append(axis)
        outer *= extent
    return tuple(found)


def uniform(model: Model, tensor: Tensor) -> bool:
    """Whether a constant is one value throughout."""
    item, start = item_size(tensor), model.buffers[tensor.buffer].start
    if item is None or start is None:
        return False
    head = model.fetch(start, min(HEAD_BYTES, model.buffers[tensor.buffer].size))
    if head != head[:item] * (len(head) // item):
        return False
    varying = tuple(axis for axis, extent in enumerate(tensor.shape) if extent > 1)
    return repeated_axes(model, tensor) == varying


def same_bytes(model: Model, first: Tensor, second: Tensor) -> bool:
    """Whether two constants of one size hold the same bytes, by samples."""
    one, other = model.buffers[first.buffer], model.buffers[second.buffer]
    if one.size != other.size or one.start is None or other.start is None:
        return False
    # Weights differ at once, and of a remote file their first bytes are at hand.
    head = min(HEAD_BYTES, one.size)
    if model.fetch(one.start, head) != model.fetch(other.start, head):
        return False
    if one.size <= WHOLE:
        model.expect((start, start + one.size) for start in (one.start, other.start))
        return model.fetch(one.start, one.size) == model.fetch(other.start, one.size)
    offsets = [position * SAMPLE_BYTES for position in _spread(one.size // SAMPLE_BYTES)]
    model.expect(
        (start + offset, start + offset + SAMPLE_BYTES) for offset in offsets for start in (one.start, other.start)
    )
    for offset in offsets:
        if model.fetch(one.start + offset, SAMPLE_BYTES) != model.fetch(other.start + offset, SAMPLE_BYTES):
            return False
    return True


class _Constant:
    """The bytes of a constant: of one that goes on repeating, all of them at once."""

    def __init__(self, model: Model, start: int, size: int) -> None:
        self._fetch = model.fetch
        self._start = start
        self._size = size
        self._reads = 0
        self._whole = b""

    def read(self, offset: int, count: int) -> bytes:
        if not self._whole:
            self._reads += 1
            if self._reads <= FEW or self._size > WHOLE:
                return self._fetch(self._start + offset, count)
            self._whole = self._fetch(self._start, self._size)
        return self._whole[offset : offset + count]


def _repeats(constant: _Constant, outer: int, extent: int, block: int) -> bool:
    """Whether in each of `outer` runs all `extent` blocks of `block` bytes are equal to the run's first."""
    step = extent * block
    if step <= SAMPLE_BYTES:
        together = SAMPLE_BYTES // step  # runs that make one sample
        for sample in _spread(-(-outer // together)):
            data = constant.read(sample * together * step, min(together, outer - sample * together) * step)
            if data == data[:block] * (len(data) // block):
                continue  # all runs alike, told without a look at each
            if data != b"".join([data[at : at + block] * extent for at in range(0, len(data), step)]):
                return False
        return True
    for run in _spread(outer):
        begin = run * step
        for piece in _spread(max(1, block // SAMPLE_BYTES)):
            offset = piece * SAMPLE_BYTES
            count = min(SAMPLE_BYTES, block - offset)
            expected = constant.read(begin + offset, count)
            for index in _spread(extent, 16):
                if constant.read(begin + index * block + offset, count) != expected:
                    return False
    return True


def _spread(count: int, most: int = SAMPLES) -> range | list[int]:
    """Up to `most` positions below `count`, spread evenly, first and last included."""
    if count <= most:
        return range(count)
    return [index * (count - 1) // (most - 1) for index in range(most)]
