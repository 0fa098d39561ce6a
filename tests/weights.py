"""Files of gigabytes that take no room on the disk."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from tflint.fixtures.builder import Graph
from tflint.linter.flatbuffer import UINT64, Flatbuffer


def dense(rows: int, *, outside: bool) -> bytes:
    """FULLY_CONNECTED over 1024 columns, its weights to be stretched."""
    g = Graph()
    x = g.input([1, 1024])
    weights = g.const(shape=[rows, 1024], data=bytes(64), outside=outside, name="weights")
    g.output(g.op("FULLY_CONNECTED", x, weights, out=[1, rows]))
    return g.build()


def stretched(path: Path, data: bytes, size: int) -> Path:
    """The file with its one large constant grown to `size` bytes, which take no room on the disk."""
    root = Flatbuffer(data, len(data)).root()
    (table,) = (t for t in root.tables(4, "buffers") if t.integer(2, UINT64) or (t.span(0, 1, "") or (0, 0))[1])
    changed, end = bytearray(data), -(-len(data) // 16) * 16
    changed.extend(bytes(end - len(data)))
    vector, length = table.where(0), table.where(2)
    if length is not None:
        struct.pack_into("<Q", changed, length, size)
        end = table.integer(1, UINT64)
    else:
        assert vector is not None
        struct.pack_into("<I", changed, vector, end + 12 - vector)
        changed.extend(bytes(12) + struct.pack("<I", size))
        end += 16
    path.write_bytes(changed)
    os.truncate(path, end + size)
    return path
