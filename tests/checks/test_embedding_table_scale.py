from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of


def test_message() -> None:
    assert spoken_of("embedding-table-scale", "one scale") == snapshot("""\
0/0:EMBEDDING_LOOKUP: error: all rows but the first of the table const_1 [8, 8] are read as zeros, because it has one scale [embedding-table-scale]
  help: quantize the table per channel along axis 0, or repeat its scale for each row: exact\
""")


def test_one_row_has_its_scale() -> None:
    assert spoken_of("embedding-table-scale", "one row") == ""
