"""What tests of reports share: small models, and what a run prints of them."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

import tflint
from tflint.commands import tflint as command
from tflint.fixtures.builder import Graph

HOSTILE = "a`b|c<d>\"e'&f\x1b[1m\n::error::g [h](i) @all #1"
"""A tensor's name that means something to every format."""

MARKUP = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>"
"""One that a page might execute."""


def graph() -> bytes:
    """RELU_0_TO_1 is refused from 2.1.5 on; the exclusive CUMSUM is wrong on WebGPU."""
    g = Graph()
    y = g.op("ABS", g.input([1, 4, 4, 8], name="i"), name="a")
    g.output(g.op("RELU_0_TO_1", y), g.op("CUMSUM", y, g.const(2, type="INT32"), exclusive=True))
    return g.build()


def hostile() -> bytes:
    """A sum that is returned and consumed: the finding names the tensor in its message."""
    g = Graph()
    x, y = g.input([1, 4, 4, 8], name="x"), g.input([1, 4, 4, 8], name=MARKUP)
    residual = g.op("ADD", x, y, name=HOSTILE)
    pooled = g.op("SUM", residual, [1, 2], name="pooled")
    g.output(residual, pooled)
    g.signature(inputs={MARKUP: x, "y": y}, outputs={HOSTILE: residual, "pooled": pooled})
    return g.build()


def partly(operators: int = 12, name: str = "x") -> bytes:
    """A chain with a refused operator in its middle and one that an upgrade breaks."""
    g = Graph()
    x = g.input([1, 4, 4, 8], name=name)
    for number in range(operators):
        x = g.op("LOG_SOFTMAX" if number == operators // 2 else "RELU_0_TO_1" if number == 1 else "ABS", x)
    g.output(x)
    return g.build()


def clean() -> bytes:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4, 4, 8], name="x")))
    return g.build()


def shown(folder: Path, form: str, *options: str, data: bytes | None = None, litert: str = "2.1.4,2.1.6") -> str:
    """What a run prints of a model in a folder, without what differs between machines and versions."""
    path = folder / "model.tflite"
    path.write_bytes(graph() if data is None else data)
    arguments = [str(path), "--format", form, "--litert", litert, *options]
    text = CliRunner().invoke(command, arguments, catch_exceptions=False).stdout
    return (
        text.replace(folder.as_uri(), "file:///FOLDER")
        .replace(str(folder), "FOLDER")
        .replace(tflint.__version__, "VERSION")
    )


def page(folder: Path, *models: bytes, options: tuple[str, ...] = ("--litert", "all")) -> str:
    """The HTML report of models in a folder."""
    paths = []
    for number, data in enumerate(models):
        path = folder / f"model{number}.tflite"
        path.write_bytes(data)
        paths.append(str(path))
    written = folder / "report.html"
    CliRunner().invoke(command, [*paths, *options, "--report", str(written)], catch_exceptions=False)
    return written.read_text(encoding="utf-8")
