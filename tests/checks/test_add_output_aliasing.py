from __future__ import annotations

from judging import ALL, releases

from tflint.fixtures.builder import Graph

UP_TO_2_1_5 = ALL[:4]
SHAPE = [1, 4, 4, 8]


def add(consumer: str, returned: bool = True, constant: bool = False) -> Graph:
    g = Graph()
    x = g.input(SHAPE)
    acc = g.op("ADD", x, g.const(shape=SHAPE, fill=0.5) if constant else g.input(SHAPE), name="acc")
    last = g.op("SUM", acc, g.const([1, 2], type="INT32"), out=[1, 8]) if consumer == "SUM" else g.op(consumer, acc)
    g.output(*((acc, last) if returned else (last,)))
    return g


def test_a_reduction_is_wrong_on_every_release() -> None:
    assert releases(add("SUM"), "add-output-aliasing") == ALL


def test_an_element_wise_consumer_up_to_2_1_5() -> None:
    assert releases(add("LOGISTIC"), "add-output-aliasing") == UP_TO_2_1_5


def test_near_misses() -> None:
    assert releases(add("SUM", returned=False), "add-output-aliasing") == ()
    assert releases(add("SUM", constant=True), "add-output-aliasing") == ()
