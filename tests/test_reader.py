"""Reading: what a model says, and that nothing is believed before it is verified."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tflint import lint
from tflint.fixtures.builder import Graph, Quant
from tflint.linter import constants
from tflint.linter.delegate.placement import Verdict
from tflint.linter.errors import ModelError
from tflint.linter.findings import Severity
from tflint.linter.options import Conv2DOptions, SplitOptions, StableHLOCompositeOptions
from tflint.linter.reader import read, read_file

DAMAGED = Path(__file__).parent.parent / "fixtures" / "damaged"


def small() -> Graph:
    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    w, b = g.const(shape=[8, 3, 3, 8], fill=0.5, name="w"), g.const(shape=[8], fill=0.0, name="b")
    y = g.op("CONV_2D", x, w, b, out=[1, 4, 4, 8], padding="SAME", stride_w=1, stride_h=1, version=3, name="y")
    g.output(g.op("RELU", y, name="z"))
    return g


def test_operators_tensors_and_options() -> None:
    model = read(small().build())
    (graph,) = model.subgraphs
    conv, relu = graph.operators
    assert (conv.name, conv.version, relu.name) == ("CONV_2D", 3, "RELU")
    options = conv.options_of(Conv2DOptions)
    assert options is not None
    assert (options.padding, options.stride_w, options.dilation_w_factor) == ("SAME", 1, 1)
    x, w = graph.tensors[conv.inputs[0]], graph.tensors[conv.inputs[1]]
    assert (x.name, x.shape, x.type, x.constant) == ("x", (1, 4, 4, 8), "FLOAT32", False)
    assert (w.constant, model.constant_size(w)) == (True, 8 * 3 * 3 * 8 * 4)
    assert graph.producer(conv.outputs[0]) is conv
    assert graph.readers(conv.outputs[0]) == (relu,)


def test_options_are_read_only() -> None:
    options = read(small().build()).subgraphs[0].operators[0].options
    with pytest.raises(AttributeError):
        options.padding = "VALID"  # type: ignore[union-attr]


def test_a_writer_that_leaves_the_old_operator_code_at_zero() -> None:
    g = Graph(deprecated_codes=False)
    g.output(g.op("DEQUANTIZE", g.input([8], type="INT8", quant=Quant(0.5, 0)), type="FLOAT32"))
    assert read(g.build()).subgraphs[0].operators[0].name == "DEQUANTIZE"


def test_numbers_newer_than_the_schema_keep_a_readable_name() -> None:
    g = Graph()
    g.output(g.op(300, g.input([8], type=99), out=[8], type=99))
    model = read(g.build())
    op = model.subgraphs[0].operators[0]
    assert (op.name, op.name.number, op.name.known) == ("BuiltinOperator(300)", 300, False)
    assert model.subgraphs[0].tensors[0].type == "TensorType(99)"


def test_an_absent_input_is_minus_one() -> None:
    g = Graph()
    x, w = g.input([1, 8]), g.const(shape=[4, 8], fill=1.0)
    g.output(g.op("FULLY_CONNECTED", x, w, None, out=[1, 4]))
    assert read(g.build()).subgraphs[0].operators[0].inputs[2] == -1


def test_split_options() -> None:
    g = Graph()
    g.output(*g.op("SPLIT", g.const([1], type="INT32"), g.input([1, 4]), num_splits=2))
    options = read(g.build()).subgraphs[0].operators[0].options_of(SplitOptions)
    assert options is not None
    assert options.num_splits == 2


def test_a_composite_has_its_name_and_attributes() -> None:
    g = Graph()
    x = g.input([1, 8])
    body = g.subgraph()
    body.output(body.op("ABS", body.input([1, 8])))
    g.output(g.composite("odml.rms_norm", x, decomposition=body, attributes={"epsilon": 1e-6}, out=[1, 8]))
    options = read(g.build()).subgraphs[0].operators[0].options_of(StableHLOCompositeOptions)
    assert options is not None
    assert options.name == "odml.rms_norm"
    assert options.decomposition_subgraph_index == 1
    assert options.composite_attributes


def test_values_of_small_constants() -> None:
    g = Graph()
    x = g.input([4, 8])
    g.output(g.op("RESHAPE", x, g.const([8, 4], type="INT32", name="shape"), out=[8, 4]))
    model = read(g.build())
    shape = model.subgraphs[0].tensors[model.subgraphs[0].operators[0].inputs[1]]
    assert constants.integers(model, shape) == (8, 4)


@pytest.mark.parametrize("name", [path.name for path in sorted(DAMAGED.glob("*"))])
def test_damaged_files_are_refused_or_judged(name: str) -> None:
    """What is damaged as bytes is refused in one line with its offset; what only says nonsense is a finding."""
    (result,) = lint(DAMAGED / name, litert="2.3.0", backend="webgpu")
    if result.error is not None:
        assert result.error.offset is not None
        assert "\n" not in str(result.error)
    else:
        assert result.targets[0].placement.verdict in (Verdict.FAILS, Verdict.UNLOADABLE)
        assert result.worst is Severity.ERROR


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "Git LFS pointer"),
        (b"PK\x03\x04" + bytes(60), "zip archive"),
        (b"\x1c\x00\x00\x00TFL2" + bytes(60), "wrong file identifier"),
        (b"\x1c\x00\x00\x00TFL3" + bytes(2), "truncated"),
        (b"# Model card\n\nThis model detects cats.\n", "text file"),
        (b"", "empty file"),
    ],
)
def test_foreign_files_are_named(data: bytes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        read(data)


def test_a_directory_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a directory"), read_file(tmp_path):
        pass
    with pytest.raises(ModelError, match="No such file"), read_file(tmp_path / "absent.tflite"):
        pass


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.tflite").touch()
    with pytest.raises(ModelError, match="empty file"), read_file(tmp_path / "empty.tflite"):
        pass


GOOD = small().build()


def every_reading_ends_well(data: bytes) -> None:
    try:
        model = read(data)
    except ModelError:
        return
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            model.constant_bytes(tensor, 1 << 16)


def test_every_truncation() -> None:
    for size in range(len(GOOD)):
        every_reading_ends_well(GOOD[:size])


def test_every_byte_inverted() -> None:
    for position in range(len(GOOD)):
        every_reading_ends_well(GOOD[:position] + bytes([GOOD[position] ^ 0xFF]) + GOOD[position + 1 :])


@given(st.integers(0, len(GOOD) - 4), st.integers(0, 2**32 - 1))
def test_any_word_replaced(position: int, word: int) -> None:
    every_reading_ends_well(GOOD[:position] + struct.pack("<I", word) + GOOD[position + 4 :])


@given(st.binary(max_size=200))
def test_any_bytes_behind_a_header(data: bytes) -> None:
    every_reading_ends_well(b"\x10\x00\x00\x00TFL3" + data)
