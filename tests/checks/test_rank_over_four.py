from __future__ import annotations

from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def add_of_rank(rank: int) -> Graph:
    g = Graph()
    shape = [1] * (rank - 2) + [4, 8]
    x, y = g.input(shape, name="x"), g.input(shape, name="y")
    g.output(g.op("ADD", x, y))
    return g


def test_rank_five_is_refused_in_the_words_of_the_release() -> None:
    assert spoken(found(add_of_rank(5), "rank-over-four", "2.1.4")) == snapshot("""\
0/0:ADD: error: the GPU refuses ADD: Tensor "x" has bad input dims size: 5. [rank-over-four]
  help: keep it at rank 4 or below (here [1, 1, 1, 4, 8]): fold axes that move together into one, or work on slices of the tensor\
""")
    assert spoken(found(add_of_rank(5), "rank-over-four", "2.3.0")) == snapshot("""\
0/0:ADD: error: the GPU refuses ADD: Tensor dimensions must be less than 5. x [rank-over-four]
  help: keep it at rank 4 or below (here [1, 1, 1, 4, 8]): fold axes that move together into one, or work on slices of the tensor\
""")


def test_rank_five_and_six_are_refused_on_every_release() -> None:
    assert releases(add_of_rank(5), "rank-over-four") == ALL
    assert releases(add_of_rank(6), "rank-over-four") == ALL


def test_rank_four_is_not() -> None:
    assert releases(add_of_rank(4), "rank-over-four") == ()


def test_constants_count_too() -> None:
    g = Graph()
    x = g.input([4, 8])
    g.output(g.op("RESHAPE", g.op("ABS", x), g.const([1, 1, 1, 4, 8], type="INT32"), out=[1, 1, 1, 4, 8]))
    (finding,) = found(g, "rank-over-four")
    assert finding.place is not None
    assert finding.place.op == "RESHAPE"


def test_an_operator_without_a_kernel_is_another_fault() -> None:
    g = Graph()
    x = g.input([1, 1, 1, 4, 8])
    g.output(g.op("LOG_SOFTMAX", x))
    assert found(g, "rank-over-four") == ()
    assert len(found(g, "unsupported-op")) == 1


def test_a_fallback_to_the_cpu_is_a_warning() -> None:
    (finding,) = found(add_of_rank(5), "rank-over-four", accelerators="gpu,cpu")
    assert finding.severity.value == "warning"
