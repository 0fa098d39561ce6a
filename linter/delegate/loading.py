"""What makes LiteRT refuse a file before it prepares a subgraph. The CPU alone refuses it then, too.

Sources at v2.2.0: the LiteRT loader (litert/core/model/model_load.cc, flatbuffer_to_litert.cc), then the interpreter's
(tflite/core/interpreter_builder.cc, subgraph.cc); every condition measured on 2.1.2 to 2.3.0. The runtime stops at the
first; here every condition that does not hold is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..constants import stored_size
from ..model import Model, Operator, Subgraph, Tensor
from ..names import BUILTIN_OPERATORS
from ..options import StableHLOCompositeOptions
from ..targets import Era
from .failure import Failure, Fault, Stage, measured
from .prepare import custom
from .readiness import never_ready
from .versions import LAST_OPERATOR, registered

SCHEMA_VERSION = 3

_ALWAYS = frozenset(
    (
        *("FLOAT32", "FLOAT16", "BFLOAT16", "COMPLEX64", "BOOL"),
        *("INT64", "INT32", "INT16", "INT8", "INT4", "INT2", "UINT32", "UINT8"),
    )
)
_LATER = {
    **dict.fromkeys(("STRING", "FLOAT64", "UINT64", "RESOURCE", "UINT16"), "2.1.5"),
    **dict.fromkeys(("UINT4", "FLOAT8_E4M3FN", "FLOAT8_E5M2"), "2.1.6"),
}
"""Element types that the LiteRT loader learned with a release. COMPLEX128 and VARIANT are unknown to all."""


def load_failures(model: Model, era: Era) -> Iterator[Failure]:
    """Everything that the loaders refuse."""
    if model.schema_version != SCHEMA_VERSION:
        yield _refused(
            f"Model provided is schema version {model.schema_version} not equal to supported version {SCHEMA_VERSION}."
        )
    yield from _operator_codes(model, era)
    if not model.subgraphs:
        yield _refused("No subgraph in the model.")
    for signature in model.signatures:
        graph = model.subgraphs[signature.subgraph]
        if (len(signature.inputs), len(signature.outputs)) != (len(graph.inputs), len(graph.outputs)):
            yield _refused("Signature has incorrect number of input/outputs", graph.index)
    for graph in model.subgraphs:
        yield from _variables(graph)
        for tensor in graph.tensors:
            yield from _tensor(model, graph, tensor, era)
        if -1 in graph.inputs or -1 in graph.outputs:
            yield _refused("flatbuffer model has an absent tensor among its inputs or outputs", graph.index)
        for op in graph.operators:
            yield from _operator(graph, op, era)
        yield from never_ready(graph, era)


def _refused(message: str, subgraph: int = 0, operator: int | None = None, fault: Fault = Fault.MALFORMED) -> Failure:
    return Failure(fault, Stage.LOAD, message, subgraph, operator, evidence=measured("loading fails"))


def _operator_codes(model: Model, era: Era) -> Iterator[Failure]:
    """The resolver is asked for every operator code, used or not."""
    for code in model.operator_codes:
        if code.name == "CUSTOM":
            if code.custom_code is None:
                yield _refused("Operator with CUSTOM builtin_code has no custom_code.")
            continue
        if code.name.number > LAST_OPERATOR:
            message = (
                f"Op builtin_code out of range: {code.name.number}. Are you using old TFLite binary with newer model?"
            )
            yield _refused(message, *_first_use(model, code.index), fault=Fault.UNKNOWN_OPERATOR)
            continue
        versions = registered(code.name)
        if versions is not None and versions.lowest <= code.version <= versions.highest(era):
            continue
        name = code.name if code.name.known else BUILTIN_OPERATORS[code.name.number]
        yield _refused(
            f"Didn't find op for builtin opcode '{name}' version '{code.version}'. An older version of this builtin "
            "might be supported. Are you using an old TFLite binary with a newer model?",
            *_first_use(model, code.index),
            fault=Fault.OP_VERSION,
        )


def _first_use(model: Model, code: int) -> tuple[int, int | None]:
    for graph in model.subgraphs:
        for op in graph.operators:
            if op.code == code:
                return graph.index, op.index
    return 0, None


def _variables(graph: Subgraph) -> Iterator[Failure]:
    """One failure a subgraph: a recurrent model has dozens of variable tensors."""
    found = tuple(tensor.index for tensor in graph.tensors if tensor.variable)
    if not found:
        return
    reader = next((op.index for op in graph.operators if not set(found).isdisjoint(op.inputs)), None)
    yield Failure(
        Fault.VARIABLE_TENSOR,
        Stage.LOAD,
        "Variable tensors not yet supported.",
        graph.index,
        reader,
        found,
        measured("loading fails"),
    )


def _tensor(model: Model, graph: Subgraph, tensor: Tensor, era: Era) -> Iterator[Failure]:
    kind = tensor.type
    release = "" if kind in _ALWAYS else _LATER.get(kind, "never")
    if release == "never" or (release and not era.since(release)):
        yield Failure(
            Fault.ELEMENT_TYPE,
            Stage.LOAD,
            f"Element type ({kind.number}) not currently supported",
            graph.index,
            graph.producers.get(tensor.index),
            (tensor.index,),
            measured(f"loading fails on {kind}"),
        )
    wrong = _quantization(tensor) or _size(model, tensor)
    if wrong is not None:
        yield Failure(
            Fault.MALFORMED,
            Stage.LOAD,
            wrong,
            graph.index,
            None,
            (tensor.index,),
            measured("loading fails"),
        )


def _quantization(tensor: Tensor) -> str | None:
    """InterpreterBuilder::ParseQuantization, and MapQuantization of the LiteRT loader."""
    quantization = tensor.quantization
    if quantization is None or quantization.kind in ("blockwise", "multi-axis"):
        return None
    scales, zero_points, axis = quantization.scale_count, quantization.zero_point_count, quantization.axis
    if not scales:
        return "Invalid per-channel quantization parameters" if zero_points > 1 else None
    if scales != zero_points:
        return (
            f"QuantizationParam has {zero_points} zero_point values and {scales} scale values. Must have same number."
        )
    if axis < 0 or (tensor.shape and axis >= tensor.rank):
        return f"quantized_dimension must be in range [0, {tensor.rank}). Was {axis}."
    if scales != 1 and tensor.shape and scales != tensor.shape[axis]:
        return (
            f"num_scales must be 1 for per-layer quantization, or {tensor.shape[axis]} for per-axis quantization, "
            f"but got {scales}."
        )
    return None


def _size(model: Model, tensor: Tensor) -> str | None:
    """Subgraph::SetTensorParametersReadOnly: a constant has at least the bytes that its shape asks for."""
    if any(extent < 0 for extent in tensor.shape):
        return f"Tensor {tensor.index} is invalidly specified in schema: BytesRequired number of elements overflowed."
    if not tensor.constant or tensor.sparse or tensor.external_buffer:
        return None
    required = stored_size(tensor)
    if required is not None and required > model.constant_size(tensor):
        return (
            f"Tensor {tensor.index} is invalidly specified in schema: its shape takes {required} bytes, and its buffer "
            f"has {model.constant_size(tensor)}"
        )
    return None


def _operator(graph: Subgraph, op: Operator, era: Era) -> Iterator[Failure]:
    if op.intermediates:
        yield _refused("Intermediate tensors not yet supported.", graph.index, op.index)
    if -1 in op.outputs:
        yield _refused("flatbuffer model has invalid op output index: -1", graph.index, op.index)
    if op.name == "CUSTOM":
        if op.custom_code in custom.REGISTERED and op.version == 1 and not op.custom_options_size:
            yield _refused(
                f"{op.custom_code} has no custom options: the process dies while its kernel is initialised",
                graph.index,
                op.index,
            )
        return
    if op.name == "STABLEHLO_COMPOSITE":
        options = op.options_of(StableHLOCompositeOptions)
        if options is None:
            yield _refused("Could not get 'stablehlo.composite' operation parameters.", graph.index, op.index)
        elif options.composite_attributes is None and era.since("2.1.3"):
            message = "'stablehlo.composite' missing required option 'composite_attributes'."
            yield _refused(message, graph.index, op.index)
        elif options.composite_attributes is None and options.name == "odml.group_norm":
            message = "the process dies while the delegate looks for the attributes of odml.group_norm"
            evidence = measured("SIGSEGV", ("2.1.2",))
            yield Failure(Fault.COMPOSITE, Stage.BEFORE_CHECK, message, graph.index, op.index, (), evidence)
