"""Copies that end early are read back and hold what they should."""

from __future__ import annotations

import pytest

from tflint.fixtures.builder import Graph
from tflint.linter import reader
from tflint.linter.confirm.truncate import CannotTruncate, NoInputs, ancestors, truncate
from tflint.linter.model import Model, Subgraph


def diamond(*, signature: bool = False) -> tuple[bytes, Model, Subgraph]:
    """x -> ABS -> {EXP, NEG} -> ADD -> out, and y -> SQRT -> other."""
    g = Graph()
    x, y = g.input([1, 4], name="x"), g.input([1, 4], name="y")
    base = g.op("ABS", x, name="base")
    total = g.op("ADD", g.op("EXP", base, name="left"), g.op("NEG", base, name="right"), name="total")
    other = g.op("SQRT", y, name="other")
    g.output(total, other)
    if signature:
        g.signature("serve", {"first": x, "second": y}, {"sum": total, "root": other})
    data = g.build()
    model = reader.read(data)
    return data, model, model.subgraphs[0]


def named(graph: Subgraph, *names: str) -> tuple[int, ...]:
    index = {tensor.name: tensor.index for tensor in graph.tensors}
    return tuple(index[name] for name in names)


def cut(case: tuple[bytes, Model, Subgraph], *names: str) -> Model:
    data, model, graph = case
    return reader.read(truncate(data, model, graph, named(graph, *names)))


def names(graph: Subgraph, tensors: tuple[int, ...]) -> list[str]:
    return [graph.tensors[tensor].name for tensor in tensors]


def test_ancestors() -> None:
    _, _, graph = diamond()
    assert ancestors(graph, named(graph, "right")) == {0, 2}
    assert ancestors(graph, named(graph, "total")) == {0, 1, 2, 3}
    assert ancestors(graph, named(graph, "x")) == frozenset()


def test_prefix_holds_what_it_needs() -> None:
    graph = cut(diamond(), "right").subgraphs[0]
    assert [str(op.name) for op in graph.operators] == ["ABS", "NEG"]
    assert names(graph, graph.inputs) == ["x"]
    assert names(graph, graph.outputs) == ["right"]
    assert not graph.consumers.get(graph.outputs[0])


def test_order_of_outputs_is_the_callers() -> None:
    graph = cut(diamond(), "other", "base").subgraphs[0]
    assert names(graph, graph.outputs) == ["other", "base"]
    assert names(graph, graph.inputs) == ["x", "y"]


def test_signature_follows() -> None:
    model = cut(diamond(signature=True), "left", "other")
    (signature,) = model.signatures
    graph = model.subgraphs[0]
    assert signature.key == "serve"
    assert [(name, graph.tensors[index].name) for name, index in signature.inputs] == [("first", "x"), ("second", "y")]
    assert [(name, graph.tensors[index].name) for name, index in signature.outputs] == [
        ("left", "left"),
        ("root", "other"),
    ]


def test_unneeded_input_leaves_the_signature() -> None:
    (signature,) = cut(diamond(signature=True), "left").signatures
    assert [name for name, _ in signature.inputs] == ["first"]


def test_equal_names_are_told_apart() -> None:
    g = Graph()
    x = g.input([1, 4])
    parts = g.op("SPLIT", 1, x, num_splits=2, out=[[1, 2], [1, 2]], names=["part", "part"])
    g.output(g.op("ADD", *parts))
    g.signature("serve", {"x": x}, {"y": g.operators[-1].outputs[0]})
    data = g.build()
    model = reader.read(data)
    graph = model.subgraphs[0]
    (signature,) = reader.read(truncate(data, model, graph, graph.operators[0].outputs)).signatures
    assert [name for name, _ in signature.outputs] == ["part", f"part (tensor {graph.operators[0].outputs[1]})"]


def test_second_subgraph() -> None:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4])))
    second = g.subgraph("second")
    x = second.input([1, 4])
    middle = second.op("EXP", x, name="middle")
    last = second.op("NEG", middle)
    second.output(last)
    g.signature("two", {"x": x}, {"y": last}, subgraph=second)
    data = g.build()
    model = reader.read(data)
    graph = model.subgraphs[1]
    read = reader.read(truncate(data, model, graph, named(graph, "middle")))
    assert [str(op.name) for op in read.subgraphs[0].operators] == ["ABS"]
    assert [str(op.name) for op in read.subgraphs[1].operators] == ["EXP"]


def test_what_lies_behind_the_flatbuffer_stays() -> None:
    g = Graph()
    x = g.input([1, 4])
    product = g.op("MUL", x, g.const([1.0, 2.0, 3.0, 4.0], outside=True), name="product")
    g.output(g.op("EXP", product))
    data = g.build()
    model = reader.read(data)
    copy = truncate(data, model, model.subgraphs[0], named(model.subgraphs[0], "product"))
    read = reader.read(copy)
    constant = read.subgraphs[0].tensors[read.subgraphs[0].operators[0].inputs[1]]
    assert read.constant_bytes(constant, 64) == model.constant_bytes(constant, 64)


def test_part_of_constants_alone() -> None:
    g = Graph()
    constant = g.op("NEG", g.const([1.0, 2.0]), name="constant")
    g.output(g.op("ADD", g.input([2]), constant))
    data = g.build()
    model = reader.read(data)
    with pytest.raises(NoInputs):
        truncate(data, model, model.subgraphs[0], named(model.subgraphs[0], "constant"))


def test_state_is_refused() -> None:
    g = Graph()
    body = g.subgraph("body")
    body.output(body.op("NEG", body.input([1])))
    condition = g.subgraph("condition")
    condition.output(condition.op("LESS", condition.input([1]), [0.0]))
    looped = g.op("WHILE", g.input([1]), cond_subgraph_index=condition, body_subgraph_index=body)
    g.output(g.op("ABS", *looped))
    data = g.build()
    model = reader.read(data)
    with pytest.raises(CannotTruncate, match="WHILE acts beyond its outputs"):
        truncate(data, model, model.subgraphs[0], model.subgraphs[0].outputs)
