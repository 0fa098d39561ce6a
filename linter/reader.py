"""Bytes → `Model`. Reading is verifying: see `linter.flatbuffer`; here every index is checked against what it indexes.

Slot numbers are those of ``tflite/converter/schema/schema.fbs`` at LiteRT v2.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import options as schema_options
from .constants import HEAD_BYTES, SMALL_BYTES
from .errors import ModelError
from .flatbuffer import (
    BOOL,
    INT8,
    INT32,
    UINT8,
    UINT32,
    UINT64,
    Bytes,
    Flatbuffer,
    Table,
    flatbuffer,
)
from .model import (
    Buffer,
    ExternalBuffer,
    Model,
    Operator,
    OperatorCode,
    Quantization,
    Signature,
    Subgraph,
    Tensor,
)
from .names import BUILTIN_OPERATORS, ELEMENT_TYPES
from .source import opened, refuse_foreign

CUSTOM = BUILTIN_OPERATORS.number("CUSTOM")

MAX_RANK = 255
"""Dimensions of a tensor. Kernels know 8; this keeps the number of elements one that can be computed and printed."""

_DETAILS = {0: "affine", 1: "custom", 2: "blockwise", 3: "multi-axis"}
"""QuantizationDetails union members (multi-axis since v2.2.0)."""


@contextmanager
def read_file(path: Path) -> Iterator[Model]:
    """The model in a file. Constants can be read only inside the `with` block: the file is open for its duration."""
    with opened(path) as data:
        yield read(data, str(path))


def read(data: Bytes, path: str = "<bytes>") -> Model:
    """The model in `data`. ModelError says what is damaged and at which byte."""
    refuse_foreign(data)
    source = flatbuffer(data)
    root = source.root()
    buffers = tuple(_buffer(source, index, table) for index, table in enumerate(root.tables(4, "buffers")))
    codes = tuple(_code(index, table) for index, table in enumerate(root.tables(1, "operator_codes")))
    signatures = [_signature(table) for table in root.tables(7, "signature_defs")]
    tables = root.tables(2, "subgraphs")
    subgraphs = tuple(_subgraph(index, table, buffers, codes, signatures) for index, table in enumerate(tables))
    _check_signatures(root, signatures, subgraphs)
    _check_subgraph_references(subgraphs)
    groups = [table.text(0, "external buffer group") for table in root.tables(8, "external_buffer_groups")]
    source.expect(_head(buffer) for buffer in buffers if buffer.start is not None)
    size = len(data)

    def fetch(start: int, count: int) -> bytes:
        if start < 0 or count < 0 or start + count > size:
            raise ModelError(f"{count} bytes of constant data run past the end of the file", start)
        return data[start : start + count]

    return Model(
        path=path,
        size=size,
        schema_version=root.integer(0, UINT32),
        description=root.text(3, "description"),
        operator_codes=codes,
        subgraphs=subgraphs,
        signatures=tuple(signatures),
        buffers=buffers,
        external_buffers=tuple(_external_buffer(table, groups) for table in root.tables(9, "external_buffers")),
        metadata=tuple(_metadata(root, buffers)),
        fetch=fetch,
        expect=source.expect,
    )


def _buffer(source: Flatbuffer, index: int, table: Table) -> Buffer:
    offset, size = table.integer(1, UINT64), table.integer(2, UINT64)
    if offset > 1:  # 0 and 1 mean "not used" (tflite/core/model_builder and interpreter_builder.cc, v2.2.0)
        if offset + size > source.size:
            raise ModelError(
                f"data of buffer {index} ({size} bytes at {offset}) lies outside the file",
                table.where(1),
            )
        return Buffer(index, offset, size, present=True, appended=True)
    span = table.span(0, 1, f"data of buffer {index}")
    if span is None:
        return Buffer(index, None, 0, present=False, appended=False)
    return Buffer(index, span[0], span[1], present=True, appended=False)


def _head(buffer: Buffer) -> tuple[int, int]:
    """Where the bytes of a constant lie that checks read of every model: all of a small one, the first of weights."""
    start = buffer.start or 0
    return start, start + (buffer.size if buffer.size <= SMALL_BYTES else HEAD_BYTES)


def _code(index: int, table: Table) -> OperatorCode:
    # The old field is a byte and the new one an int32; a writer may leave either at 0, so the larger counts
    # (schema_utils.cc).
    number = max(table.integer(0, INT8), table.integer(3, INT32))
    return OperatorCode(
        index=index,
        name=BUILTIN_OPERATORS[number],
        version=table.integer(2, INT32, 1),
        custom_code=table.text(1, "custom_code") if number == CUSTOM else None,
        offset=table.at,
    )


def _subgraph(
    index: int,
    table: Table,
    buffers: tuple[Buffer, ...],
    codes: tuple[OperatorCode, ...],
    signatures: list[Signature],
) -> Subgraph:
    where = f"subgraph {index}"
    tensors = tuple(
        _tensor(number, entry, buffers, where) for number, entry in enumerate(table.tables(0, f"tensors of {where}"))
    )
    count = len(tensors)
    inputs = _indices(table, 1, count, f"inputs of {where}", absent=True)
    outputs = _indices(table, 2, count, f"outputs of {where}", absent=True)
    operators = tuple(
        _operator(number, entry, count, codes, where)
        for number, entry in enumerate(table.tables(3, f"operators of {where}"))
    )
    producers: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for operator in operators:
        for tensor in dict.fromkeys(operator.inputs):
            if tensor >= 0:
                readers.setdefault(tensor, []).append(operator.index)
        for tensor in operator.outputs:
            if tensor >= 0:
                producers[tensor] = operator.index
    names: dict[int, str] = {}
    for signature in signatures:
        if signature.subgraph == index:
            names.update((tensor, name) for name, tensor in signature.inputs + signature.outputs)
    return Subgraph(
        index=index,
        name=table.text(4, f"name of {where}") or "",
        tensors=tensors,
        inputs=inputs,
        outputs=outputs,
        operators=operators,
        offset=table.at,
        producers=producers,
        consumers={tensor: tuple(indices) for tensor, indices in readers.items()},
        signature_names=names,
    )


def _indices(table: Table, slot: int, count: int, what: str, absent: bool) -> tuple[int, ...]:
    """A vector of tensor indices, each below `count`, or -1 where `absent` tensors are allowed."""
    indices = table.numbers(slot, INT32, what) or ()
    lowest = -1 if absent else 0
    for position, index in enumerate(indices):
        if not lowest <= index < count:
            span = table.span(slot, 4, what)
            at = span[0] + 4 * position if span else table.at
            raise ModelError(f"{what}: tensor index {index} is not one of {count} tensors", at)
    return indices


def _tensor(index: int, table: Table, buffers: tuple[Buffer, ...], where: str) -> Tensor:
    what = f"tensor {index} of {where}"
    shape = table.numbers(0, INT32, f"shape of {what}")
    if shape is not None and len(shape) > MAX_RANK:
        raise ModelError(f"{what} has {len(shape)} dimensions, more than {MAX_RANK}", table.where(0))
    buffer = table.integer(2, UINT32)
    if buffer >= len(buffers) and buffer:
        raise ModelError(f"{what}: buffer index {buffer} is not one of {len(buffers)} buffers", table.where(2))
    quantization = table.table(4, f"quantization of {what}")
    return Tensor(
        index=index,
        name=table.text(3, f"name of {what}") or "",
        type=ELEMENT_TYPES[table.integer(1, INT8)],
        shape=shape or (),
        has_shape=shape is not None or bool(table.integer(8, BOOL)),
        signature=table.numbers(7, INT32, f"shape signature of {what}"),
        buffer=buffer,
        constant=buffer != 0 and buffers[buffer].present,
        variable=bool(table.integer(5, BOOL)),
        quantization=None if quantization is None else _quantization(quantization, what),
        sparse=table.table(6, f"sparsity of {what}") is not None,
        external_buffer=table.integer(10, UINT32),
        offset=table.at,
    )


def _quantization(table: Table, what: str) -> Quantization:
    scales = table.span(2, 4, f"scales of {what}") or (0, 0)
    zero_points = table.span(3, 8, f"zero points of {what}") or (0, 0)
    kind = _DETAILS.get(table.integer(4, UINT8), "unknown")
    details = table.table(5, f"quantization details of {what}") if kind in ("blockwise", "multi-axis") else None
    return Quantization(
        kind=kind if kind not in ("blockwise", "multi-axis") or details is not None else "affine",
        scale_count=scales[1],
        scales_at=scales[0],
        zero_point_count=zero_points[1],
        zero_points_at=zero_points[0],
        axis=table.integer(6, INT32),
        scales_tensor=-1 if details is None else details.integer(0, INT32),
        zero_points_tensor=-1 if details is None else details.integer(1, INT32),
        block_size=0 if details is None else details.integer(2, INT32),
    )


def _operator(index: int, table: Table, tensors: int, codes: tuple[OperatorCode, ...], where: str) -> Operator:
    what = f"operator {index} of {where}"
    code = table.integer(0, UINT32)
    if code >= len(codes):
        at = table.where(0)
        raise ModelError(
            f"{what}: operator code {code} is not one of {len(codes)}",
            table.at if at is None else at,
        )
    entry = codes[code]
    options = schema_options.decode(table.table(4, f"options of {what}"), table.integer(3, UINT8), second=False)
    if options is None:
        options = schema_options.decode(table.table(12, f"options of {what}"), table.integer(11, UINT8), second=True)
    # Custom options stay in the file; a large payload may lie behind the flatbuffer, like a large buffer.
    custom = table.span(5, 1, f"custom options of {what}") or (0, 0)
    if table.integer(9, UINT64) > 1:
        custom = (table.integer(9, UINT64), table.integer(10, UINT64))
        if sum(custom) > table.source.size:
            raise ModelError(f"custom options of {what} lie outside the file", table.where(9))
    return Operator(
        index=index,
        name=entry.name,
        version=entry.version,
        inputs=_indices(table, 1, tensors, f"inputs of {what}", absent=True),
        outputs=_indices(table, 2, tensors, f"outputs of {what}", absent=True),
        intermediates=_indices(table, 8, tensors, f"intermediates of {what}", absent=True),
        options=options,
        custom_code=entry.custom_code,
        custom_options_at=custom[0],
        custom_options_size=custom[1],
        code=code,
        offset=table.at,
    )


def _signature(table: Table) -> Signature:
    def names(slot: int, what: str) -> tuple[tuple[str, int], ...]:
        entries = table.tables(slot, f"signature {what}")
        return tuple(
            (entry.text(0, f"name of a signature {what}") or "", entry.integer(1, UINT32)) for entry in entries
        )

    return Signature(
        key=table.text(2, "signature key") or "",
        subgraph=table.integer(4, UINT32),
        inputs=names(0, "inputs"),
        outputs=names(1, "outputs"),
    )


def _check_signatures(root: Table, signatures: list[Signature], subgraphs: tuple[Subgraph, ...]) -> None:
    for signature, table in zip(signatures, root.tables(7, "signature_defs"), strict=True):
        if signature.subgraph >= len(subgraphs):
            raise ModelError(
                f"signature {signature.key!r}: subgraph {signature.subgraph} is not one of {len(subgraphs)}",
                table.at,
            )
        tensors = len(subgraphs[signature.subgraph].tensors)
        for name, tensor in signature.inputs + signature.outputs:
            if tensor >= tensors:
                raise ModelError(
                    f"signature {signature.key!r}: tensor {tensor} of {name!r} is not one of {tensors}",
                    table.at,
                )


def _check_subgraph_references(subgraphs: tuple[Subgraph, ...]) -> None:
    """IF, WHILE, CALL, CALL_ONCE and composites name subgraphs by index."""
    for subgraph in subgraphs:
        for operator in subgraph.operators:
            for reference in called_subgraphs(operator):
                if not 0 <= reference < len(subgraphs):
                    raise ModelError(
                        f"operator {operator.index} of subgraph {subgraph.index} ({operator.name}): "
                        f"subgraph {reference} is not one of {len(subgraphs)}",
                        operator.offset,
                    )


def called_subgraphs(operator: Operator) -> tuple[int, ...]:
    """The subgraphs that an operator names in its options."""
    options = operator.options
    if isinstance(options, schema_options.IfOptions):
        return (options.then_subgraph_index, options.else_subgraph_index)
    if isinstance(options, schema_options.WhileOptions):
        return (options.cond_subgraph_index, options.body_subgraph_index)
    if isinstance(options, schema_options.CallOnceOptions):
        return (options.init_subgraph_index,)
    if isinstance(options, schema_options.StableHLOCompositeOptions):
        # A composite may leave its decomposition out: -1, and 0 is the schema's default.
        index = options.decomposition_subgraph_index
        return (index,) if index >= 0 else ()
    if isinstance(options, schema_options.StablehloWhileOptions):
        return (options.cond_subgraph_index, options.body_subgraph_index)
    return ()


def _metadata(root: Table, buffers: tuple[Buffer, ...]) -> Iterator[tuple[str, int]]:
    for table in root.tables(6, "metadata"):
        buffer = table.integer(1, UINT32)
        if buffer >= len(buffers):
            raise ModelError(f"metadata: buffer index {buffer} is not one of {len(buffers)} buffers", table.at)
        yield table.text(0, "metadata name") or "", buffer


def _external_buffer(table: Table, groups: list[str | None]) -> ExternalBuffer:
    group = table.integer(1, UINT32)
    if groups and group >= len(groups):
        raise ModelError(f"external buffer group {group} is not one of {len(groups)}", table.at)
    return ExternalBuffer(
        id=table.integer(0, UINT32),
        group=groups[group] if groups else None,
        offset=table.integer(2, UINT64),
        length=table.integer(3, UINT64),
        packing=table.text(4, "external buffer packing"),
    )
