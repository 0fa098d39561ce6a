from __future__ import annotations

from inline_snapshot import snapshot
from judging import found
from recorded import spoken_of

from tflint.fixtures.builder import Graph
from tflint.fixtures.hazards.parts import weights

RULE = "fused-output"


def test_a_constant_folded_into_weights() -> None:
    assert spoken_of(RULE, "CONV_2D then MUL") == snapshot("""\
0/1:CONV_2D: error: the output conv_2d_4 is never written: the constant is folded into the weights [fused-output]
  help: return a copy: RESHAPE the tensor to its own shape, exact, and make the result the output\
""")


def test_a_tensor_that_the_cpu_reads() -> None:
    assert spoken_of(RULE, "for the CPU") == snapshot("""\
0/1:CONV_2D: error: conv_2d_4, which the CPU reads, is never written: the constant is folded into the weights [fused-output]
  help: let another operator on the GPU read it too, for instance a RESHAPE to its own shape that the CPU reads\
""")


def test_an_elementwise_reader_up_to_2_1_5() -> None:
    assert spoken_of(RULE, "SOFTMAX then TANH", "2.1.5") == snapshot("""\
0/1:SOFTMAX: error: the output softmax_2 is never written: TANH is computed in the kernel of SOFTMAX [fused-output]
  help: return a copy: RESHAPE the tensor to its own shape, exact, and make the result the output\
""")


def test_a_kernel_for_the_whole_normalisation() -> None:
    assert spoken_of(RULE, "norm by MUL, the mean") == snapshot("""\
0/1:MEAN: error: the output mean_3 is never written: the whole normalisation becomes one kernel [fused-output]
  help: return a copy: RESHAPE the tensor to its own shape, exact, and make the result the output\
""")


def test_each_lost_output_is_named_once() -> None:
    g = Graph()
    x = g.op("CONV_2D", g.input([1, 4, 4, 8]), weights(8, 1, 1, 8), weights(8), stride_h=1, stride_w=1)
    y = g.op("MUL", x, weights(8))
    z = g.op("ADD", y, weights(8))
    g.output(z, y, x)
    assert [str(finding.place) for finding in found(g, RULE)] == ["0/0:CONV_2D", "0/1:MUL"]
