from __future__ import annotations

from collections.abc import Callable

import pytest
from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph, Tensor

RULE = "several-input-convs"


def conv(g: Graph, x: Tensor, name: str, channels: int = 3) -> Tensor:
    w, b = g.const(shape=[4, 3, 3, channels], fill=0.5, name=name), g.const(shape=[4], fill=0.0)
    return g.op("CONV_2D", x, w, b, out=[1, 8, 8, 4], padding="SAME", stride_w=1, stride_h=1)


def graph(make: Callable[[Graph, Tensor], list[Tensor]]) -> Graph:
    g = Graph()
    g.output(*make(g, g.input([1, 8, 8, 3], name="image")))
    return g


def stems(g: Graph, x: Tensor, count: int = 2) -> list[Tensor]:
    return [conv(g, x, f"stem{number}") for number in range(count)]


def test_two_stems_are_listed_with_weights_and_channel_axis() -> None:
    found_here = found(graph(lambda g, x: stems(g, g.op("MUL", x, g.const([0.5, 0.5, 0.5])))), RULE)
    assert spoken(found_here) == snapshot("""\
0/1:CONV_2D: info: graph input image feeds 2 first convolutions: CONV_2D at 1, weights stem0 [4, 3, 3, 3]; CONV_2D at 2, weights stem1 [4, 3, 3, 3] [several-input-convs]
  help: a colour or normalisation fold must touch the weights of every one of them, along channel axis 3\
""")
    (finding,) = found_here
    assert finding.place is not None
    assert finding.place.tensors == ("image", "stem0", "stem1")


def depthwise(g: Graph, x: Tensor) -> Tensor:
    w, b = g.const(shape=[1, 3, 3, 3], fill=0.5, name="depth"), g.const(shape=[3], fill=0.0)
    return g.op(
        "DEPTHWISE_CONV_2D", x, w, b, out=[1, 8, 8, 3], padding="SAME", stride_w=1, stride_h=1, depth_multiplier=1
    )


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            lambda g, x: [conv(g, x, "a"), conv(g, g.op("PAD", x, [[0, 0]] * 4, out=[1, 8, 8, 3]), "b")], id="padded"
        ),
        pytest.param(lambda g, x: [conv(g, x, "a"), depthwise(g, x)], id="depthwise"),
        pytest.param(
            lambda g, x: [conv(g, x, "a"), conv(g, g.op("RESIZE_BILINEAR", x, [8, 8], out=[1, 8, 8, 3]), "b")],
            id="resized",
        ),
    ],
)
def test_stems_behind_what_keeps_the_colours(make: Callable[[Graph, Tensor], list[Tensor]]) -> None:
    (finding,) = found(graph(make), RULE)
    assert "feeds 2 first convolutions" in finding.message


def test_many_stems_are_not_all_listed() -> None:
    (finding,) = found(graph(lambda g, x: stems(g, x, 9)), RULE)
    assert "and 3 more" in finding.message


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(lambda g, x: stems(g, x, 1), id="one stem"),
        pytest.param(lambda g, x: stems(g, g.op("MUL", x, g.input([1, 8, 8, 3]))), id="mixed with another input"),
        pytest.param(lambda g, x: [conv(g, conv(g, x, "a"), "b", 4)], id="one after the other"),
        pytest.param(lambda g, x: [conv(g, x, "a"), conv(g, g.op("ABS", x), "b")], id="behind an activation"),
        pytest.param(lambda g, x: [conv(g, x, "a"), conv(g, g.input([1, 8, 8, 3]), "b")], id="two inputs"),
    ],
)
def test_near_misses(twin: Callable[[Graph, Tensor], list[Tensor]]) -> None:
    assert releases(graph(twin), RULE) == ()


def test_a_body_is_no_model() -> None:
    """What a composite's decomposition is given is not an image."""
    g = Graph()
    body = g.subgraph("body")
    given = body.input([1, 8, 8, 3])
    for name in "ab":
        w, b = body.const(shape=[4, 3, 3, 3], fill=0.5, name=name), body.const(shape=[4], fill=0.0)
        body.output(body.op("CONV_2D", given, w, b, out=[1, 8, 8, 4], padding="SAME", stride_w=1, stride_h=1))
    g.output(g.op("ABS", g.input([1, 8, 8, 3])))
    assert releases(g, RULE) == ()
