"""The models of the benchmark. Run as a module, this writes them and prints what they are, as JSON lines."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from weights import dense, stretched

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.reader import read_file

from .subjects import Subject

MB, GIB = 10**6, 1 << 30

REAL_OPERATORS, REAL_BYTES = 400, 50 * MB
MANY = 300
"""Models in one call."""

STAGES = ((24, 2, 1), (32, 3, 6), (48, 3, 6), (96, 5, 6), (136, 5, 6), (232, 6, 6), (384, 2, 6))
"""Channels, blocks and growth inside a block of the stages of EfficientNet-B3, https://arxiv.org/abs/1905.11946."""

ROW = 4096
"""Bytes of a row of `dense` weights."""


def network(blocks: Iterable[tuple[int, int]], *, stem: int, head: int) -> Graph:
    """A network with the operators of EfficientNet as the converter writes them; every weight is zero.

    `blocks` are (channels, growth): an inverted bottleneck with squeeze and excitation each, 12 to 15 operators.
    """
    g = Graph()
    x = _swish(g, _conv(g, g.input([1, 64, 64, 3], name="image"), stem))
    for channels, growth in blocks:
        before = x.shape[-1] if x.shape else channels
        inner = x if growth == 1 else _swish(g, _conv(g, x, before * growth))
        inner = _swish(g, _conv(g, inner, before * growth, depthwise=True))
        gate = g.op("MEAN", inner, [1, 2], keep_dims=True)
        gate = _conv(g, _swish(g, _conv(g, gate, max(1, before // 4))), before * growth)
        y = _conv(g, g.op("MUL", inner, g.op("LOGISTIC", gate)), channels)
        x = g.op("ADD", x, y) if before == channels else y
    x = g.op("MEAN", _swish(g, _conv(g, x, head)), [1, 2])
    weights = g.const(shape=[1000, head], data=bytes(4000 * head))
    g.output(g.op("SOFTMAX", g.op("FULLY_CONNECTED", x, weights), beta=1.0))
    return g


def _swish(g: Graph, x: Tensor) -> Tensor:
    return g.op("MUL", x, g.op("LOGISTIC", x))


def _conv(g: Graph, x: Tensor, channels: int, *, depthwise: bool = False) -> Tensor:
    assert x.shape is not None
    size = [1, 3, 3, channels] if depthwise else [channels, 1, 1, x.shape[-1]]
    weights = g.const(shape=size, data=bytes(4 * math.prod(size)))
    bias = g.const(shape=[channels], data=bytes(4 * channels))
    if depthwise:
        return g.op("DEPTHWISE_CONV_2D", x, weights, bias, padding="SAME", stride_w=1, stride_h=1, depth_multiplier=1)
    return g.op("CONV_2D", x, weights, bias, padding="SAME", stride_w=1, stride_h=1)


def efficientnet() -> Graph:
    """The size and the operators of EfficientNet-B3: 49 MB of weights."""
    blocks = [(channels, growth) for channels, count, growth in STAGES for _ in range(count)]
    return network(blocks, stem=40, head=1536)


def deep(operators: int) -> Graph:
    """The first such network of equal, narrow blocks with at least so many operators."""
    a_block = len(network([(8, 6)] * 2, stem=8, head=8).operators) - len(network([(8, 6)], stem=8, head=8).operators)
    around = len(network([], stem=8, head=8).operators)
    return network([(8, 6)] * math.ceil((operators - around) / a_block), stem=8, head=8)


def zoo(folder: Path) -> Path:
    """Networks of 1 to 20 blocks, again and again."""
    folder.mkdir(exist_ok=True)
    made = [network([(16, 6)] * blocks, stem=16, head=64).build() for blocks in range(1, 21)]
    for number in range(MANY):
        (folder / f"{number:03}.tflite").write_bytes(made[number % len(made)])
    return folder


def nearest(models: Iterable[Subject]) -> Subject:
    """The model whose size and number of operators are least far, as factors, from 50 MB and 400."""

    def distance(model: Subject) -> float:
        return abs(math.log(model.size / REAL_BYTES)) + abs(math.log(max(1, model.operators) / REAL_OPERATORS))

    return min(models, key=distance)


def described(name: str, path: Path) -> Subject:
    with read_file(path) as model:
        return Subject(name, str(path), sum(len(graph.operators) for graph in model.subgraphs), path.stat().st_size)


def make(folder: Path, corpus: Path | None = None, given: Path | None = None) -> Iterator[Subject]:
    """Write the models of every case into the folder, and say what they are."""
    g = Graph()
    x = g.input([1, 8, 8, 8])
    g.output(g.op("ADD", x, g.op("ABS", x)))
    yield described("tiny", g.write(folder / "tiny.tflite"))
    yield described("network", efficientnet().write(folder / "network.tflite"))
    for name, size, outside in (("1 GB", GIB, False), ("2.4 GB", 2400 * MB, True)):
        data = dense(size // ROW, outside=outside)
        yield described(name, stretched(folder / f"{name}.tflite", data, size // ROW * ROW))
    for name, count in (("10,000", 10_000), ("20,000", 20_000)):
        yield described(name, deep(count).write(folder / f"{name}.tflite"))
    if given is not None:
        yield described("given", given)
    if corpus is None:
        many = zoo(folder / "zoo")
    else:
        many = corpus / "models"
        yield nearest(described("corpus", path) for path in sorted(many.glob("*.tflite")))
    count = sum(1 for _ in many.glob("*.tflite"))
    yield Subject("many", str(many), count, sum(path.stat().st_size for path in many.glob("*.tflite")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--model", type=Path)
    asked = parser.parse_args()
    for subject in make(asked.folder, asked.corpus, asked.model):
        print(json.dumps(asdict(subject)))
