"""What a `.tflite` file says, as read-only records.

Positions named `offset` are byte offsets in the file. Indices are those of the flatbuffer. Nothing here holds
weights: constants are read on demand through `Model.constant_bytes` and the functions of `linter.constants`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from .names import Name
from .options import Options

OptionsT = TypeVar("OptionsT", bound=Options)


class Buffer(NamedTuple):
    """Where a constant's bytes are. `start` is an absolute byte offset; None when the bytes are not in this file."""

    index: int  # type: ignore[assignment]
    start: int | None
    size: int
    present: bool
    """The table has a data vector (even an empty one) or an offset > 1, which is what makes a tensor constant."""
    appended: bool
    """Stored behind the flatbuffer through `offset` and `size`, as models above 2 GB are."""


class ExternalBuffer(NamedTuple):
    """Constant bytes kept in another file (schema of LiteRT 2.1.0 and later)."""

    id: int
    group: str | None
    offset: int
    length: int
    packing: str | None


class Quantization(NamedTuple):
    """Quantization parameters. `kind` is affine, blockwise, multi-axis or custom; the scales stay in the file
    (`scales_at`)."""

    kind: str
    scale_count: int
    scales_at: int
    """Byte offset of the first float32 scale; meaningful when scale_count > 0."""
    zero_point_count: int
    zero_points_at: int
    """Byte offset of the first int64 zero point; meaningful when zero_point_count > 0."""
    axis: int
    """quantized_dimension: which axis the scales run along."""
    block_size: int = 0
    scales_tensor: int = -1
    zero_points_tensor: int = -1

    @property
    def present(self) -> bool:
        """Whether the runtime sees quantization: affine needs at least one scale (interpreter_builder.cc, v2.2.0)."""
        return self.kind in ("blockwise", "multi-axis") or self.scale_count > 0

    @property
    def per_channel(self) -> bool:
        return self.scale_count > 1


class Tensor(NamedTuple):
    """One tensor of a subgraph."""

    index: int  # type: ignore[assignment]
    name: str
    type: Name
    shape: tuple[int, ...]
    """Static shape; `()` is a scalar, or unknown rank where `has_shape` is False."""
    has_shape: bool
    signature: tuple[int, ...] | None
    """shape_signature: -1 where a dimension may change at run time; None when the writer gave none."""
    buffer: int
    constant: bool
    """Its buffer is not 0 and holds data or an offset (interpreter_builder.cc, v2.2.0)."""
    variable: bool
    quantization: Quantization | None
    sparse: bool
    external_buffer: int
    offset: int

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def quantized(self) -> bool:
        return self.quantization is not None and self.quantization.present


class Operator(NamedTuple):
    """One operator in execution order. An input index of -1 is an absent optional input."""

    index: int  # type: ignore[assignment]
    name: Name
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: Options | None
    custom_code: str | None
    custom_options_at: int
    custom_options_size: int
    code: int
    """Index into the model's operator codes."""
    offset: int

    def options_of(self, kind: type[OptionsT]) -> OptionsT | None:
        """The options when they are of the schema table `kind`, else None."""
        return self.options if isinstance(self.options, kind) else None

    @property
    def title(self) -> str:
        """As the runtime prints it: a custom operator carries its own name behind CUSTOM."""
        return f"{self.name} {self.custom_code}" if self.name == "CUSTOM" else str(self.name)

    @property
    def activation(self) -> str:
        """The fused activation, ``NONE`` where there is none or the operator has no such option."""
        return str(getattr(self.options, "fused_activation_function", "NONE"))


class OperatorCode(NamedTuple):
    """One entry of the operator code table, used or not: the runtime resolves them all at load."""

    index: int  # type: ignore[assignment]
    name: Name
    version: int
    custom_code: str | None
    offset: int


class Signature(NamedTuple):
    """A named entry point: its names for the inputs and outputs of one subgraph."""

    key: str
    subgraph: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


class Subgraph(NamedTuple):
    """Tensors, and the operators that connect them, in execution order."""

    index: int  # type: ignore[assignment]
    name: str
    tensors: tuple[Tensor, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[Operator, ...]
    offset: int
    producers: dict[int, int]
    """Tensor index to the index of the (last) operator that writes it; no entry for graph inputs and constants."""
    consumers: dict[int, tuple[int, ...]]
    """Tensor index to the operators that read it, one entry an operator, in order."""
    signature_names: dict[int, str]
    """Names that signatures give to this subgraph's inputs and outputs; the runtime's messages use them."""

    def label(self, tensor: int) -> str:
        """The name that the runtime prints for a tensor (CompiledModel renames signature inputs and outputs)."""
        return self.signature_names.get(tensor, self.tensors[tensor].name)

    def producer(self, tensor: int) -> Operator | None:
        index = self.producers.get(tensor)
        return None if index is None else self.operators[index]

    def readers(self, tensor: int) -> tuple[Operator, ...]:
        return tuple(self.operators[index] for index in self.consumers.get(tensor, ()))


class Model(NamedTuple):
    """A whole file."""

    path: str
    size: int
    schema_version: int
    description: str | None
    operator_codes: tuple[OperatorCode, ...]
    subgraphs: tuple[Subgraph, ...]
    signatures: tuple[Signature, ...]
    buffers: tuple[Buffer, ...]
    external_buffers: tuple[ExternalBuffer, ...]
    metadata: tuple[tuple[str, int], ...]
    """Name and buffer index of each metadata entry."""
    fetch: Callable[[int, int], bytes]
    """Bytes of the file: (offset, count) → bytes, checked against the file's size."""
    expect: Callable[[Iterable[tuple[int, int]]], None] = lambda spans: None
    """Told which bytes `fetch` will be asked for, each span from a first to behind a last: a remote file fetches them
    with one wait."""

    def constant_bytes(self, tensor: Tensor, limit: int) -> bytes | None:
        """A constant's bytes; None when it is not constant, not in this file, or larger than `limit` bytes."""
        if not tensor.constant:
            return None
        buffer = self.buffers[tensor.buffer]
        if buffer.start is None or buffer.size > limit:
            return None
        return self.fetch(buffer.start, buffer.size)

    def constant_size(self, tensor: Tensor) -> int:
        """Bytes that a constant takes in the file; 0 for a runtime tensor."""
        return self.buffers[tensor.buffer].size if tensor.constant else 0
