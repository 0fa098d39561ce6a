"""The library."""

from __future__ import annotations

from pathlib import Path

import pytest

import tflint
from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict


def relu() -> bytes:
    g = Graph()
    g.output(g.op("RELU_0_TO_1", g.input([1, 4, 4, 8])))
    return g.build()


def test_bytes_and_paths_are_judged_alike(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(relu())
    from_bytes, from_path = tflint.lint([relu(), path], litert="2.1.6", backend="webgpu")
    assert from_bytes.targets == from_path.targets
    assert [finding.rule for finding in from_path.findings] == ["relu-0-to-1"]


def test_results_are_typed() -> None:
    (result,) = tflint.lint(relu(), litert=["2.1.4", "2.1.5"], backend="webgpu")
    assert [target.placement.verdict for target in result.targets] == [Verdict.FULL, Verdict.NONE]


def test_damage_is_a_result() -> None:
    (result,) = tflint.lint(b"nonsense")
    assert result.error is not None


def test_selection() -> None:
    assert tflint.lint(relu(), ignore=["relu-0-to-1"])[0].findings == ()
    assert tflint.lint(relu(), select=["split"])[0].findings == ()


@pytest.mark.parametrize(
    "wrong",
    [{"litert": "1.0"}, {"backend": "cuda"}, {"select": ["nonsense"]}, {"accelerators": "npu"}, {"precision": "int8"}],
)
def test_unknown_words_are_errors(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="unknown"):
        tflint.lint(relu(), **wrong)  # type: ignore[arg-type]
