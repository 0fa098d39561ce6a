"""Every rule keeps the form: id, file, page, table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.version import Version

from tflint import __version__, checks

HEADINGS = ["What it reports", "Why it matters", "What to do", "What it cannot see"]
CHECKS = Path(checks.__file__).parent
TESTS = Path(__file__).parent / "checks"

CONTRACT = [
    "add-output-aliasing",
    "argmax-channels",
    "batch-matmul-adjoint",
    "batch-matmul-broadcast",
    "batch-matmul-broadcast-add",
    "batch-matmul-columns",
    "batch-pad",
    "batched-depth-space",
    "broadcast-to",
    "buffer-limit",
    "composite-op",
    "constant-inputs",
    "constant-on-batch-axis",
    "cumsum-mode",
    "custom-op",
    "dequantized-matrix",
    "dynamic-shape",
    "fp16-cancellation",
    "fp16-epsilon",
    "fp16-float-index",
    "fp16-long-dot-product",
    "fp16-mask",
    "fp16-overflow-constant",
    "fp16-overflow-norm",
    "fp16-overflow-reduction",
    "fp16-position-angle",
    "fp16-range",
    "fp16-resize-coordinates",
    "fp16-weight-range",
    "fused-output",
    "gather-constant-indices",
    "gather-nd",
    "grouped-conv-channels",
    "identical-inputs",
    "implicit-flatten",
    "leaky-relu-alpha",
    "lone-concat",
    "max-of-sum",
    "max-pool-floor",
    "mixed-rank-operands",
    "one-hot-rank",
    "op-parameters",
    "op-version",
    "oversized-constant",
    "pad-before-pool",
    "padded-value-before-conv",
    "partial-delegation-fails",
    "partitioned-graph",
    "pow-base",
    "prelu-batch",
    "quantized-graph-edge",
    "quantized-matrix-rows",
    "rank-one-operand",
    "rank-over-four",
    "rank-three-attention",
    "rank-three-pad",
    "relu-0-to-1",
    "reverse-channels",
    "runtime-weights-bias",
    "select",
    "select-condition-rank",
    "several-input-convs",
    "split",
    "split-concat",
    "split-parts-combined",
    "strided-pointwise-conv",
    "tensor-type",
    "topk-channels",
    "transpose-conv-activation",
    "transpose-conv-same",
    "transpose-conv-version",
    "unfused-branches",
    "unregistered-op",
    "unsupported-op",
    "variance-by-squares",
]
"""Ids that users and their scripts rely on."""


def test_the_table_is_sorted_without_repetition() -> None:
    assert list(checks.TABLE) == sorted(set(checks.TABLE))


def test_the_table_is_complete() -> None:
    modules = {path.stem for path in CHECKS.glob("*.py") if not path.stem.startswith("_")}
    assert modules == {checks.module_name(rule) for rule in checks.TABLE}


@pytest.mark.parametrize("rule", CONTRACT)
def test_promised_ids_exist(rule: str) -> None:
    assert rule in checks.TABLE


@pytest.mark.parametrize("rule", checks.TABLE)
class TestForm:
    def test_id_is_the_file_name(self, rule: str) -> None:
        assert checks.registered(rule).rule.id == rule
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule)

    def test_page_has_the_headings_in_order(self, rule: str) -> None:
        page = checks.page(rule)
        assert re.findall(r"^## (.+)$", page, re.MULTILINE) == HEADINGS
        for heading, text in zip(HEADINGS, re.split(r"^## .+$", page, flags=re.MULTILINE)[1:], strict=True):
            assert text.strip(), f"{heading} is empty"

    def test_page_begins_with_one_sentence(self, rule: str) -> None:
        first = checks.page(rule).partition("\n\n")[0]
        assert first.endswith(".")

    def test_summary_is_a_clause(self, rule: str) -> None:
        summary = checks.registered(rule).rule.summary
        assert not summary.endswith(".")
        assert len(summary) <= 80

    def test_since_is_a_release_of_ours(self, rule: str) -> None:
        since = tuple(map(int, checks.registered(rule).rule.since.split(".")))
        assert since <= Version(__version__).release

    def test_has_a_test(self, rule: str) -> None:
        assert (TESTS / f"test_{checks.module_name(rule)}.py").exists()

    def test_code_blocks_are_closed(self, rule: str) -> None:
        assert checks.page(rule).count("```") % 2 == 0
