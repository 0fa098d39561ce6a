from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.findings import Severity

RULE = "fp16-long-dot-product"


def row(kind: str, count: int) -> list[float]:
    """Weights of one result: all the same, of one sign, or of both."""
    if kind == "equal":
        return [1.0] * count
    return [(1 + index % 7) / 7 * (-1 if kind == "mixed" and index % 2 else 1) for index in range(count)]


def matmul(terms: int, kind: str = "mixed") -> Graph:
    g = Graph()
    x = g.input([1, 1, 16, terms], name="x")
    w = g.const([[[[value] * 2 for value in row(kind, terms)]]], type="FLOAT32", name="w")
    g.output(g.op("BATCH_MATMUL", x, w, out=[1, 1, 16, 2], name="y"))
    return g


def dense(terms: int, kind: str = "mixed") -> Graph:
    g = Graph()
    x = g.input([4, terms], name="x")
    g.output(g.op("FULLY_CONNECTED", x, g.const([row(kind, terms)] * 2, type="FLOAT32"), None, out=[4, 2]))
    return g


def conv(channels: int, kind: str = "mixed", kernel: int = 3, side: int = 8) -> Graph:
    g = Graph()
    x = g.input([1, side, side, channels], name="x")
    weights = [row(kind, kernel * kernel * channels)] * 2
    w = g.const(weights, shape=[2, kernel, kernel, channels], type="FLOAT32")
    g.output(g.op("CONV_2D", x, w, g.const(shape=[2], fill=0.0), out=[1, side, side, 2], name="y"))
    return g


def attention(keys: int) -> Graph:
    g = Graph()
    x, v = g.input([1, 1, 8, keys], name="x"), g.input([1, 1, keys, 16], name="v")
    g.output(g.op("BATCH_MATMUL", g.op("SOFTMAX", x), v, out=[1, 1, 8, 16], name="y"))
    return g


def test_a_long_matrix_product() -> None:
    assert spoken(found(matmul(2048), RULE)) == snapshot("""\
0/0:BATCH_MATMUL: warning: BATCH_MATMUL adds 2048 terms in half precision [fp16-long-dot-product]
  help: split the terms into chunks of 256 (RESHAPE, BATCH_MATMUL) and SUM over the chunks: within 0.3 %; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


def test_attention_over_many_keys() -> None:
    assert spoken(found(attention(4096), RULE)) == snapshot("""\
0/1:BATCH_MATMUL: warning: SOFTMAX times values adds over 4096 keys in one accumulator of half precision [fp16-long-dot-product]
  help: split the keys into chunks of 256 (RESHAPE, BATCH_MATMUL) and SUM over the chunks: within 0.5 %; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize(
    ("terms", "kind", "count"),
    [
        (1024, "mixed", 1),
        (768, "mixed", 0),
        (512, "positive", 1),
        (256, "positive", 0),
        (512, "equal", 1),
        (256, "equal", 0),
        (512, "mixed", 0),
    ],
)
def test_one_accumulator(terms: int, kind: str, count: int) -> None:
    assert len(found(matmul(terms, kind), RULE)) == count


@pytest.mark.parametrize(
    ("terms", "kind", "count"), [(4096, "mixed", 0), (8192, "mixed", 1), (4096, "equal", 1), (1024, "equal", 0)]
)
def test_fully_connected_has_several(terms: int, kind: str, count: int) -> None:
    assert len(found(dense(terms, kind), RULE)) == count


def test_convolutions_count_their_window() -> None:
    assert len(found(conv(128), RULE)) == 1
    assert found(conv(64), RULE) == ()
    assert len(found(conv(64, "positive"), RULE)) == 1


def test_a_pointwise_convolution_of_a_small_image_has_several_accumulators() -> None:
    assert len(found(conv(1024, kernel=1), RULE)) == 1
    assert found(conv(1024, kernel=1, side=4), RULE) == ()


@pytest.mark.parametrize(("keys", "count"), [(256, 0), (512, 0), (384, 1), (768, 1), (1024, 1)])
def test_keys(keys: int, count: int) -> None:
    assert len(found(attention(keys), RULE)) == count


def test_stripped_weights_count_by_their_number_alone() -> None:
    g = Graph()
    x = g.input([1, 1, 16, 600], name="x")
    g.output(g.op("BATCH_MATMUL", x, g.const(shape=[1, 1, 600, 2], fill=0.0), out=[1, 1, 16, 2]))
    assert found(g, RULE) == ()


def test_blocks_of_channels_are_the_rewrite() -> None:
    g = Graph()
    x = g.input([1, 8, 8, 128], name="x")

    def block(start: int) -> Tensor:
        begin, size = g.const([0, 0, 0, start], type="INT32"), g.const([1, 8, 8, 64], type="INT32")
        part = g.op("SLICE", x, begin, size, out=[1, 8, 8, 64])
        w = g.const([row("positive", 576)] * 2, shape=[2, 3, 3, 64], type="FLOAT32")
        return g.op("CONV_2D", part, w, g.const(shape=[2], fill=0.0), out=[1, 8, 8, 2])

    g.output(g.op("ADD", block(0), block(64)))
    assert found(g, RULE) == ()


def test_chunks_are_the_rewrite() -> None:
    g = Graph()
    x = g.input([1, 16, 8, 256], name="x")
    y = g.op("BATCH_MATMUL", x, g.const(shape=[1, 16, 256, 8], fill=0.5), out=[1, 16, 8, 8])
    g.output(g.op("SUM", y, g.const([1], type="INT32"), out=[1, 8, 8]))
    assert found(g, RULE) == ()


@pytest.mark.parametrize(("length", "count"), [(64, 0), (1024, 1)])
def test_running_sums(length: int, count: int) -> None:
    g = Graph()
    g.output(g.op("CUMSUM", g.input([1, 1, 4, length], name="x"), g.const(3, type="INT32")))
    assert len(found(g, RULE)) == count


def test_one_finding_names_the_longest() -> None:
    g = Graph()
    x = g.input([1, 1, 16, 1024], name="x")
    for _ in range(3):
        x = g.op("BATCH_MATMUL", x, g.const(shape=[1, 1, 1024, 1024], fill=0.0), out=[1, 1, 16, 1024])
    g.output(x)
    (finding,) = found(g, RULE)
    assert "3 operators" in finding.message


def test_other_backends_were_not_measured_and_fp32_is_fine() -> None:
    assert [finding.severity for finding in found(matmul(2048), RULE, backend="metal")] == [Severity.WARNING]
    assert found(matmul(2048), RULE, precision="fp32") == ()
