"""Composites and custom operators: known by their names, and under what conditions (measured on every release)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import pytest

from tflint.fixtures.probes import composite
from tflint.linter.delegate.kernels.composite import COMPOSITES, CUSTOMS
from tflint.linter.delegate.placement import Placer
from tflint.linter.flexbuffer import attributes
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS

INT, MAP, VECTOR = 1, 9, 10
"""Types of a FlexBuffer."""

MODELS = {probe.name.removeprefix("composite/"): probe.build for probe in composite.probes()}


def answer(build: Callable[[], bytes], release: str) -> str:
    placed = next(op for op in Placer(read(build())).place(release).ops if op.subgraph == 0)
    return placed.refusal.message if placed.refusal is not None else placed.on.value


def test_an_unknown_composite_is_refused_with_its_name() -> None:
    def build() -> bytes:
        return composite.composite("my.op", attributes={})

    assert answer(build, "2.1.2") == "Operation is not supported."
    assert {answer(build, release) for release in VERSIONS[1:]} == {"my.op"}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("odml.rms_norm/constant_scale", "gpu"),
        ("odml.rms_norm/outside", "cpu"),
        ("odml.rms_norm/scale_short", "Scale tensor channels don't match input tensor channels."),
        ("odml.group_norm/without_epsilon", "GroupNorm is missing epsilon."),
        ("odml.scaled_dot_product_attention/three", "gpu"),
    ],
)
def test_conditions_of_composites(case: str, message: str) -> None:
    assert answer(MODELS[case], "2.3.0") == message


def test_composites_that_came_with_a_release() -> None:
    for name in ("odml.swiglu", "gated_delta_update"):
        build = partial(composite.composite, name, attributes={})
        assert answer(build, "2.2.0") == name
        assert answer(build, "2.3.0") != name


def test_custom_operators_are_found_by_their_code() -> None:
    assert answer(MODELS["custom_call.RmsNorm/scale_and_bias"], "2.3.0") == "gpu"
    assert answer(MODELS["custom_call.RmsNorm/runtime_scale"], "2.3.0") == "src has no data."
    assert set(CUSTOMS) >= {"Resampler", "MaxUnpooling2D", "custom_call.PixelShuffle"}
    assert set(COMPOSITES) >= {"odml.rms_norm", "odml.group_norm", "odml.scaled_dot_product_attention"}


def test_attributes_are_read_without_trust() -> None:
    from tflint.fixtures.builder import flexbuffer

    data = flexbuffer({"epsilon": 1e-5, "num_groups": 2, "name": "x"})
    assert attributes(data)["num_groups"] == 2
    for end in range(len(data)):
        attributes(data[:end])
    for at in range(len(data)):
        attributes(data[:at] + b"\xff" + data[at + 1 :])


def test_a_long_vector_is_read_whole() -> None:
    from tflint.fixtures.builder import flexbuffer

    numbers = list(range(3000))
    assert attributes(flexbuffer({"axes": numbers, "more": {"axes": numbers}}))["axes"] == tuple(numbers)


def nested(levels: int) -> bytes:
    """A map whose one value is a vector of 16. Each level above the first holds the one below 16 times."""
    data = bytearray()
    inner = 0
    for level in range(levels):
        data.append(16)
        start = len(data)
        data += bytes([at - inner if level else 1 for at in range(start, start + 16)])
        data += bytes([(VECTOR if level else INT) << 2] * 16)
        inner = start
    name = len(data)
    data += b"n\0\x01"
    names = len(data)
    data += bytes([names - name])
    data += bytes([len(data) - names, 1, 1])
    value = len(data)
    data += bytes([value - inner, VECTOR << 2])
    return bytes(data + bytes([len(data) - value, MAP << 2, 1]))


def test_shared_vectors_are_not_read_again_and_again() -> None:
    assert attributes(nested(1)) == {"n": (1,) * 16}
    start = time.process_time()
    assert attributes(nested(8)) == {}  # 300 bytes for four thousand million values
    assert time.process_time() - start < 0.1
