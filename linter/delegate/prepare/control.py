"""CPU Prepare of operators that call subgraphs, and of those that hold state.

Source: tflite/kernels/{if,while,call_once,stablehlo_composite,stablehlo_scatter,var_handle,…}.cc, v2.1.2 to v2.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...options import (
    CallOnceOptions,
    FakeQuantOptions,
    HashtableOptions,
    IfOptions,
    StableHLOCompositeOptions,
    StablehloScatterOptions,
    WhileOptions,
)
from .state import Memory, Preparer, Slot, Step


def if_(s: Step) -> None:
    s.require(bool(s.op.inputs), "it has no input")
    condition = s.input(0)
    s.typed(condition, "its condition", "BOOL")
    s.scalar(condition, "its condition")
    options = s.options(IfOptions)
    if options is None:
        return
    branches = (options.then_subgraph_index, options.else_subgraph_index)
    given = s.inputs()[1:]
    _same_signature(s, branches, len(given), len(s.op.outputs))
    results = [s.call(index, given) for index in branches]
    shapes = [result.shapes for result in results]
    if any(result.dynamic for result in results) or shapes[0] != shapes[1]:
        s.dynamic()
        return
    _resize_all(s, shapes[0])


def while_(s: Step) -> None:
    given = s.inputs()
    s.require(len(s.op.outputs) == len(given), f"it has {len(given)} inputs and {len(s.op.outputs)} outputs")
    options = s.options(WhileOptions)
    if options is None:
        return
    condition, body = options.cond_subgraph_index, options.body_subgraph_index
    s.require(condition != body, "its condition and its body are one subgraph")
    _same_signature(s, (condition,), len(given), 1)
    _same_signature(s, (body,), len(given), len(given))
    test = s.call(condition, given)
    verdict = test.outputs[0]
    if verdict.memory is not Memory.DYNAMIC:
        s.typed(verdict, "the result of its condition", "BOOL")
        s.require(verdict.shape in ((), (1,)), "the result of its condition is more than one value")
    step = s.call(body, given)
    if step.dynamic:
        s.dynamic()
        return
    for before, after in zip(step.inputs, step.outputs, strict=True):
        s.same_type(before, after)
        s.require(after.memory is not Memory.DYNAMIC, "its body gives a dynamic tensor")
        lone = before.elements == after.elements == 1 and before.rank + after.rank == 1
        if before.shape != after.shape and not lone:
            s.dynamic()
            return
    _resize_all(s, step.shapes)


def call_once(s: Step) -> None:
    options = s.options(CallOnceOptions)
    index = options.init_subgraph_index if options is not None else 0
    s.require(index != s.graph.index, "it calls its own subgraph")
    s.counts(0, outputs=0)
    _same_signature(s, (index,), 0, 0)


def composite(s: Step) -> None:
    s.require(bool(s.op.inputs), "it has no input")
    options = s.options(StableHLOCompositeOptions)
    if options is None or options.decomposition_subgraph_index < 0:
        return
    index = options.decomposition_subgraph_index
    _same_signature(s, (index,), len(s.op.inputs), len(s.op.outputs))
    result = s.call(index, [s.optional(position) for position in range(len(s.op.inputs))])
    if result.dynamic:
        s.dynamic()
        return
    _resize_all(s, result.shapes)


def _same_signature(s: Step, subgraphs: Sequence[int], inputs: int, outputs: int) -> None:
    for index in subgraphs:
        callee = s.model.subgraphs[index]
        s.require(len(callee.inputs) == inputs, f"subgraph {index} takes {len(callee.inputs)} inputs, not {inputs}")
        s.require(
            len(callee.outputs) == outputs, f"subgraph {index} gives {len(callee.outputs)} outputs, not {outputs}"
        )


def _resize_all(s: Step, shapes: Sequence[tuple[int, ...]]) -> None:
    for position, shape in enumerate(shapes):
        if s.op.outputs[position] >= 0:
            s.resize(s.output(position), shape)


def scatter(s: Step) -> None:
    s.counts(3)
    source, indices, updates = s.inputs()
    s.require_since("2.1.6", indices.type in ("INT32", "INT64"), f"its indices are {indices.type}")
    s.like(source)
    options = s.options(StablehloScatterOptions)
    if options is None:
        return
    s.require_since("2.1.6", len(options.update_window_dims) <= updates.rank, "it has too many update window axes")
    s.require_since("2.1.6", options.index_vector_dim <= indices.rank, "its index vector axis is out of range")
    index = options.update_computation_subgraph_index
    s.require(index < len(s.model.subgraphs), "its computation is no subgraph")
    body = s.model.subgraphs[index].operators
    s.require(len(body) <= 1, f"its computation has {len(body)} operators; the kernel takes one")
    for op in body:
        kinds = ("STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM")
        s.require(
            op.name in kinds,
            f"its computation is {op.name}. Only update, Add, Multiply, Maximum and Minimum operations are currently "
            "supported for stablehlo.scatter.",
        )


# State


def variable_handle(s: Step) -> None:
    s.keep(s.output())


def read_variable(s: Step) -> None:
    s.counts(1)
    _handle(s, "RESOURCE", "INT32")
    if s.output().rank == 0:
        s.dynamic()


def assign_variable(s: Step) -> None:
    s.counts(2, outputs=0)
    _handle(s, "RESOURCE", "INT32")


def _handle(s: Step, *types: str) -> Slot:
    handle = s.input(0)
    s.typed(handle, "its handle", *types)
    s.scalar(handle, "its handle")
    return handle


_PAIRS = (("INT64", "STRING"), ("STRING", "INT64"))


def hashtable(s: Step) -> None:
    s.counts(0)
    options = s.options(HashtableOptions)
    if options is not None:
        kinds = (str(options.key_dtype), str(options.value_dtype))
        s.require(kinds in _PAIRS, f"its keys and values are {kinds[0]} and {kinds[1]}")
    handle = s.output()
    s.typed(handle, "its handle", "RESOURCE")
    handle.shape = (1,)


def hashtable_find(s: Step) -> None:
    s.counts(3)
    _table(s)
    key, default, target = s.input(1), s.input(2), s.output()
    s.same_type(default, target)
    s.require((key.type, target.type) in _PAIRS, f"its keys and values are {key.type} and {target.type}")
    s.like(key)


def hashtable_import(s: Step) -> None:
    s.counts(3, outputs=0)
    _table(s)
    key, value = s.input(1), s.input(2)
    s.require((key.type, value.type) in _PAIRS, f"its keys and values are {key.type} and {value.type}")
    s.require(key.shape == value.shape, "its keys and values have different shapes")


def hashtable_size(s: Step) -> None:
    s.counts(1)
    _table(s)
    s.typed(s.output(), "its output", "INT64")
    s.resize(s.output(), (1,))


def _table(s: Step) -> None:
    handle = s.input(0)
    s.typed(handle, "its handle", "RESOURCE")
    s.require(handle.shape == (1,), "its handle is not one value of rank 1")


def hashtable_lookup(s: Step) -> None:
    s.counts(3, outputs=2)
    lookup, key, value = s.inputs()
    for what, slot in (("its lookup", lookup), ("its keys", key)):
        s.ranked(slot, what, 1)
        s.typed(slot, what, "INT32")
    s.require(value.rank >= 1, "its values are a scalar")
    s.require(key.shape == value.shape[:1], "its keys and values differ in number")
    s.same_type(value, s.output(0))
    s.typed(s.output(1), "its hits", "UINT8")
    if value.type != "STRING":
        s.resize(s.output(0), (lookup.shape[0], *value.shape[1:]))
    s.resize(s.output(1), lookup.shape)


def fake_quant(s: Step) -> None:
    s.counts(1)
    options = s.options(FakeQuantOptions)
    s.require(
        options is None or not options.narrow_range, "narrow_range FakeQuant is not currently supported at runtime."
    )
    s.output().type = s.input(0).type
    s.like(s.input(0))


PREPARERS: Mapping[str, Preparer] = {
    "IF": if_,
    "WHILE": while_,
    "CALL_ONCE": call_once,
    "STABLEHLO_COMPOSITE": composite,
    "STABLEHLO_SCATTER": scatter,
    "VAR_HANDLE": variable_handle,
    "READ_VARIABLE": read_variable,
    "ASSIGN_VARIABLE": assign_variable,
    "HASHTABLE": hashtable,
    "HASHTABLE_FIND": hashtable_find,
    "HASHTABLE_IMPORT": hashtable_import,
    "HASHTABLE_SIZE": hashtable_size,
    "HASHTABLE_LOOKUP": hashtable_lookup,
    "FAKE_QUANT": fake_quant,
}
