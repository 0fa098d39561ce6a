from __future__ import annotations

import numpy as np
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.settings import Limits, Settings

ROW = np.arange(128, dtype=np.float32)
SHAPE = [1, 8, 8, 128]


def add(values: np.ndarray, op: str = "ADD") -> Graph:
    g = Graph()
    g.output(g.op(op, g.input(SHAPE, name="x"), g.const(values, name="folded"), out=SHAPE))
    return g


def test_a_folded_broadcast_and_what_it_would_save() -> None:
    assert spoken(found(add(np.broadcast_to(ROW, SHAPE)), "oversized-constant")) == snapshot("""\
0/0:ADD: info: constant folded [1, 8, 8, 128] takes 32.0 KiB and looks folded from [1, 1, 1, 128]: it repeats along axis 1, 2 [oversized-constant]
  help: store it as [1, 1, 1, 128] and let ADD broadcast: saves 31.5 KiB\
""")


def test_every_repeated_axis_counts() -> None:
    column = np.arange(8, dtype=np.float32).reshape(1, 8, 1, 1)
    (finding,) = found(add(np.broadcast_to(column, SHAPE)), "oversized-constant")
    assert "axis 2, 3" in finding.message


def test_values_that_differ_are_not_folded() -> None:
    values = np.broadcast_to(ROW, SHAPE).copy()
    values[0, 7, 7, 127] += 1
    assert found(add(values), "oversized-constant") == ()


def test_below_the_limit_it_is_silent() -> None:
    small = np.broadcast_to(ROW[:16], [1, 4, 4, 16])
    g = Graph()
    g.output(g.op("ADD", g.input([1, 4, 4, 16]), g.const(small), out=[1, 4, 4, 16]))
    assert found(g, "oversized-constant") == ()


def test_the_limit_can_be_set() -> None:
    settings = Settings(limits=Limits(oversized_constant=1 << 20))
    assert found(add(np.broadcast_to(ROW, SHAPE)), "oversized-constant", settings=settings) == ()


def test_weights_are_never_called_folded() -> None:
    g = Graph()
    x, w, b = g.input([1, 128]), g.const(np.ones([128, 128], np.float32)), g.const(np.zeros(128, np.float32))
    g.output(g.op("FULLY_CONNECTED", x, w, b, out=[1, 128]))
    assert found(g, "oversized-constant") == ()


def test_the_same_bytes_stored_twice() -> None:
    g = Graph()
    weights = np.arange(128 * 128, dtype=np.float32).reshape(128, 128)
    x, bias = g.input([1, 128]), g.const(np.zeros(128, np.float32))
    y = g.op("FULLY_CONNECTED", x, g.const(weights, name="first"), bias, out=[1, 128])
    g.output(g.op("FULLY_CONNECTED", y, g.const(weights.copy(), name="second"), bias, out=[1, 128]))
    assert spoken(found(g, "oversized-constant")) == snapshot("""\
0/1:FULLY_CONNECTED: info: constant second (64.0 KiB) holds the same bytes as first [oversized-constant]
  help: share one tensor between the modules before export: saves 64.0 KiB\
""")


def test_one_tensor_used_twice_is_not_stored_twice() -> None:
    g = Graph()
    weights = g.const(np.arange(128 * 128, dtype=np.float32).reshape(128, 128))
    x, bias = g.input([1, 128]), g.const(np.zeros(128, np.float32))
    y = g.op("FULLY_CONNECTED", x, weights, bias, out=[1, 128])
    g.output(g.op("FULLY_CONNECTED", y, weights, bias, out=[1, 128]))
    assert found(g, "oversized-constant") == ()


def test_constants_of_one_value_neither_count_as_shared_nor_hide_others() -> None:
    """Initial zeros stand before the shared weights, more of them than a constant is compared with."""
    g = Graph()
    weights = np.arange(128 * 128, dtype=np.float32).reshape(128, 128)
    x = g.input([1, 128])
    for values in (*[np.zeros_like(weights)] * 20, weights, weights):
        x = g.op("FULLY_CONNECTED", x, g.const(values), out=[1, 128])
    g.output(x)
    (finding,) = found(g, "oversized-constant")
    assert "holds the same bytes as" in finding.message
