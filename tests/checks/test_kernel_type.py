from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from judging import found, spoken
from recorded import of, spoken_of

from tflint.fixtures.builder import Graph

RULE = "kernel-type"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "MIRROR_PAD of UINT8",
            snapshot("""\
0/1:MIRROR_PAD: error: the shader of MIRROR_PAD on UINT8 without scales does not compile: mirror_pad_3 is not written [kernel-type]
  help: CAST to FLOAT32 in front, and back behind: exact\
"""),
        ),
        (
            "RESIZE_BILINEAR of UINT8",
            snapshot("""\
0/1:RESIZE_BILINEAR: error: RESIZE_BILINEAR of cast_1, which is UINT8, cuts its weights to whole numbers: pixels are taken, not mixed [kernel-type]
  help: CAST to FLOAT32 in front, and back behind\
"""),
        ),
        (
            "AVERAGE_POOL_2D of UINT8",
            snapshot("""\
0/1:AVERAGE_POOL_2D: warning: AVERAGE_POOL_2D of cast_1, which is UINT8, rounds towards 0, where the CPU rounds to the nearest [kernel-type]
  help: CAST to FLOAT32 in front, and back behind\
"""),
        ),
        (
            "SUB with RELU, INT32",
            snapshot("""\
0/3:SUB: error: the shader of SUB on INT32 with a fused RELU does not compile: sub_6 is not written [kernel-type]
  help: MAXIMUM with 0 behind it in its place: exact\
"""),
        ),
        (
            "GREATER of flags",
            snapshot("""\
0/2:GREATER: error: the shader of GREATER on BOOL does not compile: greater_6 is not written [kernel-type]
  help: LOGICAL_AND with LOGICAL_NOT of one of them: exact\
"""),
        ),
        (
            "LOGISTIC of BFLOAT16",
            snapshot("""\
0/2:LOGISTIC: error: the shader of LOGISTIC on BFLOAT16 does not compile: logistic_4 is not written [kernel-type]
  help: compute in FLOAT32\
"""),
        ),
        (
            "FLOOR of BFLOAT16 between casts",
            snapshot("""\
0/1:FLOOR: error: the shader of FLOOR on BFLOAT16 and of the element-wise operator united with it does not compile: floor_2 is not written [kernel-type]
  help: compute in FLOAT32
0/2:CAST: error: the shader of CAST on BFLOAT16 and of the element-wise operator united with it does not compile: cast_3 is not written [kernel-type]
  help: compute in FLOAT32\
"""),
        ),
        (
            "BITCAST of INT16 to INT32",
            snapshot("""\
0/1:BITCAST: error: the shader of BITCAST from INT16 to INT32 does not compile: bitcast_2 is not written [kernel-type]
  help: take both types of one width, or keep it out of the model\
"""),
        ),
        (
            "BITCAST of FLOAT32 and MAXIMUM",
            snapshot("""\
0/0:BITCAST: error: the shader of BITCAST from FLOAT32 to INT32 and of the element-wise operator behind it does not compile: bitcast_1 is not written [kernel-type]
  help: RESHAPE between the two, to another shape: exact\
"""),
        ),
        (
            "BITCAST of FLOAT16 to INT16",
            snapshot("""\
0/1:BITCAST: error: BITCAST of cast_1 from FLOAT16 to INT16 gives wrong values [kernel-type]
  help: take both types of four bytes, or keep it out of the model\
"""),
        ),
    ],
)
def test_messages(name: str, said: str) -> None:
    assert spoken_of(RULE, name) == said


@pytest.mark.parametrize(
    "name",
    [
        "NEG of INT8", "halved", "one pixel", "RESIZE_BILINEAR of UINT8 with a scale", "SUB, INT32", "EQUAL of flags",
        "SUB with RELU, FLOAT32", "FLOOR of BFLOAT16", "BITCAST of INT32", "BITCAST of INT8 to INT32",
    ],
)  # fmt: skip
def test_what_the_kernels_are_written_for(name: str) -> None:
    assert spoken_of(RULE, name) == ""


@pytest.mark.parametrize("backend", ["opencl", "metal"])
def test_other_backends_have_other_shaders(backend: str) -> None:
    assert spoken_of(RULE, "MIRROR_PAD of UINT8", backend=backend) == ""


@pytest.mark.parametrize("op", ["RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"])
def test_shifts_of_floats(op: str) -> None:
    g = Graph()
    g.output(g.op(op, g.input([1, 4, 4, 8]), g.input([1, 4, 4, 8])))
    assert f"the shader of {op} on FLOAT32" in spoken(found(g, RULE))


def test_a_bitcast_handed_out_is_united_with_its_reader_up_to_2_1_5() -> None:
    assert "behind it does not compile" in spoken_of(RULE, "BITCAST of FLOAT32, handed out", "2.1.5")
    assert "behind it does not compile" not in spoken_of(RULE, "BITCAST of FLOAT32, handed out", "2.1.6")


def test_the_bits_of_half_precision() -> None:
    model = of(RULE, "BITCAST of FLOAT32").model
    assert spoken(found(model, RULE, precision="fp16")) == snapshot("""\
0/0:BITCAST: error: BITCAST of x from FLOAT32 to INT32: the GPU holds FLOAT32 in half precision, whose bits are others [kernel-type]
  help: enforce fp32, or keep it out of the model\
""")
    assert found(model, RULE, precision="fp32") == ()
