from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken

from tflint.fixtures.builder import Graph
from tflint.linter.findings import Severity

RULE = "fp16-resize-coordinates"


def resize(source: int, target: int, flags: str = "", *, op: str = "RESIZE_BILINEAR", axis: int = 2) -> Graph:
    shapes = [[1, 4, 4, 4], [1, 4, 4, 4]]
    shapes[0][axis], shapes[1][axis] = source, target
    g = Graph()
    x = g.input(shapes[0], name="x")
    size = g.const(shapes[1][1:3], type="INT32")
    options = {"align_corners": flags == "corners", "half_pixel_centers": flags == "centres"}
    g.output(g.op(op, x, size, out=shapes[1], name="y", **options))
    return g


def test_doubling_beyond_1024() -> None:
    assert spoken(found(resize(520, 1040, "centres"), RULE)) == snapshot("""\
0/0:RESIZE_BILINEAR: error: the coordinates of 520 to 1040 along the width (half_pixel_centers) are rounded in half precision: off by about 25 % on noise, a tenth of it on smooth images [fp16-resize-coordinates]
  help: resize overlapping parts that stay within the exact sizes, cut and concatenate them; or use a factor of a power of two; or compute in fp32: `GpuOptions(enforce_f32=True)`, in 2.1.5 and later, clears it\
""")


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize(
    ("source", "target", "flags", "severity"),
    [
        (512, 1024, "centres", None),
        (520, 1040, "centres", Severity.ERROR),
        (256, 1024, "centres", None),
        (320, 1280, "centres", Severity.ERROR),
        (1000, 500, "centres", None),
        (1536, 768, "centres", Severity.ERROR),
        (511, 255, "centres", Severity.WARNING),
        (32, 48, "centres", None),
        (64, 96, "centres", Severity.WARNING),
        (1536, 2304, "centres", Severity.ERROR),
        (1024, 2048, "", None),
        (1100, 2200, "", Severity.ERROR),
        (1536, 768, "", None),
        (100, 150, "", Severity.WARNING),
        (32, 96, "corners", None),
        (64, 128, "corners", Severity.WARNING),
        (1000, 2000, "corners", Severity.ERROR),
        (65, 129, "corners", None),
    ],
)
def test_sizes(source: int, target: int, flags: str, severity: Severity | None, axis: int) -> None:
    findings = found(resize(source, target, flags, axis=axis), RULE)
    assert [finding.severity for finding in findings] == [severity] * (severity is not None)


@pytest.mark.parametrize("flags", ["", "centres", "corners"])
def test_the_same_size_is_right(flags: str) -> None:
    assert found(resize(3000, 3000, flags), RULE) == ()


def test_nearest_neighbour_is_right() -> None:
    assert found(resize(3000, 6000, op="RESIZE_NEAREST_NEIGHBOR"), RULE) == ()


def test_other_backends_were_not_measured() -> None:
    findings = found(resize(520, 1040, "centres"), RULE, backend="opencl")
    assert [finding.severity for finding in findings] == [Severity.WARNING]


def test_fp32_is_fine() -> None:
    assert found(resize(520, 1040, "centres"), RULE, precision="fp32") == ()
