"""How accepted operators merge, which partition is kept, and what is said of several subgraphs (all measured)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from fates import fates

from tflint.fixtures.builder import Graph
from tflint.fixtures.probes import partition
from tflint.linter.delegate.partition import fix_order, largest, partitions
from tflint.linter.delegate.placement import On, Placement, Placer
from tflint.linter.delegate.tie import first_of_the_largest
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS

ALL = "2.1.2-2.3.0"
MODELS = {probe.name.removeprefix("partition/"): probe.build for probe in partition.probes()}


def place(case: str) -> Placement:
    return Placer(read(MODELS[case]())).place("2.3.0")


def sides(placement: Placement) -> str:
    return "".join("y" if op.on is On.GPU else "n" for op in placement.ops if op.subgraph == 0)


@pytest.mark.parametrize(
    ("case", "where"),
    [
        ("chain_ynyy", "nnyy"),
        ("chain_yyny", "yynn"),
        ("chain_ynyny", "ynnnn"),
        ("branches", "ynnyyyn"),
        ("late", "ynny"),
        ("out_of_order", "nyn"),
    ],
)
def test_where_operators_run(case: str, where: str) -> None:
    assert sides(place(f"graph/{case}")) == where


def test_branches_merge_wherever_the_data_flow_allows() -> None:
    graph = read(MODELS["graph/branches"]()).subgraphs[0]
    assert partitions(graph, {op.index for op in graph.operators if op.name != "LOG_SOFTMAX"}) == [[0, 3, 4, 5], [2, 6]]


@pytest.mark.parametrize(
    ("case", "dies"),
    [
        ("2_first", True),
        ("2_last", False),
        ("23_first", True),
        ("24_first", True),
        ("24_last", False),
        ("edges_0", False),
        ("edges_25", True),
    ],
)
def test_which_of_equal_partitions_is_kept(case: str, dies: bool) -> None:
    """The one that cannot be built kills exactly when it is the one that is kept."""
    assert fates(MODELS[f"tie/{case}"]) == (f"{ALL} fails SPLIT_ONE_OUTPUT" if dies else f"{ALL} partial")


def test_the_first_of_the_largest_is_one_of_the_largest() -> None:
    random = Random(7)
    for _ in range(300):
        sizes = [random.randint(1, random.choice((1, 2, 40))) for _ in range(random.choice((1, 5, 23, 24, 60, 200)))]
        found = first_of_the_largest(sizes)
        assert sizes[found] == max(sizes)
        if len(sizes) < 24:
            assert found == sizes.index(max(sizes))
    assert largest([]) == ()


@pytest.mark.parametrize(
    ("sizes", "first"),
    [([2] * 3 + [1] * 20 + [2] * 3, 25), ([1] * 33, 0), ([1, 2] * 10, 1)],
)
def test_the_order_of_the_runtime(sizes: list[int], first: int) -> None:
    assert first_of_the_largest(sizes) == first


def test_bodies_are_reported_and_counted() -> None:
    placement = place("control/WHILE_yny")
    assert [graph.sentence for graph in placement.subgraphs] == [
        "2 operations will run on the GPU, and the remaining 2 operations will run on the CPU.",
        None,
        "2 operations will run on the GPU, and the remaining 2 operations will run on the CPU.",
    ]


def test_control_operators_keep_their_order() -> None:
    for case in ("two_IF", "nested_IF", "WHILE_only", "IF_only"):
        assert place(f"control/{case}").line, case


def test_several_subgraphs() -> None:
    assert place("subgraphs/signatures_full").verdict.value == "full"
    assert place("subgraphs/second_partial").verdict.value == "partial"
    assert len(place("subgraphs/validation").subgraphs) == 1


def test_what_follows_the_failing_subgraph_is_unknown() -> None:
    placement = place("subgraphs/second_dies")
    assert [graph.index for graph in placement.subgraphs] == [0, 1]
    assert sides(placement) == "yn"
    assert {op.on for op in placement.ops if op.subgraph == 2} == {On.UNKNOWN}
    assert place("subgraphs/second_dynamic").failures[0].subgraph == 1


def test_fixes_come_by_what_they_win() -> None:
    graph = Graph()
    value = partition.chain(graph, graph.input((1, 4)), "++-++-++")
    graph.output(graph.op("CUMSUM", value, 1))
    subgraph = read(graph.build()).subgraphs[0]
    first, second = fix_order(subgraph, [2, 5, 8], 5)
    assert (first.operators, first.gpu) == ((2, 5), 8)
    assert (second.operators, second.gpu) == ((8,), 9)


def test_decisions_are_reused_where_releases_agree() -> None:
    placer = Placer(read(MODELS["graph/branches"]()))
    placements = [placer.place(release) for release in VERSIONS]
    assert all(earlier.ops is later.ops for earlier, later in pairwise(placements[-2:]))


def test_resources_are_dynamic_tensors() -> None:
    assert fates(MODELS["control/CALL_ONCE"]) == "2.1.2-2.1.4 unloadable ELEMENT_TYPE\n2.1.5-2.3.0 fails DYNAMIC_SHAPE"
