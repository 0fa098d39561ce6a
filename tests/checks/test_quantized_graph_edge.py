from __future__ import annotations

from inline_snapshot import snapshot
from recorded import spoken_of

RULE = "quantized-graph-edge"


def test_messages() -> None:
    assert spoken_of(RULE, "INT8 quantized", "2.1.3") == snapshot("""\
0/0:RESHAPE: error: the quantized INT8 graph input input_0 compiles and fails at the first run (NOT_FOUND … delegate_kernel_litert.cc) [quantized-graph-edge]
  help: use 2.1.4 or later, or give the graph FLOAT32 inputs and outputs
0/0:RESHAPE: error: the quantized INT8 graph output reshape_2 compiles and fails at the first run (NOT_FOUND … delegate_kernel_litert.cc) [quantized-graph-edge]
  help: use 2.1.4 or later, or give the graph FLOAT32 inputs and outputs\
""")
    assert spoken_of(RULE, "UINT32", "2.1.5") == snapshot("""\
0/0:RESHAPE: error: the UINT32 graph input input_0 compiles and fails at the first run (Unsupported element type) [quantized-graph-edge]
  help: use 2.1.6 or later, or give the graph FLOAT32 inputs and outputs
0/0:RESHAPE: error: the UINT32 graph output reshape_2 compiles and fails at the first run (Unsupported element type) [quantized-graph-edge]
  help: use 2.1.6 or later, or give the graph FLOAT32 inputs and outputs\
""")


def test_a_buffer_that_webgpu_refuses_says_nothing_about_other_backends() -> None:
    assert spoken_of(RULE, "UINT32", "2.1.5", "opencl") == ""
    assert spoken_of(RULE, "INT8 quantized", "2.1.3", "opencl") != ""
