"""Bundles made for tests."""

from __future__ import annotations

import struct

import flatbuffers  # type: ignore[import-untyped, unused-ignore]


def litertlm(*sections: tuple[int, bytes], shift: int = 0, block: int = 16 * 1024) -> bytes:
    """A .litertlm file of sections by type number, each at a multiple of `block`. `shift` moves where all but the first
    say that they begin, to make them overlap."""
    at = block
    spans = []
    for _, data in sections:
        spans.append((at, at + len(data)))
        at += -(-len(data) // block) * block
    builder = flatbuffers.Builder(1024)
    tables = []
    for number, ((kind, _), (begin, end)) in enumerate(zip(sections, spans, strict=True)):
        builder.StartObject(4)
        builder.PrependUint64Slot(1, begin + (shift if number else 0), 0)
        builder.PrependUint64Slot(2, end, 0)
        builder.PrependUint8Slot(3, kind, 0)
        tables.append(builder.EndObject())
    builder.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        builder.PrependUOffsetTRelative(table)
    objects = builder.EndVector()
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, objects, 0)
    listed = builder.EndObject()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(1, listed, 0)
    builder.Finish(builder.EndObject())
    header = bytes(builder.Output())
    file = bytearray(b"LITERTLM" + struct.pack("<IIII", 1, 0, 0, 0) + struct.pack("<Q", 32 + len(header)) + header)
    for (_, data), (begin, end) in zip(sections, spans, strict=True):
        file.extend(bytes(end - len(file)) if end > len(file) else b"")
        file[begin:end] = data
    return bytes(file)
