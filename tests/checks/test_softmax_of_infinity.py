from __future__ import annotations

from inline_snapshot import snapshot
from judging import found
from recorded import spoken_of

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity

RULE = "softmax-of-infinity"


def test_a_constant_mask() -> None:
    assert spoken_of(RULE, "sliding window") == snapshot("""\
0/0:ADD: error: 1 of 8 rows of the mask hide their first 4 entries with minus infinity: SOFTMAX gives NaN for these rows [softmax-of-infinity]
  help: use -30000 for what is hidden, which is right in fp32 and fp16\
""")


def test_a_runtime_mask() -> None:
    assert spoken_of(RULE, "selected") == snapshot("""\
0/1:SELECT_V2: warning: minus infinity is selected for what is hidden: SOFTMAX gives NaN for every row whose first 4 entries are hidden [softmax-of-infinity]
  help: use -30000 for what is hidden, which is right in fp32 and fp16\
""")


def test_elsewhere_it_is_a_warning() -> None:
    assert spoken_of(RULE, "four first", backend="opencl").splitlines()[0].split(": ")[1] == "warning"


def test_layers_that_share_a_mask_are_one_fault() -> None:
    g = Graph()
    x = g.input([1, 1, 2, 8], name="x")
    mask = g.const([[[[0.0] * 8, [float("-inf")] * 4 + [0.0] * 4]]], type="FLOAT32")
    for _ in range(3):
        x = g.op("SOFTMAX", g.op("ADD", x, mask))
    g.output(x)
    assert [finding.severity for finding in found(g, RULE)] == [Severity.ERROR]
    assert found(g, "fp16-mask") == ()


def test_a_mask_that_no_softmax_reads() -> None:
    g = Graph()
    mask = g.const([float("-inf")] * 4 + [0.0] * 4, type="FLOAT32")
    g.output(g.op("RELU", g.op("ADD", g.input([1, 8]), mask)))
    assert found(g, RULE) == ()
