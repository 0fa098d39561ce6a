"""Bytes that lie afar: each piece is fetched before it is first read, and what is not read never travels.

The pieces go into an anonymous map as large as the file, of which the machine holds only the pages that were filled.
So the reader unpacks from it as from a mapped file. What it must do first, ask for the bytes, `FetchedFlatbuffer`
does at the few places where a position is taken from the file."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from .errors import ModelError
from .flatbuffer import Flatbuffer, Lazy, Table

BLOCK = 1024
"""Bytes of the smallest piece. Tables that stand between weights are read one by one, so it is small."""

GAP = 16
"""Blocks without use that are fetched to save a request: an answer's delay costs more than 16 KiB."""

MAX_AHEAD = 128
"""Blocks fetched beyond what is asked for, at most. It starts at one and doubles while reading goes on nearby."""

MAX_FETCHED = 256 << 20
"""Bytes fetched of one file. Graphs take a few hundred kilobytes; a compressed bundle is fetched whole."""

MAX_EXPECTED = 2 << 20
"""Bytes fetched at once because they will probably be read."""

TABLE = 64
"""Bytes expected of a table whose size is not known yet."""

Span = tuple[int, int]
"""First byte, and the byte behind the last."""

Fetch = Callable[[Sequence[Span]], Iterable[bytes]]
"""The bytes of each span, in order and whole. ModelError when they cannot be had."""


class Sparse(Lazy):
    """A file afar, or a part of it."""

    __slots__ = ("_begin", "_pieces", "view")

    def __init__(self, pieces: Pieces, begin: int, end: int) -> None:
        self._pieces = pieces
        self._begin = begin
        self.view = memoryview(pieces.map)[begin:end]
        """Holds a byte only after `need` was called for it."""

    def __len__(self) -> int:
        return len(self.view)

    def __getitem__(self, index: slice, /) -> bytes:
        start, stop, _ = index.indices(len(self.view))
        self.need_all([(start, stop)])
        return bytes(self.view[start:stop])

    def need(self, at: int, count: int) -> None:
        """Have these bytes at hand, and some beyond where reading goes on. What lies outside the file is left out: the
        reader refuses it in its own words."""
        block = (self._begin + at) // BLOCK
        if block in self._pieces.have and self._begin + at + count <= (block + 1) * BLOCK:
            return  # as nearly always
        start, stop = max(at, 0), min(at + count, len(self.view))
        if start < stop:
            self._pieces.bring_on(self._begin + start, self._begin + stop)

    def need_all(self, spans: Iterable[Span]) -> None:
        """Have several spans at hand, with one wait for all of them."""
        begin, size = self._begin, len(self.view)
        inside = ((max(start, 0), min(stop, size)) for start, stop in spans)
        self._pieces.bring((begin + start, begin + stop) for start, stop in inside if start < stop)

    def part(self, begin: int, end: int) -> Sparse:
        """Some of these bytes, by positions of their own."""
        return Sparse(self._pieces, self._begin + begin, self._begin + end)

    def flatbuffer(self) -> Flatbuffer:
        return FetchedFlatbuffer(self)


class Pieces:
    """The map, and which blocks of it are filled."""

    def __init__(self, size: int, fetch: Fetch) -> None:
        self.map = _reserved(size)
        self.fetched = 0
        """Bytes asked for so far."""
        self._size = size
        self._fetch = fetch
        self.have: set[int] = set()
        """Blocks that are filled."""
        self._ahead = 1
        self._last: Span = (-1, -1)

    def bring(self, spans: Iterable[Span]) -> None:
        wanted = {block for start, stop in spans for block in range(start // BLOCK, (stop - 1) // BLOCK + 1)}
        if missing := sorted(wanted - self.have):
            self._fill(list(_runs(missing)))

    def bring_on(self, start: int, stop: int) -> None:
        """Fetch one span, and twice as much beyond it as the last time if it continues what was fetched then:
        flatbuffers are read upwards or downwards."""
        missing = [block for block in range(start // BLOCK, (stop - 1) // BLOCK + 1) if block not in self.have]
        if not missing:
            return
        first, end = missing[0], missing[-1] + 1
        upwards, downwards = first == self._last[1], end == self._last[0]
        self._ahead = min(2 * self._ahead, MAX_AHEAD) if upwards or downwards else 1
        if upwards:
            end = min(end + self._ahead, -(-self._size // BLOCK))
        elif downwards:
            first = max(first - self._ahead, 0)
        self._last = (first, end)
        self._fill([self._last])

    def put(self, data: bytes) -> None:
        """Take in the whole file."""
        self.fetched += len(data)
        self.map[:] = data
        self.have.update(range(-(-self._size // BLOCK)))

    def _fill(self, runs: Sequence[Span]) -> None:
        """Fetch these blocks."""
        spans = [(first * BLOCK, min(stop * BLOCK, self._size)) for first, stop in runs]
        self.fetched += sum(stop - start for start, stop in spans)
        if self.fetched > MAX_FETCHED:
            raise ModelError(f"more than {MAX_FETCHED >> 20} MiB of it would have to be fetched")
        for (start, stop), data in zip(spans, self._fetch(spans), strict=True):
            self.map[start:stop] = data
        for first, stop in runs:
            self.have.update(range(first, stop))


def _runs(blocks: Sequence[int]) -> Iterator[Span]:
    """Sorted blocks as spans, those joined that lie close together."""
    first = last = blocks[0]
    for block in blocks[1:]:
        if block - last > GAP:
            yield first, last + 1
            first = block
        last = block
    yield first, last + 1


def _reserved(size: int) -> mmap.mmap:
    try:
        if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
            return mmap.mmap(-1, size)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        return mmap.mmap(-1, size, flags=flags)
    except (OSError, ValueError, OverflowError) as error:
        raise ModelError(f"no room to map {size} bytes: {error}") from error


class FetchedFlatbuffer(Flatbuffer):
    """A flatbuffer whose bytes are asked for where a position is followed."""

    __slots__ = ("_bytes",)

    def __init__(self, data: Sparse) -> None:
        super().__init__(data.view, len(data))  # type: ignore[arg-type]
        self._bytes = data

    def root(self) -> Table:
        self._bytes.need(0, 8)
        return super().root()

    def follow(self, at: int, what: str) -> int:
        target = super().follow(at, what)
        self._bytes.need(target, 4)
        return target

    def table_at(self, at: int, what: str) -> Table:
        table = super().table_at(at, what)
        self._bytes.need(at, table.length)
        return table

    def _vtable(self, vtable: int, at: int, what: str) -> tuple[int, tuple[int, ...]]:
        self._bytes.need(vtable, 4)
        if 0 <= vtable <= self.size - 4:
            self._bytes.need(vtable, int.from_bytes(self.data[vtable : vtable + 2], "little"))
        return super()._vtable(vtable, at, what)

    def claim(self, at: int, nbytes: int, held: int) -> None:
        super().claim(at, nbytes, held)
        self._bytes.need(at, nbytes)

    def expect(self, spans: Iterable[Span]) -> None:
        spans = list(spans)
        ends = accumulate(stop - start for start, stop in spans)
        self._bytes.need_all(span for span, end in zip(spans, ends, strict=True) if end <= MAX_EXPECTED)

    def tables(self, start: int, count: int, what: str) -> list[Table]:
        self._bytes.need(start, 4 * count)
        offsets = struct.unpack_from(f"<{count}I", self._bytes.view, start)
        targets = [start + 4 * index + offset for index, offset in enumerate(offsets)]
        self._bytes.need_all((target, target + TABLE) for target in targets)
        return super().tables(start, count, what)


class FileFlatbuffer(FetchedFlatbuffer):
    """One of a file on this machine. Its constants are read when they are asked for: there is no wait to spare."""

    __slots__ = ()

    def expect(self, spans: Iterable[Span]) -> None:
        pass
