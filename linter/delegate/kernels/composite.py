"""STABLEHLO_COMPOSITE by the name in its options, and CUSTOM by its custom code.

Source: NewOperationParser and the Composite… and …Norm parsers in ml_drift_delegate/tflite/model_builder.cc, and
ml_drift_delegate/delegate/composite/, v2.2.0. The other releases, and the composites that came with 2.3.0, measured.

A composite that is accepted and chosen kills the process on every release (see `creation`); the conditions here say
which are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ...constants import zero_points
from ...flexbuffer import MAX_BYTES, Value, attributes
from ...model import Tensor
from ...options import StableHLOCompositeOptions
from ..conditions import outputs_readable, readable, tensor_readable, vector_constant
from ..kernel import Kernel, Kernels
from ..layout import Layout
from ..node import Node
from ..refusal import Cause, Condition, Refusal, Refusals, parameter, rank
from ..types import BASE_IN, BASE_OUT, BOOL, INT32
from .convolution import CUSTOM_KERNELS
from .movement import bhwc

Attributes = Mapping[str, Value]


def composite_attributes(n: Node) -> Attributes:
    options = n.options(StableHLOCompositeOptions)
    return attributes(options.composite_attributes or b"") if options is not None else {}


def custom_attributes(n: Node) -> Attributes:
    size = n.op.custom_options_size
    return attributes(n.model.fetch(n.op.custom_options_at, size)) if 0 < size <= MAX_BYTES else {}


def whole(value: Value) -> int:
    """A number as the runtime's reader gives it: what is no number reads as 0."""
    return int(value) if isinstance(value, (int, float)) else 0


# Normalisation


def _channel_vector(n: Node, position: int, title: str) -> Refusals:
    """A constant vector as long as the input has channels; a missing one is fine."""
    data = n.input(0)
    if position >= len(n.inputs) or data is None:
        return
    yield from vector_constant(n, position)
    vector = n.input(position)
    if vector is not None and vector.shape[-1:] != (bhwc(data).channels,):
        yield parameter(f"{title} tensor channels don't match input tensor channels.", vector.index)


def rms_norm(n: Node) -> Refusals:
    yield from readable(n, 0)
    yield from outputs_readable(n)
    yield from _channel_vector(n, 1, "Scale")


def custom_norm(n: Node) -> Refusals:
    yield from rms_norm(n)
    yield from _channel_vector(n, 2, "Bias")


def group_norm(n: Node) -> Refusals:
    """Group and layer norm share one name. Up to 2.1.3 all without reduction axes, and all whose axes are the last
    one, pass as layer norm (measured)."""
    given = composite_attributes(n)
    axes = _reduction_axes(given)
    if n.before("2.1.4"):
        if axes is not None:
            yield from _last_axis_only(n, axes)
        yield from _norm(n, given, "LayerNorm", "scale", "Bias")
        return
    kind = given.get("sub_type")
    if whole(kind) != 0 if kind is not None else axes is None:
        yield from _norm(n, given, "LayerNorm", "scale", "Bias")
        if axes is not None:
            yield from _expected_axes("LayerNorm", axes, (_last_axis(n),))
        return
    yield from _norm(n, {"epsilon": 0}, "GroupNorm", "gamma", "Beta")
    if axes is not None:
        # Without sub_type a group norm has to name the last axis, for the sake of older converters.
        wanted = (_last_axis(n),) if kind is None else tuple(range(1, _last_axis(n) + 1))
        yield from _expected_axes("GroupNorm", axes, wanted)
    channel_axis = given.get("channel_axis")
    if channel_axis is not None and whole(channel_axis) != _last_axis(n):
        yield parameter(
            f"Only channel-last tensor is supported for GroupNorm. Expected axis {_last_axis(n)} but got "
            f"{whole(channel_axis)}"
        )
    for name in ("num_groups", "epsilon"):
        if given.get(name) is None:
            yield parameter(f"GroupNorm is missing {name}.")


def _norm(n: Node, given: Attributes, title: str, scale: str, bias: str) -> Refusals:
    """What group and layer norm test alike. Here the shapes count, not whether the tensors are constant."""
    data = n.input(0)
    if data is None:
        return
    if data.rank > 4:
        shape = f" Expected at most 4D input, got {', '.join(map(str, data.shape))}" if n.since("2.1.3") else ""
        yield rank(f"{title} has bad input tensor dims.{shape}", data.index)
    for position, name, part in ((1, scale, "Scale"), (2, "beta", bias)):
        vector = n.input(position)
        if vector is None:
            continue
        if vector.rank != 1:
            yield parameter(f"{title} has bad {name} tensor dims.", vector.index)
        if data.shape[-1:] != vector.shape:
            yield parameter(f"{part} tensor channels don't match input tensor channels.", vector.index)
    if given.get("epsilon") is None:
        yield parameter(f"{title} is missing epsilon.")


def _last_axis(n: Node) -> int:
    data = n.input(0)
    return data.rank - 1 if data is not None else 0


def _reduction_axes(given: Attributes) -> tuple[int, ...] | None:
    """The axes, which converters write as a tensor's data; None where there is no such attribute."""
    axes = given.get("_TENSOR_V1_reduction_axes")
    if axes is None:
        return None
    data = axes.get("TENSOR_DATA") if isinstance(axes, dict) else None
    return tuple(whole(axis) for axis in data) if isinstance(data, tuple) else ()


def _last_axis_only(n: Node, axes: tuple[int, ...]) -> Refusals:
    first = axes[0] if axes else 0
    if first != _last_axis(n):
        detail = f" Expected axis {_last_axis(n)} but got {first}" if n.since("2.1.3") else ""
        yield parameter(f"Only reduction on the last axis is supported for GroupNorm.{detail}")


def _expected_axes(title: str, axes: tuple[int, ...], wanted: tuple[int, ...]) -> Refusals:
    if axes != wanted:
        yield parameter(
            f"{title} has unexpected reduction axes. Expected axes [{', '.join(map(str, wanted))}] but got "
            f"[{', '.join(map(str, axes))}]"
        )


def pixel_shuffle(n: Node) -> Refusals:
    yield from readable(n, 0)
    yield from outputs_readable(n)


# Attention and positions


def _counted(n: Node, counts: Mapping[int, int]) -> Refusals:
    """As many outputs as the number of inputs asks for."""
    inputs, outputs = len(n.inputs), len(n.outputs)
    if inputs not in counts:
        yield parameter(f"Invalid number of inputs: {inputs}, while expected {' or '.join(map(str, counts))}.")
        return
    if outputs != counts[inputs]:
        yield parameter(f"Invalid number of outputs: {outputs}, while expected {counts[inputs]}.")


def _same_width(n: Node, position: int) -> Refusals:
    source, where = n.input(0), n.input(position)
    if source is not None and where is not None and bhwc(source).width != bhwc(where).width:
        yield parameter("src and pos must have the same width for PositionalEmbedding.", source.index, where.index)


def scaled_dot_product_attention(n: Node) -> Refusals:
    count = len(n.inputs)
    if count not in (3, 4):
        yield parameter(f"Invalid number of inputs: {count}, while expected 3 or 4.")
    query, key, value = n.input(0), n.input(1), n.input(2)
    if query is None or key is None or value is None:
        return
    q, k, v = bhwc(query), bhwc(key), bhwc(value)
    if not q.channels == k.channels == v.channels:
        yield parameter(
            f"Q, K and V tensors' channels must match, but they are: Q.c = {q.channels}, K.c = {k.channels}, "
            f"and V.c = {v.channels}."
        )
    if k != v:
        yield parameter(f"K and V tensors' shapes must identical, but they are: K = {_text(k)}, V = {_text(v)}.")
    mask = n.input(3)
    if mask is not None and k.height != bhwc(mask).channels:
        yield parameter(
            f"K tensor's height must match Mask tensor's channels, but they are: K = {_text(k)}, "
            f"Mask = {_text(bhwc(mask))}.",
            mask.index,
        )


def _text(shape: Layout) -> str:
    return f"{{bhwc, {{{', '.join(map(str, shape))}}}}}"


def rotary_positional_embedding(n: Node) -> Refusals:
    yield from _counted(n, {2: 1, 3: 2})
    yield from _same_width(n, len(n.inputs) - 1)
    yield from _readable_or_constant(n, len(n.inputs))


def rope(n: Node) -> Refusals:
    yield from _counted(n, {2: 1, 3: 2})
    yield from _readable_or_constant(n, len(n.inputs))


def _readable_or_constant(n: Node, count: int) -> Refusals:
    """OP PreCheckRuntimeOrConstantInput: what cannot be read as a value may still be a FLOAT32, BOOL or INT32
    constant."""
    for position in range(count):
        tensor = n.input(position)
        if tensor is None:
            yield parameter("Invalid Tensor index: -1")
            return
        if next(tensor_readable(n, tensor), None) is None:
            continue
        if tensor.type not in ("FLOAT32", "BOOL", "INT32"):
            yield parameter(f"Unsupported tensor type in NewConstNode: {tensor.type}", tensor.index)
        if not n.has_data(tensor):
            yield parameter("src has no data.", tensor.index)
    yield from outputs_readable(n)


def absolute_positional_embedding(n: Node) -> Refusals:
    if len(n.inputs) != 2:
        yield parameter(f"Invalid number of inputs: {len(n.inputs)}, while expected 2.")
    if len(n.outputs) != 1:
        yield parameter(f"Invalid number of outputs: {len(n.outputs)}, while expected 1.")
    yield from _same_width(n, 1)
    yield from readable(n, 0)
    yield from readable(n, 1)
    yield from outputs_readable(n)


def cache_update(n: Node) -> Refusals:
    title = "odml.cache_update" if n.since("2.1.5") else "AddValuesToCache"
    if n.runtime_count != 3 and (n.runtime_count != 7 or n.before("2.1.3")):
        yield parameter(f"{title} expects {'3 or 7' if n.since('2.1.3') else '3'} inputs.")
    for position in range(3):
        yield from readable(n, position)
    yield from outputs_readable(n)
    if len(n.outputs) != 2 and n.since("2.1.5"):
        yield parameter(f"{title} expects 2 outputs.")
    yield from _present(composite_attributes(n), title, "kv_cache_batch_size", "cache_size", "head_size")


def _present(given: Attributes, title: str, *names: str) -> Refusals:
    for name in names:
        if given.get(name) is None:
            yield parameter(f"{title} is missing {name}.")


def runtime_bmm(n: Node) -> Refusals:
    if n.runtime_count != 3:
        yield parameter("Runtime BatchedMatMul expects 3 inputs.")
    for position in range(3):
        yield from readable(n, position)
    yield from outputs_readable(n)
    left, right, parameters = n.input(0), n.input(1), n.input(2)
    if left is None or right is None or parameters is None:
        return
    if bhwc(left).channels != bhwc(right).channels:
        yield parameter("Input tensors' channels must match.")
    if bhwc(parameters) != (1, 1, 1, 7):
        yield parameter("Param tensor shape expected to be [1, 1, 1, 7].", parameters.index)
    yield from _present(composite_attributes(n), "Runtime BatchedMatMul", "is_global", "is_src")


def sdpa_transposed(n: Node) -> Refusals:
    count = n.runtime_count
    if not 3 <= count <= 5:
        yield parameter("SDPA transposed expects between 3 and 5 inputs.")
    for position in range(count):
        yield from readable(n, position)
    yield from outputs_readable(n)


# Mixture of experts: a custom operator only


def moe_composite(n: Node) -> Refusals:
    yield parameter("moe has unsupported op carrier.")


_MOE_WEIGHTS = ("ff_gate_weight", "ff1_weight", "linear_weight")


def moe(n: Node) -> Refusals:
    """Source: moe_experts_parser.cc. Without options, the dimensions are those of the operands."""
    experts, active, model, hidden, kind = yield from (_moe_inferred(n) if _moe_without_options(n) else _moe_given(n))
    expected = 7 if kind == "fp32" else 10
    if len(n.inputs) != expected:
        yield parameter(f"moe expects {expected} inputs.")
    if len(n.outputs) != 1:
        yield parameter("moe expects 1 output.")
    for position in range(3):
        yield from readable(n, position)
    yield from outputs_readable(n)
    operands = [tensor for tensor in n.inputs if tensor is not None]
    if len(operands) != expected:
        yield parameter("Invalid Tensor index: -1")
        return
    source = bhwc(operands[0])
    if source[:2] != (1, 1) or source.channels != model:
        yield parameter("moe expects src shape [1, seq, model_dim] or [1, 1, seq, model_dim].")
    chosen = Layout(1, 1, source.width, active)
    yield from _moe_shape(operands[1], chosen, "top_weights")
    if operands[2].type != "INT32":
        yield parameter("moe expects int32 top_indices.", operands[2].index)
    yield from _moe_shape(operands[2], chosen, "top_indices")
    sizes = ((hidden, model), (hidden, model), (model, hidden))
    if kind == "fp32":
        if not all(tensor.constant for tensor in operands[3:]):
            yield parameter("moe v1 expects constant weights and scales.")
        for tensor, (rows, columns), name in zip(operands[3:6], sizes, _MOE_WEIGHTS, strict=True):
            yield from _moe_shape(tensor, Layout(rows, experts, 1, columns), name)
    else:
        for tensor, name in zip(operands[3:9:2], _MOE_WEIGHTS, strict=True):
            yield from _moe_quantized(n, tensor, kind, name)
        for tensor, (rows, columns), name in zip(operands[3:9:2], sizes, _MOE_WEIGHTS, strict=True):
            yield from _moe_shape(tensor, Layout(rows, experts, 1, columns), name)
        if not all(tensor.constant for tensor in (*operands[4:9:2], operands[9])):
            yield parameter("moe v1 expects constant int8 scales.")
        for tensor, (rows, _), name in zip(operands[4:9:2], sizes, _MOE_WEIGHTS, strict=True):
            yield from _moe_scale(tensor, Layout(rows, experts, 1, 1), name.replace("weight", "scale"))
    yield from _moe_scale(operands[-1], Layout(1, 1, 1, experts), "per_expert_scale")


_Moe = tuple[int, int, int, int, str]
"""Experts, active experts, model and hidden dimension, kind of weights."""


def _moe_without_options(n: Node) -> bool:
    return not n.op.custom_options_size and len(n.inputs) in (7, 10)


def _moe_given(n: Node) -> Condition[_Moe]:
    given = custom_attributes(n)
    if not n.op.custom_options_size:
        yield parameter("moe is missing custom options.")
    yield from _present(given, "moe", "num_experts", "num_active_experts", "model_dim", "hidden_dim", "weight_type")
    if given.get("activation") not in (None, "gelu"):
        yield parameter("moe only supports activation='gelu'.")
    if given.get("renormalized_top_weights") not in (None, True):
        yield parameter("moe expects renormalized_top_weights=true.")
    kind = given.get("weight_type")
    if kind not in ("fp32", "int8", "int4"):
        yield parameter(f"moe unsupported weight_type: {kind if isinstance(kind, str) else ''}")
    names = ("num_experts", "num_active_experts", "model_dim", "hidden_dim")
    experts, active, model, hidden = (whole(given.get(name)) for name in names)
    if min(experts, active, model, hidden) <= 0:
        yield parameter("moe dimensions must be positive.")
    if active > experts:
        yield parameter("moe num_active_experts must be <= num_experts.")
    return experts, active, model, hidden, str(kind)


def _moe_inferred(n: Node) -> Condition[_Moe]:
    source, indices, gate, linear = (n.input(i) for i in (0, 2, 3, 5 if len(n.inputs) == 7 else 7))
    if source is None or indices is None or gate is None or linear is None:
        yield parameter("Invalid Tensor index: -1")
        return 0, 0, 0, 0, ""
    kind = "fp32" if len(n.inputs) == 7 else "int4" if gate.type == "INT4" else "int8"
    s, i, g, out = bhwc(source), bhwc(indices), bhwc(gate), bhwc(linear)
    experts, active, model, hidden = g.height, i.channels, s.channels, g.batch
    if min(experts, active, model, hidden) <= 0:
        yield parameter("moe inferred dimensions must be positive.")
    if active > experts:
        yield parameter("moe inferred num_active_experts must be <= num_experts.")
    consistent = (
        s[:2] == (1, 1) == i[:2] and i.width == s.width and g[2:] == (1, model) and out == (model, experts, 1, hidden)
    )
    if not consistent:
        yield parameter("moe cannot infer consistent attributes from shapes.")
    return experts, active, model, hidden, kind


def _moe_shape(tensor: Tensor, wanted: Layout, name: str) -> Refusals:
    shape = bhwc(tensor)
    if shape != wanted:
        yield parameter(f"moe expected {name} shape {list(wanted)}, got {list(shape)}.", tensor.index)


def _moe_scale(tensor: Tensor, wanted: Layout, name: str) -> Refusals:
    if tensor.type not in ("FLOAT32", "FLOAT16"):
        yield parameter(f"moe expects {name} to be float32 or float16.", tensor.index)
    yield from _moe_shape(tensor, wanted, name)


def _moe_quantized(n: Node, tensor: Tensor, kind: str, name: str) -> Refusals:
    if not tensor.constant:
        yield parameter("moe v1 expects constant quantized weights.", tensor.index)
    if tensor.type != kind.upper():
        yield parameter(f"moe expects {kind} {name}.", tensor.index)
    quantization = tensor.quantization
    if quantization is None or quantization.kind != "affine" or not quantization.scale_count:
        yield parameter(f"moe expects affine quantization for {name}.", tensor.index)
    if any(zero_points(n.model, tensor)):
        yield parameter(
            f"moe only supports symmetric int8 weights; non-zero zero point in {name}.",
            tensor.index,
        )


# New in 2.3.0, known from its log alone


def swiglu(n: Node) -> Refusals:
    if len(n.inputs) not in (1, 2):
        yield parameter(f"SwiGLU expects 1 or 2 inputs, but got {len(n.inputs)}")


def qkv_norm_rope(n: Node) -> Refusals:
    if len(n.inputs) != 4:
        yield parameter(
            f"Invalid number of inputs: {len(n.inputs)}, while expected 4 (qkv, position, q_weight, k_weight)."
        )
    if len(n.outputs) != 3:
        yield parameter(
            f"Invalid number of outputs: {len(n.outputs)}, while expected 3 (query_states, key_states, value_states)."
        )


def short_conv_step(n: Node) -> Refusals:
    if len(n.inputs) not in (3, 4):
        yield parameter(f"ShortConvStep expects 3 or 4 inputs, but got {len(n.inputs)}")
    if len(n.outputs) != 2:
        yield parameter(f"ShortConvStep expects 2 outputs, but got {len(n.outputs)}")


def gated_delta_update(n: Node) -> Refusals:
    if len(n.inputs) != 6:
        yield parameter("gated_delta_update expects 6 inputs.")
    if len(n.outputs) != 2:
        yield parameter("gated_delta_update expects 2 outputs.")
    last = n.input(0)
    if last is not None and (bhwc(last).channels < 16 or bhwc(last).channels & (bhwc(last).channels - 1)):
        yield parameter("gated_delta_update requires D_k and D_v to be powers of 2 (at least 16) and multiples of 4.")


def unknown(name: str, n: Node) -> Refusals:
    """A composite or custom operator without a kernel: its name is the whole message, on 2.1.2 for customs only."""
    if n.op.name == "CUSTOM" or n.since("2.1.3"):
        yield Refusal(Cause.KERNEL, name)
    yield Refusal(Cause.KERNEL, "Operation is not supported.")


def _from(release: str, name: str, check: Callable[[Node], Refusals], n: Node) -> Refusals:
    """A composite that became known with a release."""
    yield from check(n) if n.since(release) else unknown(name, n)


_WITH_INT32 = BASE_IN | INT32

COMPOSITES: Kernels = {
    "odml.group_norm": Kernel(group_norm, BASE_IN, BASE_OUT),
    "odml.rms_norm": Kernel(rms_norm, BASE_IN, BASE_OUT),
    "odml.scaled_dot_product_attention": Kernel(scaled_dot_product_attention, BASE_IN, BASE_OUT),
    "odml.cache_update": Kernel(cache_update, _WITH_INT32, BASE_OUT),
    "odml.runtime_bmm": Kernel(runtime_bmm, _WITH_INT32, BASE_OUT),
    **{
        name: Kernel(partial(_from, release, name, check), takes, gives)
        for name, release, check, takes, gives in (
            ("moe", "2.1.6", moe_composite, _WITH_INT32, BASE_OUT),
            ("custom_call.rotary_positional_embedding", "2.2.0", rotary_positional_embedding, BASE_IN, BASE_OUT),
            ("odml.rope", "2.2.0", rope, _WITH_INT32, BASE_OUT),
            ("odml.sdpa_transposed", "2.2.0", sdpa_transposed, _WITH_INT32 | BOOL, BASE_OUT | BOOL),
            ("odml.swiglu", "2.3.0", swiglu, BASE_IN, BASE_OUT),
            ("odml.qkv_norm_rope", "2.3.0", qkv_norm_rope, _WITH_INT32, BASE_OUT),
            ("odml.short_conv_step", "2.3.0", short_conv_step, _WITH_INT32, BASE_OUT),
            ("gated_delta_update", "2.3.0", gated_delta_update, BASE_IN, BASE_OUT),
        )
    },
}
"""By the composite's name."""

CUSTOMS: Kernels = {
    **CUSTOM_KERNELS,
    "custom_call.GroupNorm": Kernel(custom_norm, BASE_IN, BASE_OUT),
    "custom_call.LayerNorm": Kernel(custom_norm, BASE_IN, BASE_OUT),
    "custom_call.RmsNorm": Kernel(rms_norm, BASE_IN, BASE_OUT),
    "custom_call.PixelShuffle": Kernel(pixel_shuffle, BASE_IN, BASE_OUT),
    "custom_call.absolute_positional_embedding": Kernel(absolute_positional_embedding, BASE_IN, BASE_OUT),
    "custom_call.rotary_positional_embedding": Kernel(rotary_positional_embedding, BASE_IN, BASE_OUT),
    "moe": Kernel(moe, _WITH_INT32, BASE_OUT),
}
"""By custom code. Those that the runtime registers or stubs can be loaded at all (`loading.registered_custom`)."""


def named_kernel(n: Node) -> Kernel:
    """The kernel of a composite or custom operator, found by its name."""
    if n.op.name == "CUSTOM":
        name = n.op.custom_code or ""
        return CUSTOMS.get(name) or Kernel(partial(unknown, name), frozenset(), frozenset())
    options = n.options(StableHLOCompositeOptions)
    name = (options.name if options is not None else None) or ""
    return COMPOSITES.get(name) or Kernel(partial(unknown, name), frozenset(), frozenset())
