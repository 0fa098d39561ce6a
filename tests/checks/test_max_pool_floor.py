from __future__ import annotations

from inline_snapshot import snapshot
from judging import found, spoken
from recorded import spoken_of

from tflint.fixtures.builder import Graph
from tflint.linter.settings import Settings

RULE = "max-pool-floor"


def test_messages() -> None:
    assert spoken_of(RULE, "-1e6") == snapshot("""\
0/2:MAX_POOL_2D: error: windows of add_3 whose values are all below -10000 (it reaches -1e+06) return -10000 [max-pool-floor]
  help: clamp the values at -10000 before the pool, or scale them down by a power of two and up again\
""")
    assert spoken_of(RULE, "INT8") == snapshot("""\
0/0:MAX_POOL_2D: error: the maximum over INT8 data without quantization parameters is not written: its shader does not compile [max-pool-floor]
  help: CAST to FLOAT32 before the pool, or use REDUCE_MAX\
""")


def test_a_mask_may_cover_a_window() -> None:
    g = Graph()
    x = g.op("ADD", g.op("LOGISTIC", g.input([1, 4, 4, 8])), [[[[0.0]], [[-1e9]], [[0.0]], [[0.0]]]])
    g.output(g.op("MAX_POOL_2D", x, filter_height=1, filter_width=1, stride_h=1, stride_w=1))
    assert spoken(found(g, RULE)) == snapshot("""\
0/2:MAX_POOL_2D: warning: windows of add_3 whose values may all be below -10000 (it reaches -1e+09) return -10000 [max-pool-floor]
  help: clamp the values at -10000 before the pool, or scale them down by a power of two and up again\
""")


def test_values_that_nothing_bounds_are_not_named() -> None:
    g = Graph()
    x = g.op("ADD", g.input([1, 4, 4, 8], name="x"), g.const([-1e9], type="FLOAT32"))
    g.output(g.op("MAX_POOL_2D", x, filter_height=1, filter_width=1, stride_h=1, stride_w=1))
    assert found(g, RULE) == ()
    assert found(g, RULE, settings=Settings((("x", -1.0, 1.0),))) != ()
