from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken
from recorded import spoken_of

from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.findings import Severity
from tflint.linter.settings import Settings

RULE = "dynamic-update-start"


def stepped(g: Graph, data: list[int], update: list[int], starts: Tensor) -> Graph:
    g.output(g.op("DYNAMIC_UPDATE_SLICE", g.input(data), g.input(update), starts))
    return g


def test_message() -> None:
    g = Graph()
    assert spoken(found(stepped(g, [16, 8], [1, 8], g.input([2], "INT32", name="pos")), RULE)) == snapshot("""\
0/0:DYNAMIC_UPDATE_SLICE: warning: the update input_2 [1, 8] always lands at the beginning of the first axis of input_1 [16, 8], whatever its start [dynamic-update-start]
  help: RESHAPE both to one more axis in front, with a 0 in front of the starts: exact\
""")


def test_a_negative_start() -> None:
    g = Graph()
    stepped(g, [1, 16, 8], [1, 2, 8], g.input([3], "INT32", name="pos"))
    assert found(g, RULE) == ()
    assert spoken(found(g, RULE, settings=Settings((("pos", -1.0, 14.0),)))) == snapshot("""\
0/0:DYNAMIC_UPDATE_SLICE: warning: the starts pos can be negative (-1): a part of the update is lost then, where the CPU starts at 0 [dynamic-update-start]
  help: MAXIMUM of the starts with 0: exact\
""")
    assert found(g, RULE, settings=Settings((("pos", 0.0, 14.0),))) == ()


@pytest.mark.parametrize(("lowest", "severity"), [(0.0, Severity.WARNING), (1.0, Severity.ERROR)])
def test_a_start_that_is_never_0_is_surely_wrong(lowest: float, severity: Severity) -> None:
    g = Graph()
    stepped(g, [16, 8], [1, 8], g.input([2], "INT32", name="pos"))
    (finding,) = found(g, RULE, settings=Settings((("pos", lowest, 15.0),)))
    assert finding.severity is severity


@pytest.mark.parametrize("name", ["PACK", "CONCATENATION"])
def test_the_start_of_the_first_axis_is_told_from_the_others(name: str) -> None:
    def graph(first: bool) -> Graph:
        g = Graph()
        shape = [] if name == "PACK" else [1]
        parts = [g.const([0], shape, type="INT32"), g.input(shape, "INT32")]
        return stepped(g, [16, 8], [1, 8], g.op(name, *(reversed(parts) if first else parts), axis=0, out=[2]))

    assert found(graph(first=False), RULE) == ()
    assert found(graph(first=True), RULE) != ()


@pytest.mark.parametrize("name", ["rank 2, channels", "rank 3, rows", "rank 4, batch", "rank 4, height"])
def test_other_axes_and_rank_four(name: str) -> None:
    assert spoken_of(RULE, name) == ""
