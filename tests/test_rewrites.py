"""The rewrites that pages call exact, run beside the form that they replace, on the runtime's CPU kernels.

What the GPU makes of the rewrites of its own faults is measured elsewhere (`fixtures/hazards`): here both forms are
right, and the question is whether they are the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tflint import checks
from tflint.fixtures.builder import Graph, Tensor
from tflint.linter.confirm import device
from tflint.linter.confirm.runner import Exit, Options, Worker

pytestmark = [pytest.mark.delegate, pytest.mark.xdist_group("runtime")]

Form = Callable[[Graph], Tensor]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(Path(sys.executable), device=device.find("software")) as made:
        yield made


def noise(*shape: int, seed: int = 7) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def conv(g: Graph, x: Tensor, weights: np.ndarray[Any, Any], bias: np.ndarray[Any, Any]) -> Tensor:
    return g.op("CONV_2D", x, g.const(weights), g.const(bias), padding="SAME", out=[1, 6, 6, weights.shape[0]])


# Forms: what is in the model, and what the page puts in its place


def op(name: str, shape: Sequence[int], **options: Any) -> Form:
    def make(g: Graph) -> Tensor:
        made: Tensor = g.op(name, g.input(list(shape), name="x"), **options)
        return made

    make.__name__ = name
    return make


def tanh_gelu(g: Graph) -> Tensor:
    x = g.input([1, 64], name="x")
    cube = g.op("MUL", g.op("MUL", x, x), x)
    inner = g.op("MUL", g.op("ADD", x, g.op("MUL", cube, g.const(0.044715))), g.const(0.7978845608))
    return g.op("MUL", g.op("MUL", x, g.const(0.5)), g.op("ADD", g.op("TANH", inner), g.const(1.0)))


def hard_swish(g: Graph) -> Tensor:
    x = g.input([1, 64], name="x")
    return g.op("MUL", x, g.op("MUL", g.op("RELU6", g.op("ADD", x, g.const(3.0))), g.const(1 / 6)))


KERNEL, POINT = noise(4, 3, 3, 4, seed=1), noise(4, 1, 1, 4, seed=2)
BIASES = noise(2, 4, seed=3)
GAMMA, BETA = np.abs(noise(4, seed=4)) + 0.5, noise(4, seed=5)


def three_branches(g: Graph) -> Tensor:
    x = g.input([1, 6, 6, 4], name="x")
    return g.op("ADD", g.op("ADD", conv(g, x, KERNEL, BIASES[0]), conv(g, x, POINT, BIASES[1])), x)


def deployed(g: Graph) -> Tensor:
    """The 1x1 kernel and the identity in the middle of the 3x3 kernel."""
    merged = KERNEL.copy()
    merged[:, 1, 1, :] += POINT[:, 0, 0, :] + np.eye(4, dtype=np.float32)
    return conv(g, g.input([1, 6, 6, 4], name="x"), merged, BIASES.sum(0))


def batch_norm(g: Graph) -> Tensor:
    y = conv(g, g.input([1, 6, 6, 4], name="x"), KERNEL, BIASES[0])
    return g.op("ADD", g.op("MUL", y, g.const(GAMMA)), g.const(BETA))


def batch_norm_folded(g: Graph) -> Tensor:
    weights = KERNEL * GAMMA[:, None, None, None]
    return conv(g, g.input([1, 6, 6, 4], name="x"), weights, BIASES[0] * GAMMA + BETA)


def attention_over_one_entry(g: Graph) -> Tensor:
    scores = g.op("SOFTMAX", g.input([6, 1], name="scores"))
    return g.op("BATCH_MATMUL", scores, g.input([1, 8], name="x"), out=[6, 8])


def the_entry(g: Graph) -> Tensor:
    g.input([6, 1], name="scores")
    x = g.input([1, 8], name="x")
    return g.op("CONCATENATION", *([x] * 6), axis=0, out=[6, 8])


def expanded_row(g: Graph) -> Tensor:
    values = np.broadcast_to(np.arange(8, dtype=np.float32), [1, 4, 4, 8])
    return g.op("ADD", g.input([1, 4, 4, 8], name="x"), g.const(values))


def row(g: Graph) -> Tensor:
    return g.op("ADD", g.input([1, 4, 4, 8], name="x"), g.const(np.arange(8, dtype=np.float32).reshape(1, 1, 1, 8)))


def clamped(g: Graph) -> Tensor:
    return g.op("MINIMUM", g.op("RELU", g.input([1, 64], name="x")), g.const(1.0))


def relu_difference(g: Graph) -> Tensor:
    x = g.input([1, 64], name="x")
    return g.op("SUB", g.op("RELU", x), g.op("RELU", g.op("SUB", x, g.const(1.0))))


def broadcast_to(g: Graph) -> Tensor:
    return g.op("BROADCAST_TO", g.input([1, 4, 1, 8], name="x"), g.const([1, 4, 3, 8]), version=2, out=[1, 4, 3, 8])


def copies(g: Graph) -> Tensor:
    x = g.input([1, 4, 1, 8], name="x")
    return g.op("CONCATENATION", x, x, x, axis=2, out=[1, 4, 3, 8])


def tiled(g: Graph) -> Tensor:
    return g.op("TILE", g.input([1, 4, 1, 8], name="x"), g.const([1, 1, 3, 1]), out=[1, 4, 3, 8])


def selected(g: Graph) -> Tensor:
    x, mask = g.input([1, 64], name="x"), g.const(np.arange(64) % 3 == 0)
    return g.op("SELECT_V2", g.op("RESHAPE", mask, g.const([1, 64]), out=[1, 64]), g.const(-2.0), x, out=[1, 64])


def masked(g: Graph) -> Tensor:
    x, mask = g.input([1, 64], name="x"), (np.arange(64) % 3 == 0).astype(np.float32).reshape(1, 64)
    return g.op("ADD", g.op("MUL", x, g.const(1 - mask)), g.const(-2.0 * mask))


def every_other_row(g: Graph) -> Tensor:
    return g.op("GATHER_ND", g.input([6, 8], name="x"), g.const([[0], [2], [4]]), out=[3, 8])


def strided(g: Graph) -> Tensor:
    bounds = (g.const(v) for v in ([0, 0], [6, 8], [2, 1]))
    return g.op("STRIDED_SLICE", g.input([6, 8], name="x"), *bounds, out=[3, 8])


def log_of_softmax(g: Graph) -> Tensor:
    return g.op("LOG", g.op("SOFTMAX", g.input([4, 8], name="x")))


def unit_length(g: Graph) -> Tensor:
    x = g.input([4, 8], name="x")
    total = g.op("SUM", g.op("MUL", x, x), g.const([-1]), keep_dims=True, out=[4, 1])
    return g.op("MUL", x, g.op("RSQRT", g.op("ADD", total, g.const(1e-6))), out=[4, 8])


def least(g: Graph) -> Tensor:
    return g.op("ARG_MIN", g.input([4, 8], name="x"), g.const(1, type="INT32"), type="INT32", output_type=2, out=[4])


def greatest_of_negated(g: Graph) -> Tensor:
    x = g.op("NEG", g.input([4, 8], name="x"))
    return g.op("ARG_MAX", x, g.const(1, type="INT32"), type="INT32", output_type=2, out=[4])


def reshape(shape: list[int], out: list[int]) -> Form:
    return lambda g: g.op("RESHAPE", g.input(shape, name="x"), g.const(out), out=out)


def indexed(g: Graph) -> Tensor:
    bounds = (g.const(v) for v in ([1, 0], [2, 8], [1, 1]))
    return g.op("STRIDED_SLICE", g.input([4, 8], name="x"), *bounds, shrink_axis_mask=1, out=[8])


def sliced_and_shaped(g: Graph) -> Tensor:
    part = g.op("SLICE", g.input([4, 8], name="x"), g.const([1, 0]), g.const([1, 8]), out=[1, 8])
    return g.op("RESHAPE", part, g.const([8]), out=[8])


def backwards(g: Graph) -> Tensor:
    bounds = (g.const(v) for v in ([-1, 0], [-5, 8], [-1, 1]))
    return g.op("STRIDED_SLICE", g.input([4, 8], name="x"), *bounds, out=[4, 8])


def reversed_rows(g: Graph) -> Tensor:
    return g.op("REVERSE_V2", g.input([4, 8], name="x"), g.const([0]))


def pad_of_rank(*lead: int) -> Form:
    def make(g: Graph) -> Tensor:
        x, shape = g.input([4, 8], name="x"), [*lead, 4, 8]
        if lead:
            x = g.op("RESHAPE", x, g.const(shape), out=shape)
        rows = [[0, 0]] * len(lead) + [[1, 2], [0, 3]]
        y = g.op("PAD", x, g.const(rows), out=[*lead, 7, 11])
        return g.op("RESHAPE", y, g.const([7, 11]), out=[7, 11]) if lead else y

    return make


def gather(flat: bool) -> Form:
    def make(g: Graph) -> Tensor:
        x, shape = g.input([4, 8], name="x"), [4] if flat else [2, 2]
        y = g.op("GATHER", x, g.const(np.reshape([3, 0, 1, 3], shape)), axis=0, out=[*shape, 8])
        return g.op("RESHAPE", y, g.const([2, 2, 8]), out=[2, 2, 8]) if flat else y

    return make


def softmax_of_half(beta: float) -> Form:
    def make(g: Graph) -> Tensor:
        x = g.input([4, 8], name="x")
        return g.op("SOFTMAX", x, beta=beta) if beta != 1 else g.op("SOFTMAX", g.op("MUL", x, g.const(0.5)), beta=1.0)

    return make


def transpose_conv(fused: bool) -> Form:
    def make(g: Graph) -> Tensor:
        weights, shape = g.const(noise(4, 3, 3, 8)), g.const([1, 9, 9, 4])
        given = (shape, weights, g.input([1, 4, 4, 8], name="x"), g.const(BIASES[0]))
        options: dict[str, Any] = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "out": [1, 9, 9, 4]}
        version = 4 if fused else 3
        activation = "RELU" if fused else "NONE"
        made: Tensor = g.op("TRANSPOSE_CONV", *given, version=version, fused_activation_function=activation, **options)
        return made if fused else g.op("RELU", made)

    return make


def rank_six_shuffle(g: Graph) -> Tensor:
    """Pixel shuffle of factor 2 as PyTorch writes it, on channels that come last."""
    parts = g.op("RESHAPE", g.input([1, 3, 3, 8], name="x"), g.const([1, 3, 3, 2, 2, 2]), out=[1, 3, 3, 2, 2, 2])
    turned = g.op("TRANSPOSE", parts, g.const([0, 1, 3, 2, 4, 5]), out=[1, 3, 2, 3, 2, 2])
    return g.op("RESHAPE", turned, g.const([1, 6, 6, 2]), out=[1, 6, 6, 2])


def depth_to_space(g: Graph) -> Tensor:
    return g.op("DEPTH_TO_SPACE", g.input([1, 3, 3, 8], name="x"), block_size=2, out=[1, 6, 6, 2])


def scores(g: Graph, lead: list[int]) -> Tensor:
    q, k = (g.input([2, 4, size], name=name) for name, size in (("q", 8), ("k", 8)))
    if lead:
        q, k = (g.op("RESHAPE", t, g.const([*lead, 2, 4, 8]), out=[*lead, 2, 4, 8]) for t in (q, k))
    return g.op("BATCH_MATMUL", q, k, adj_y=True, out=[*lead, 2, 4, 4])


def attention(lead: list[int]) -> Form:
    def make(g: Graph) -> Tensor:
        y = g.op("SOFTMAX", scores(g, lead))
        return g.op("RESHAPE", y, g.const([2, 4, 4]), out=[2, 4, 4]) if lead else y

    return make


def one_head_mask(heads: int) -> Form:
    def make(g: Graph) -> Tensor:
        mask = np.broadcast_to(np.triu(np.full([4, 4], -9.0, np.float32), 1), [1, heads, 4, 4])
        return g.op("ADD", scores(g, [1]), g.const(mask), out=[1, 2, 4, 4])

    return make


def transposed(flag: bool) -> Form:
    def make(g: Graph) -> Tensor:
        q, k = g.input([1, 2, 4, 8], name="q"), g.input([1, 2, 4, 8], name="k")
        if flag:
            return g.op("BATCH_MATMUL", q, k, adj_y=True, out=[1, 2, 4, 4])
        return g.op("BATCH_MATMUL", q, g.op("TRANSPOSE", k, g.const([0, 1, 3, 2])), out=[1, 2, 4, 4])

    return make


def mean(*steps: list[int]) -> Form:
    def make(g: Graph) -> Tensor:
        y, shape = g.input([1, 16, 16, 4], name="x"), [1, 16, 16, 4]
        for axes in steps:
            shape = [1 if axis in axes else extent for axis, extent in enumerate(shape)]
            y = g.op("MEAN", y, g.const(axes), keep_dims=True, out=shape)
        return y

    return make


def divided(g: Graph) -> Tensor:
    x = g.input([1, 8], name="x")
    return g.op("SUB", x, x)


def zero(g: Graph) -> Tensor:
    return g.op("MUL", g.input([1, 8], name="x"), g.const(0.0))


@dataclass(frozen=True, slots=True)
class Pair:
    """A form, what the rule's page puts in its place, and how far apart the two may be."""

    rule: str
    form: Form
    rewrite: Form
    apart: float = 0.0

    def __str__(self) -> str:
        return f"{self.rule}-{self.rewrite.__name__}"


ROUNDING = 5e-6
"""Sums of a few dozen terms of about 1, in another order."""

PAIRS = (
    Pair("written-out-activation", tanh_gelu, op("GELU", [1, 64], approximate=True), 2e-6),
    Pair("written-out-activation", hard_swish, op("HARD_SWISH", [1, 64]), 2e-6),
    Pair("unfused-branches", three_branches, deployed, ROUNDING),
    Pair("unfused-branches", batch_norm, batch_norm_folded, ROUNDING),
    Pair("one-element-softmax", attention_over_one_entry, the_entry),
    Pair("oversized-constant", expanded_row, row),
    Pair("relu-0-to-1", op("RELU_0_TO_1", [1, 64]), clamped),
    Pair("relu-0-to-1", op("RELU_0_TO_1", [1, 64]), relu_difference, 1e-6),
    Pair("broadcast-to", broadcast_to, copies),
    Pair("broadcast-to", broadcast_to, tiled),
    Pair("select", selected, masked),
    Pair("gather-nd", every_other_row, strided),
    Pair("unsupported-op", op("SQUEEZE", [1, 4, 8], squeeze_dims=[0], out=[4, 8]), reshape([1, 4, 8], [4, 8])),
    Pair("unsupported-op", op("LOG_SOFTMAX", [4, 8]), log_of_softmax, 2e-6),
    Pair("unsupported-op", op("L2_NORMALIZATION", [4, 8]), unit_length, 2e-6),
    Pair("unsupported-op", least, greatest_of_negated),
    Pair("op-parameters", indexed, sliced_and_shaped),
    Pair("op-parameters", backwards, reversed_rows),
    Pair("op-parameters", pad_of_rank(), pad_of_rank(1, 1)),
    Pair("op-parameters", gather(flat=False), gather(flat=True)),
    Pair("op-parameters", softmax_of_half(0.5), softmax_of_half(1), 1e-6),
    Pair("transpose-conv-version", transpose_conv(fused=True), transpose_conv(fused=False)),
    Pair("rank-over-four", rank_six_shuffle, depth_to_space),
    Pair("rank-three-attention", attention([]), attention([1]), 1e-6),
    Pair("batch-matmul-broadcast-add", one_head_mask(1), one_head_mask(2)),
    Pair("batch-matmul-adjoint", transposed(flag=True), transposed(flag=False), 1e-6),
    Pair("multi-axis-reduction", mean([1, 2]), mean([1], [2]), 1e-6),
    Pair("identical-inputs", divided, zero),
)


def built(form: Form) -> bytes:
    g = Graph()
    made = form(g)
    g.output(made)
    return g.build()


def computed(worker: Worker, form: Form) -> np.ndarray[Any, Any]:
    """By the reference kernels, on inputs that the seed draws by name and shape."""
    run = worker.run(built(form), Options(accelerators="cpu", outputs=True))
    assert run.exit == Exit("ok", "done"), run.log
    (output,) = run.outputs
    assert output.reference is not None
    return output.reference


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_rewrite_gives_the_same(worker: Worker, pair: Pair) -> None:
    before, after = computed(worker, pair.form), computed(worker, pair.rewrite)
    assert before.shape == after.shape
    assert before.dtype == after.dtype
    assert before.size > 1
    assert np.abs(before.astype(np.float64) - after).max() <= pair.apart
    assert pair.rule in checks.TABLE


def test_the_comparison_sees_a_difference(worker: Worker) -> None:
    assert np.abs(computed(worker, clamped) - computed(worker, hard_swish)).max() > 0.1
