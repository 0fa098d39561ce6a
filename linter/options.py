"""Operator options as typed, read-only records: one class a schema table, decoded (and so verified) as a whole.

Source: ``tflite/converter/schema/schema.fbs`` of LiteRT v2.2.0, table by table under the schema's own names. A
field says its slot in the table; one that the writer left out has the schema's default."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from .flatbuffer import (
    BOOL,
    FLOAT32,
    INT8,
    INT32,
    INT64,
    UINT8,
    UINT32,
    Scalar,
    Table,
)
from .names import (
    ACTIVATION_FUNCTION_TYPE,
    BUILTIN_OPTIONS,
    BUILTIN_OPTIONS2,
    COMBINER_TYPE,
    CUSTOM_OPTIONS_FORMAT,
    ELEMENT_TYPES,
    FULLY_CONNECTED_OPTIONS_WEIGHTS_FORMAT,
    LSH_PROJECTION_TYPE,
    LSTM_KERNEL_TYPE,
    MIRROR_PAD_MODE,
    PADDING,
    RNG_ALGORITHM,
    STABLEHLO_COMPARISON_DIRECTION,
    STABLEHLO_COMPARISON_TYPE,
    Enumeration,
    Name,
)


class Field:
    """One field of an options table, read once when the record is made."""

    __slots__ = ("default", "index", "kind", "name", "read", "slot", "values")

    def __init__(
        self,
        slot: int,
        read: str,
        kind: Scalar,
        default: Any = 0,
        values: Enumeration | None = None,
    ) -> None:
        self.slot = slot
        self.read = read
        self.kind = kind
        self.default = default
        self.values = values
        self.index = -1
        self.name = ""

    def decode(self, table: Table) -> Any:
        if self.read == "number":
            number = table.number(self.slot, self.kind, self.default)
            if self.values is not None:
                return self.values[cast(int, number)]
            return bool(number) if self.kind is BOOL else number
        if self.read == "numbers":
            return table.numbers(self.slot, self.kind, self.name) or ()
        if self.read == "text":
            return table.text(self.slot, self.name)
        span = table.span(self.slot, 1, self.name)
        if span is None:
            return None
        start, count = span
        table.source.claim(start, count, count)
        return bytes(table.source.data[start : start + count])

    def __get__(self, record: Options, owner: type[Options]) -> Any:
        return record._values[self.index]

    def __set__(self, record: Options, value: Any) -> None:
        raise AttributeError(f"{type(record).__name__}.{self.name} is read-only")


def int32(slot: int, default: int = 0) -> int:
    return cast(int, Field(slot, "number", INT32, default))


def uint32(slot: int, default: int = 0) -> int:
    return cast(int, Field(slot, "number", UINT32, default))


def int64(slot: int, default: int = 0) -> int:
    return cast(int, Field(slot, "number", INT64, default))


def float32(slot: int, default: float = 0.0) -> float:
    return cast(float, Field(slot, "number", FLOAT32, default))


def boolean(slot: int, default: bool = False) -> bool:
    return cast(bool, Field(slot, "number", BOOL, default))


def enum(slot: int, values: Enumeration, width: str = "b", default: int = 0) -> Name:
    kind = {"b": INT8, "i": INT32, "I": UINT32}[width]
    return cast(Name, Field(slot, "number", kind, default, values))


def string(slot: int) -> str | None:
    return cast("str | None", Field(slot, "text", UINT8))


def raw(slot: int) -> bytes | None:
    """Bytes; None where the writer left them out, which is not the same as none of them."""
    return cast("bytes | None", Field(slot, "bytes", UINT8))


def int32s(slot: int) -> tuple[int, ...]:
    return cast("tuple[int, ...]", Field(slot, "numbers", INT32))


def int64s(slot: int) -> tuple[int, ...]:
    return cast("tuple[int, ...]", Field(slot, "numbers", INT64))


def uint8s(slot: int) -> tuple[int, ...]:
    return cast("tuple[int, ...]", Field(slot, "numbers", UINT8))


def uint32s(slot: int) -> tuple[int, ...]:
    return cast("tuple[int, ...]", Field(slot, "numbers", UINT32))


def float32s(slot: int) -> tuple[int, ...]:
    return cast("tuple[int, ...]", Field(slot, "numbers", FLOAT32))


class Options:
    """The options of one operator."""

    __slots__ = ("_values",)
    _values: tuple[Any, ...]
    FIELDS: ClassVar[tuple[Field, ...]] = ()

    def __init_subclass__(cls) -> None:
        fields: list[Field] = []
        for name, field in vars(cls).items():
            if isinstance(field, Field):
                field.name = name
                field.index = len(fields)
                fields.append(field)
        cls.FIELDS = tuple(fields)
        BY_NAME[cls.__name__] = cls

    @classmethod
    def decode(cls, table: Table) -> Options:
        record = cls.__new__(cls)
        object.__setattr__(record, "_values", tuple([field.decode(table) for field in cls.FIELDS]))
        return record

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._values == self._values

    def __hash__(self) -> int:
        return hash((type(self), self._values))

    def __repr__(self) -> str:
        pairs = ", ".join(f"{f.name}={v!r}" for f, v in zip(self.FIELDS, self._values, strict=True))
        return f"{type(self).__name__}({pairs})"


BY_NAME: dict[str, type[Options]] = {}


def decode(table: Table | None, number: int, second: bool) -> Options | None:
    """The options record of BuiltinOptions (or, `second`, BuiltinOptions2) member `number`; None when absent or
    newer than the schema."""
    if table is None or number == 0:
        return None
    kind = BY_NAME.get((BUILTIN_OPTIONS2 if second else BUILTIN_OPTIONS)[number])
    return None if kind is None else kind.decode(table)


class Conv2DOptions(Options):
    __slots__ = ()
    padding: Name = enum(0, PADDING)
    stride_w: int = int32(1)
    stride_h: int = int32(2)
    fused_activation_function: Name = enum(3, ACTIVATION_FUNCTION_TYPE)
    dilation_w_factor: int = int32(4, default=1)
    dilation_h_factor: int = int32(5, default=1)
    quantized_bias_type: Name = enum(6, ELEMENT_TYPES)


class DepthwiseConv2DOptions(Options):
    __slots__ = ()
    padding: Name = enum(0, PADDING)
    stride_w: int = int32(1)
    stride_h: int = int32(2)
    depth_multiplier: int = int32(3)
    fused_activation_function: Name = enum(4, ACTIVATION_FUNCTION_TYPE)
    dilation_w_factor: int = int32(5, default=1)
    dilation_h_factor: int = int32(6, default=1)


class ConcatEmbeddingsOptions(Options):
    __slots__ = ()
    num_channels: int = int32(0)
    num_columns_per_channel: tuple[int, ...] = int32s(1)
    embedding_dim_per_channel: tuple[int, ...] = int32s(2)


class LSHProjectionOptions(Options):
    __slots__ = ()
    type: Name = enum(0, LSH_PROJECTION_TYPE)


class Pool2DOptions(Options):
    __slots__ = ()
    padding: Name = enum(0, PADDING)
    stride_w: int = int32(1)
    stride_h: int = int32(2)
    filter_width: int = int32(3)
    filter_height: int = int32(4)
    fused_activation_function: Name = enum(5, ACTIVATION_FUNCTION_TYPE)


class SVDFOptions(Options):
    __slots__ = ()
    rank: int = int32(0)
    fused_activation_function: Name = enum(1, ACTIVATION_FUNCTION_TYPE)
    asymmetric_quantize_inputs: bool = boolean(2)


class RNNOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    asymmetric_quantize_inputs: bool = boolean(1)


class FullyConnectedOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    weights_format: Name = enum(1, FULLY_CONNECTED_OPTIONS_WEIGHTS_FORMAT)
    keep_num_dims: bool = boolean(2)
    asymmetric_quantize_inputs: bool = boolean(3)
    quantized_bias_type: Name = enum(4, ELEMENT_TYPES)


class SoftmaxOptions(Options):
    __slots__ = ()
    beta: float = float32(0)


class ConcatenationOptions(Options):
    __slots__ = ()
    axis: int = int32(0)
    fused_activation_function: Name = enum(1, ACTIVATION_FUNCTION_TYPE)


class AddOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    pot_scale_int16: bool = boolean(1, default=True)


class L2NormOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)


class LocalResponseNormalizationOptions(Options):
    __slots__ = ()
    radius: int = int32(0)
    bias: float = float32(1)
    alpha: float = float32(2)
    beta: float = float32(3)


class LSTMOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    cell_clip: float = float32(1)
    proj_clip: float = float32(2)
    kernel_type: Name = enum(3, LSTM_KERNEL_TYPE)
    asymmetric_quantize_inputs: bool = boolean(4)


class ResizeBilinearOptions(Options):
    __slots__ = ()
    align_corners: bool = boolean(2)
    half_pixel_centers: bool = boolean(3)


class CallOptions(Options):
    __slots__ = ()
    subgraph: int = uint32(0)


class ReshapeOptions(Options):
    __slots__ = ()
    new_shape: tuple[int, ...] = int32s(0)


class SkipGramOptions(Options):
    __slots__ = ()
    ngram_size: int = int32(0)
    max_skip_size: int = int32(1)
    include_all_ngrams: bool = boolean(2)


class SpaceToDepthOptions(Options):
    __slots__ = ()
    block_size: int = int32(0)


class EmbeddingLookupSparseOptions(Options):
    __slots__ = ()
    combiner: Name = enum(0, COMBINER_TYPE)


class MulOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)


class PadOptions(Options):
    __slots__ = ()


class GatherOptions(Options):
    __slots__ = ()
    axis: int = int32(0)
    batch_dims: int = int32(1)


class BatchToSpaceNDOptions(Options):
    __slots__ = ()


class SpaceToBatchNDOptions(Options):
    __slots__ = ()


class TransposeOptions(Options):
    __slots__ = ()


class ReducerOptions(Options):
    __slots__ = ()
    keep_dims: bool = boolean(0)


class SubOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    pot_scale_int16: bool = boolean(1, default=True)


class DivOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)


class SqueezeOptions(Options):
    __slots__ = ()
    squeeze_dims: tuple[int, ...] = int32s(0)


class SequenceRNNOptions(Options):
    __slots__ = ()
    time_major: bool = boolean(0)
    fused_activation_function: Name = enum(1, ACTIVATION_FUNCTION_TYPE)
    asymmetric_quantize_inputs: bool = boolean(2)


class StridedSliceOptions(Options):
    __slots__ = ()
    begin_mask: int = int32(0)
    end_mask: int = int32(1)
    ellipsis_mask: int = int32(2)
    new_axis_mask: int = int32(3)
    shrink_axis_mask: int = int32(4)
    offset: bool = boolean(5)


class ExpOptions(Options):
    __slots__ = ()


class TopKV2Options(Options):
    __slots__ = ()


class SplitOptions(Options):
    __slots__ = ()
    num_splits: int = int32(0)


class LogSoftmaxOptions(Options):
    __slots__ = ()


class CastOptions(Options):
    __slots__ = ()
    in_data_type: Name = enum(0, ELEMENT_TYPES)
    out_data_type: Name = enum(1, ELEMENT_TYPES)


class DequantizeOptions(Options):
    __slots__ = ()


class MaximumMinimumOptions(Options):
    __slots__ = ()


class ArgMaxOptions(Options):
    __slots__ = ()
    output_type: Name = enum(0, ELEMENT_TYPES)


class LessOptions(Options):
    __slots__ = ()


class NegOptions(Options):
    __slots__ = ()


class PadV2Options(Options):
    __slots__ = ()


class GreaterOptions(Options):
    __slots__ = ()


class GreaterEqualOptions(Options):
    __slots__ = ()


class LessEqualOptions(Options):
    __slots__ = ()


class SelectOptions(Options):
    __slots__ = ()


class SliceOptions(Options):
    __slots__ = ()


class TransposeConvOptions(Options):
    __slots__ = ()
    padding: Name = enum(0, PADDING)
    stride_w: int = int32(1)
    stride_h: int = int32(2)
    fused_activation_function: Name = enum(3, ACTIVATION_FUNCTION_TYPE)
    quantized_bias_type: Name = enum(4, ELEMENT_TYPES)


class SparseToDenseOptions(Options):
    __slots__ = ()
    validate_indices: bool = boolean(0)


class TileOptions(Options):
    __slots__ = ()


class ExpandDimsOptions(Options):
    __slots__ = ()


class EqualOptions(Options):
    __slots__ = ()


class NotEqualOptions(Options):
    __slots__ = ()


class ShapeOptions(Options):
    __slots__ = ()
    out_type: Name = enum(0, ELEMENT_TYPES)


class PowOptions(Options):
    __slots__ = ()


class ArgMinOptions(Options):
    __slots__ = ()
    output_type: Name = enum(0, ELEMENT_TYPES)


class FakeQuantOptions(Options):
    __slots__ = ()
    min: float = float32(0)
    max: float = float32(1)
    num_bits: int = int32(2)
    narrow_range: bool = boolean(3)


class PackOptions(Options):
    __slots__ = ()
    values_count: int = int32(0)
    axis: int = int32(1)


class LogicalOrOptions(Options):
    __slots__ = ()


class OneHotOptions(Options):
    __slots__ = ()
    axis: int = int32(0)


class LogicalAndOptions(Options):
    __slots__ = ()


class LogicalNotOptions(Options):
    __slots__ = ()


class UnpackOptions(Options):
    __slots__ = ()
    num: int = int32(0)
    axis: int = int32(1)


class FloorDivOptions(Options):
    __slots__ = ()


class SquareOptions(Options):
    __slots__ = ()


class ZerosLikeOptions(Options):
    __slots__ = ()


class FillOptions(Options):
    __slots__ = ()


class BidirectionalSequenceLSTMOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    cell_clip: float = float32(1)
    proj_clip: float = float32(2)
    merge_outputs: bool = boolean(3)
    time_major: bool = boolean(4, default=True)
    asymmetric_quantize_inputs: bool = boolean(5)


class BidirectionalSequenceRNNOptions(Options):
    __slots__ = ()
    time_major: bool = boolean(0)
    fused_activation_function: Name = enum(1, ACTIVATION_FUNCTION_TYPE)
    merge_outputs: bool = boolean(2)
    asymmetric_quantize_inputs: bool = boolean(3)


class UnidirectionalSequenceLSTMOptions(Options):
    __slots__ = ()
    fused_activation_function: Name = enum(0, ACTIVATION_FUNCTION_TYPE)
    cell_clip: float = float32(1)
    proj_clip: float = float32(2)
    time_major: bool = boolean(3)
    asymmetric_quantize_inputs: bool = boolean(4)
    diagonal_recurrent_tensors: bool = boolean(5)


class FloorModOptions(Options):
    __slots__ = ()


class RangeOptions(Options):
    __slots__ = ()


class ResizeNearestNeighborOptions(Options):
    __slots__ = ()
    align_corners: bool = boolean(0)
    half_pixel_centers: bool = boolean(1)


class LeakyReluOptions(Options):
    __slots__ = ()
    alpha: float = float32(0)


class SquaredDifferenceOptions(Options):
    __slots__ = ()


class MirrorPadOptions(Options):
    __slots__ = ()
    mode: Name = enum(0, MIRROR_PAD_MODE)


class AbsOptions(Options):
    __slots__ = ()


class SplitVOptions(Options):
    __slots__ = ()
    num_splits: int = int32(0)


class UniqueOptions(Options):
    __slots__ = ()
    idx_out_type: Name = enum(0, ELEMENT_TYPES, default=2)


class ReverseV2Options(Options):
    __slots__ = ()


class AddNOptions(Options):
    __slots__ = ()


class GatherNdOptions(Options):
    __slots__ = ()


class CosOptions(Options):
    __slots__ = ()


class WhereOptions(Options):
    __slots__ = ()


class RankOptions(Options):
    __slots__ = ()


class ReverseSequenceOptions(Options):
    __slots__ = ()
    seq_dim: int = int32(0)
    batch_dim: int = int32(1)


class MatrixDiagOptions(Options):
    __slots__ = ()


class QuantizeOptions(Options):
    __slots__ = ()


class MatrixSetDiagOptions(Options):
    __slots__ = ()


class HardSwishOptions(Options):
    __slots__ = ()


class IfOptions(Options):
    __slots__ = ()
    then_subgraph_index: int = int32(0)
    else_subgraph_index: int = int32(1)


class WhileOptions(Options):
    __slots__ = ()
    cond_subgraph_index: int = int32(0)
    body_subgraph_index: int = int32(1)


class DepthToSpaceOptions(Options):
    __slots__ = ()
    block_size: int = int32(0)


class NonMaxSuppressionV4Options(Options):
    __slots__ = ()


class NonMaxSuppressionV5Options(Options):
    __slots__ = ()


class ScatterNdOptions(Options):
    __slots__ = ()


class SelectV2Options(Options):
    __slots__ = ()


class DensifyOptions(Options):
    __slots__ = ()


class SegmentSumOptions(Options):
    __slots__ = ()


class BatchMatMulOptions(Options):
    __slots__ = ()
    adj_x: bool = boolean(0)
    adj_y: bool = boolean(1)
    asymmetric_quantize_inputs: bool = boolean(2)


class CumsumOptions(Options):
    __slots__ = ()
    exclusive: bool = boolean(0)
    reverse: bool = boolean(1)


class CallOnceOptions(Options):
    __slots__ = ()
    init_subgraph_index: int = int32(0)


class BroadcastToOptions(Options):
    __slots__ = ()


class Rfft2dOptions(Options):
    __slots__ = ()


class Conv3DOptions(Options):
    __slots__ = ()
    padding: Name = enum(0, PADDING)
    stride_d: int = int32(1)
    stride_w: int = int32(2)
    stride_h: int = int32(3)
    fused_activation_function: Name = enum(4, ACTIVATION_FUNCTION_TYPE)
    dilation_d_factor: int = int32(5, default=1)
    dilation_w_factor: int = int32(6, default=1)
    dilation_h_factor: int = int32(7, default=1)


class HashtableOptions(Options):
    __slots__ = ()
    table_id: int = int32(0)
    key_dtype: Name = enum(1, ELEMENT_TYPES)
    value_dtype: Name = enum(2, ELEMENT_TYPES)


class HashtableFindOptions(Options):
    __slots__ = ()


class HashtableImportOptions(Options):
    __slots__ = ()


class HashtableSizeOptions(Options):
    __slots__ = ()


class VarHandleOptions(Options):
    __slots__ = ()
    container: str | None = string(0)
    shared_name: str | None = string(1)


class ReadVariableOptions(Options):
    __slots__ = ()


class AssignVariableOptions(Options):
    __slots__ = ()


class RandomOptions(Options):
    __slots__ = ()
    seed: int = int64(0)
    seed2: int = int64(1)


class BucketizeOptions(Options):
    __slots__ = ()
    boundaries: tuple[int, ...] = float32s(0)


class GeluOptions(Options):
    __slots__ = ()
    approximate: bool = boolean(0)


class DynamicUpdateSliceOptions(Options):
    __slots__ = ()


class UnsortedSegmentProdOptions(Options):
    __slots__ = ()


class UnsortedSegmentMaxOptions(Options):
    __slots__ = ()


class UnsortedSegmentMinOptions(Options):
    __slots__ = ()


class UnsortedSegmentSumOptions(Options):
    __slots__ = ()


class ATan2Options(Options):
    __slots__ = ()


class SignOptions(Options):
    __slots__ = ()


class BitcastOptions(Options):
    __slots__ = ()


class BitwiseXorOptions(Options):
    __slots__ = ()


class RightShiftOptions(Options):
    __slots__ = ()


class StablehloConcatenateOptions(Options):
    __slots__ = ()
    dimension: int = int64(0)


class StablehloBroadcastInDimOptions(Options):
    __slots__ = ()
    broadcast_dimensions: tuple[int, ...] = int64s(0)


class StablehloSliceOptions(Options):
    __slots__ = ()
    start_indices: tuple[int, ...] = int64s(0)
    limit_indices: tuple[int, ...] = int64s(1)
    strides: tuple[int, ...] = int64s(2)


class StablehloConvolutionOptions(Options):
    __slots__ = ()
    window_strides: tuple[int, ...] = int64s(0)
    padding: tuple[int, ...] = int64s(1)
    lhs_dilation: tuple[int, ...] = int64s(2)
    rhs_dilation: tuple[int, ...] = int64s(3)
    window_reversal: tuple[int, ...] = uint8s(4)
    input_batch_dimension: int = int64(5)
    input_feature_dimension: int = int64(6)
    input_spatial_dimensions: tuple[int, ...] = int64s(7)
    kernel_input_feature_dimension: int = int64(8)
    kernel_output_feature_dimension: int = int64(9)
    kernel_spatial_dimensions: tuple[int, ...] = int64s(10)
    output_batch_dimension: int = int64(11)
    output_feature_dimension: int = int64(12)
    output_spatial_dimensions: tuple[int, ...] = int64s(13)
    feature_group_count: int = int64(14)
    batch_group_count: int = int64(15)
    precision_config: tuple[int, ...] = uint32s(16)


class StablehloCustomCallOptions(Options):
    __slots__ = ()
    call_target_name: str | None = string(0)
    has_side_effect: bool = boolean(1)
    backend_config: str | None = string(2)
    api_version: int = int32(3)
    called_computations: tuple[int, ...] = int32s(4)
    custom_attributes: bytes | None = raw(5)


class StablehloReduceOptions(Options):
    __slots__ = ()
    dimensions: tuple[int, ...] = int64s(0)
    body_subgraph_index: int = int32(1)


class StablehloScatterOptions(Options):
    __slots__ = ()
    indices_are_sorted: bool = boolean(0)
    update_window_dims: tuple[int, ...] = int64s(1)
    inserted_window_dims: tuple[int, ...] = int64s(2)
    scatter_dims_to_operand_dims: tuple[int, ...] = int64s(3)
    index_vector_dim: int = int64(4)
    unique_indices: bool = boolean(5)
    update_computation_subgraph_index: int = int32(6)


class StablehloCompareOptions(Options):
    __slots__ = ()
    comparison_direction: Name = enum(0, STABLEHLO_COMPARISON_DIRECTION, width="I")
    compare_type: Name = enum(1, STABLEHLO_COMPARISON_TYPE, width="I")


class StablehloDynamicSliceOptions(Options):
    __slots__ = ()
    slice_sizes: tuple[int, ...] = int64s(0)


class StablehloPadOptions(Options):
    __slots__ = ()
    edge_padding_low: tuple[int, ...] = int64s(0)
    edge_padding_high: tuple[int, ...] = int64s(1)
    interior_padding: tuple[int, ...] = int64s(2)


class StablehloIotaOptions(Options):
    __slots__ = ()
    iota_dimension: int = int64(0)


class StablehloDotGeneralOptions(Options):
    __slots__ = ()
    lhs_batching_dimensions: tuple[int, ...] = int64s(0)
    rhs_batching_dimensions: tuple[int, ...] = int64s(1)
    lhs_contracting_dimensions: tuple[int, ...] = int64s(2)
    rhs_contracting_dimensions: tuple[int, ...] = int64s(3)
    precision_config: tuple[int, ...] = uint32s(4)


class StablehloReduceWindowOptions(Options):
    __slots__ = ()
    window_dimensions: tuple[int, ...] = int64s(0)
    window_strides: tuple[int, ...] = int64s(1)
    base_dilations: tuple[int, ...] = int64s(2)
    window_dilations: tuple[int, ...] = int64s(3)
    padding: tuple[int, ...] = int64s(4)
    body_subgraph_index: int = int32(5)


class StablehloSortOptions(Options):
    __slots__ = ()
    dimension: int = int64(0)
    is_stable: bool = boolean(1)
    comparator_subgraph_index: int = int32(2)


class StablehloWhileOptions(Options):
    __slots__ = ()
    cond_subgraph_index: int = int32(0)
    body_subgraph_index: int = int32(1)


class StablehloGatherOptions(Options):
    __slots__ = ()
    offset_dims: tuple[int, ...] = int64s(0)
    collapsed_slice_dims: tuple[int, ...] = int64s(1)
    start_index_map: tuple[int, ...] = int64s(2)
    index_vector_dim: int = int64(3)
    slice_sizes: tuple[int, ...] = int64s(4)
    indices_are_sorted: bool = boolean(5)


class StablehloTransposeOptions(Options):
    __slots__ = ()
    permutation: tuple[int, ...] = int64s(0)


class DilateOptions(Options):
    __slots__ = ()


class StablehloRngBitGeneratorOptions(Options):
    __slots__ = ()
    algorithm: Name = enum(0, RNG_ALGORITHM)


class StableHLOCompositeOptions(Options):
    __slots__ = ()
    name: str | None = string(0)
    decomposition_subgraph_index: int = int32(1)
    composite_attributes: bytes | None = raw(2)
    composite_attributes_format: Name = enum(3, CUSTOM_OPTIONS_FORMAT)
    version: int = int32(4)


class StablehloShiftLeftOptions(Options):
    __slots__ = ()


class StablehloCaseOptions(Options):
    __slots__ = ()
    branch_subgraph_indices: tuple[int, ...] = int32s(0)
