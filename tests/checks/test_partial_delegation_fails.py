from __future__ import annotations

from inline_snapshot import snapshot
from judging import found
from recorded import spoken_of

from tflint.fixtures.builder import Graph

RULE = "partial-delegation-fails"


def test_messages() -> None:
    assert spoken_of(RULE, "GPU then CPU", "2.1.3") == snapshot("""\
0/0:TANH: error: compiles and fails at the first run: tanh_1 is shared by the GPU and the CPU [partial-delegation-fails]
  help: use 2.1.4 or later, or replace the refused operators so that all of the graph runs on the GPU\
""")
    assert spoken_of(RULE, "CPU makes an output that the GPU reads", "2.2.0") == snapshot("""\
0/1:TANH: error: running it kills the process: the CPU makes the output l2_normalization_1, and TANH reads it on the GPU [partial-delegation-fails]
  help: return a copy of the tensor: RESHAPE to its own shape\
""")


def test_where_the_cpu_is_not_allowed_it_would_not_help() -> None:
    assert spoken_of(RULE, "GPU then CPU", "2.1.3", accelerators="gpu") == snapshot("""\
0/0:TANH: warning: allowing the CPU would not help: the graph compiles and fails at the first run: tanh_1 is shared by the GPU and the CPU [partial-delegation-fails]
  help: use 2.1.4 or later, or replace the refused operators so that all of the graph runs on the GPU\
""")


def test_a_called_subgraph_exchanges_tensors_with_the_cpu() -> None:
    g = Graph()
    body = g.subgraph("body")
    x = body.input([1, 8])
    body.output(body.op("TANH", x))
    g.output(g.composite("unknown.name", g.input([1, 8]), decomposition=body))
    assert found(g, RULE, "2.1.3", accelerators="gpu,cpu") != ()
    assert found(g, RULE, "2.1.4", accelerators="gpu,cpu") == ()
