from __future__ import annotations

from typing import Any

import pytest
from inline_snapshot import snapshot
from judging import ALL, found, releases, spoken

from tflint.fixtures.builder import Graph


def resize(**flags: Any) -> Graph:
    g = Graph()
    g.output(
        g.op(
            "RESIZE_BILINEAR", g.input([1, 4, 4, 8], name="x"), g.const([8, 8], type="INT32"), out=[1, 8, 8, 8], **flags
        )
    )
    return g


def test_both_flags_of_a_resize() -> None:
    assert releases(resize(align_corners=True, half_pixel_centers=True), "cpu-prepare") == ALL
    assert spoken(found(resize(align_corners=True, half_pixel_centers=True), "cpu-prepare")) == snapshot("""\
0/0:RESIZE_BILINEAR: error: Node number 0 (RESIZE_BILINEAR) failed to prepare: If half_pixel_centers is True, align_corners must be False. [cpu-prepare]
  help: give the operator the form that its CPU kernel wants; the words above are the runtime's\
""")


@pytest.mark.parametrize("flag", ["align_corners", "half_pixel_centers"])
def test_one_flag_is_fine(flag: str) -> None:
    assert releases(resize(**{flag: True}), "cpu-prepare") == ()
