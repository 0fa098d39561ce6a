from __future__ import annotations

from inline_snapshot import snapshot
from judging import found, releases, spoken

from tflint.fixtures.builder import Graph

FROM_2_1_5 = ("2.1.5", "2.1.6", "2.2.0", "2.3.0")


def relu(op: str = "RELU_0_TO_1") -> Graph:
    g = Graph()
    g.output(g.op(op, g.input([1, 4, 4, 8], name="x")))
    return g


def test_the_exact_rewrite_is_given() -> None:
    assert spoken(found(relu(), "relu-0-to-1", "2.1.5")) == snapshot("""\
0/0:RELU_0_TO_1: error: the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1 [relu-0-to-1]
  help: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release\
""")


def test_accepted_up_to_2_1_4_and_refused_from_2_1_5() -> None:
    assert releases(relu(), "relu-0-to-1") == FROM_2_1_5


def test_holds_for_every_backend() -> None:
    assert releases(relu(), "relu-0-to-1", "opencl") == FROM_2_1_5
    assert releases(relu(), "relu-0-to-1", "metal") == FROM_2_1_5


def test_its_neighbours_are_accepted() -> None:
    for op in ("RELU", "RELU6", "RELU_N1_TO_1"):
        assert releases(relu(op), "relu-0-to-1") == ()


def test_another_rank_is_the_fault_of_rank() -> None:
    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 1, 4, 4, 8])))
    assert len(found(g, "rank-over-four", "2.1.4")) == 1
    assert found(g, "relu-0-to-1", "2.1.4") == ()
