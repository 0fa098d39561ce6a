"""The HTML page as text: what it says, that nothing from a model is executed, that it stays small."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from reporting import MARKUP, clean, hostile, page, partly

import tflint
from tflint import checks
from tflint.linter.confirm.answers import Confirmation, Divergence, Happened, Outcome, OutputResult, Prediction, Setting
from tflint.linter.confirm.compare import Difference, Tolerance
from tflint.linter.engine import lint_bytes
from tflint.linter.targets import Target
from tflint.reports import sample
from tflint.reports.html import environment, render
from tflint.reports.page import Page


def texts(pattern: str, text: str) -> list[str]:
    return [re.sub("<[^>]*>", "", found).strip() for found in re.findall(pattern, text, re.DOTALL)]


def test_the_first_sentence_answers_whether_to_ship(tmp_path: Path) -> None:
    (said,) = texts(r'class="sentence"[^>]*>(.*?)</h1>', page(tmp_path, partly()))
    assert said.endswith("Do not ship on LiteRT 2.1.2 to 2.3.0: the GPU refuses 1 to 2 of 12 operators.")
    (said,) = texts(r'class="sentence"[^>]*>(.*?)</h1>', page(tmp_path, clean()))
    assert said.endswith("Ships on LiteRT 2.1.2 to 2.3.0: its one operator runs on the GPU and no fault is known.")


def test_backends_that_fare_alike_share_a_row(tmp_path: Path) -> None:
    pattern = r'<th scope="row">([a-z, ]*)</th><td class="cell'
    assert texts(pattern, page(tmp_path, partly(), options=("--litert", "2.1.6,2.3.0"))) == ["webgpu, opencl, metal"]
    assert texts(pattern, page(tmp_path, hostile(), options=("--litert", "2.3.0"))) == ["webgpu", "opencl, metal"]


def test_what_to_change_says_what_it_wins(tmp_path: Path) -> None:
    text = page(tmp_path, partly(), options=("--litert", "2.3.0"))
    assert texts(r'<div class="wins">(.*?)</div>', text) == ["+5: 10 of 12 on the GPU", "+2: 12 of 12 on the GPU"]
    assert texts(r'<p class="what"><strong>(.*?)</strong>', text) == ["LOG_SOFTMAX", "RELU_0_TO_1"]


def test_what_an_upgrade_changes_is_named(tmp_path: Path) -> None:
    text = page(tmp_path, partly())
    assert "What an upgrade changes" in text
    assert "0/1 RELU_0_TO_1: refused: Not supported op RELU_0_TO_1" in texts(
        r'effect breaks">breaks</span>(.*?)</li>', text
    )
    assert "What an upgrade changes" not in page(tmp_path, partly(), options=("--litert", "2.3.0"))
    assert "Nothing between 2.1.2 and 2.3.0" in page(tmp_path, clean())


def test_it_asks_for_nothing_from_outside(tmp_path: Path) -> None:
    text = page(tmp_path, partly())
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", text)
    assert "@import" not in text
    assert not re.search(r"url\((?!data:)", text)


def test_names_from_a_model_are_only_text(tmp_path: Path) -> None:
    for data in (hostile(), partly(name=MARKUP)):
        text = page(tmp_path, data)
        assert "<script>document.title" not in text
        assert text.count("</script>") == text.count("<script") == 2
        assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("plain", "plain"),
        ("use `a<b` here", "use <code>a&lt;b</code> here"),
        ("<b>", "&lt;b&gt;"),
        ("a ` alone", "a ` alone"),
    ],
)
def test_code_in_advice(text: str, markup: str) -> None:
    assert environment().get_template("macros.html.j2").module.coded(text) == markup  # type: ignore[attr-defined]


@pytest.mark.parametrize("operators", [10, 2000])
def test_it_stays_small(tmp_path: Path, operators: int) -> None:
    assert len(page(tmp_path, partly(operators)).encode()) < 300_000 + 100 * operators


def test_it_stays_small_where_everything_is_refused(tmp_path: Path) -> None:
    from tflint.fixtures.builder import Graph

    g = Graph()
    x = g.input([1, 4, 4, 8], name="x")
    for number in range(2000):
        x = g.op("RELU_0_TO_1", x, name="a/long/scope/as/converters/write/them/" * 4 + str(number))
    g.output(x)
    assert len(page(tmp_path, g.build()).encode()) < 300_000 + 100 * 2000


def test_the_same_bytes_from_run_to_run(tmp_path: Path) -> None:
    assert page(tmp_path, partly(), hostile()) == page(tmp_path, partly(), hostile())


def test_several_models_have_an_index_sorted_by_verdict(tmp_path: Path) -> None:
    text = page(tmp_path, clean(), partly(), b"nonsense")
    assert "3 models: 2 not to ship, 1 to ship" in text
    order = re.findall(r'<article class="model" id="model-(\d)"', text)
    assert order == ["1", "2", "0"]


def test_the_sample_is_fresh() -> None:
    assert sample.SAMPLE.read_text(encoding="utf-8") == sample.text(), "run `python -m tflint.reports.sample`"


class TestConfirmed:
    """Predicted against measured."""

    WRONG = Difference(
        128, 3.5, 0.7, 0.9, 0.72, 8.0, 0, 0, 0, 0, 0, 128, False, False, False, Tolerance(0.004, 0.004, 0)
    )

    def rendered(self, outcome: Outcome, difference: Difference | None, divergence: Divergence | None = None) -> str:
        result = lint_bytes(clean(), [Target("2.3.0", "webgpu")], checks.every(), facts=True)
        confirmation = Confirmation(
            outcome=outcome,
            reason="the reason",
            disagreements=(),
            setting=Setting("2.3.0", "Some GPU", "driver 1.2", "Vulkan", "Discrete GPU", "fp32", "default", 0),
            predicted=Prediction("full", (), frozenset(), 1),
            happened=Happened(("full",), (), (), 1, 0, 1, "compared", "", (), True),
            outputs=(OutputResult("", "y", (1, 4), "float32", difference, "reference kernels"),),
            divergence=divergence,
        )
        (target,) = result.targets
        confirmed = result._replace(targets=(target._replace(confirm=confirmation),))
        return render(Page((confirmed,), tflint.__version__))

    def test_a_wrong_output_decides_the_verdict(self) -> None:
        found = Divergence("", 0, 0, "ABS", "y", (), None, None, 2, 0)
        text = self.rendered(Outcome.WRONG, self.WRONG, found)
        assert "Do not ship on LiteRT 2.3.0: run here: the reason." in text
        assert "wrong: 128 of 128 beyond" in text
        assert "0/0 ABS, tensor y: right alone, wrong only in the whole model" in text
        assert "as predicted" in text
        assert "without running the model" not in text

    def test_what_agrees_ships(self) -> None:
        text = self.rendered(Outcome.CONFIRMED, replace(self.WRONG, max_abs=0.0, exceeding=0, identical=True))
        assert "Ships on LiteRT 2.3.0" in text
        assert "bit-identical" in text

    @pytest.mark.parametrize(
        ("error", "limit", "width"),
        [
            pytest.param(0.0, 0.01, 0, id="no error"),
            pytest.param(1e-9, 0.01, 1, id="too small to draw, but not none"),
            pytest.param(0.01, 0.01, 50, id="as much as is tolerated"),
            pytest.param(0.1, 0.01, 67, id="ten times"),
            pytest.param(1e9, 0.01, 100, id="beyond the plot"),
            pytest.param(1.0, 0.0, 100, id="nothing is tolerated"),
        ],
    )
    def test_the_plot_is_a_scale_of_powers_of_ten(self, error: float, limit: float, width: int) -> None:
        tolerance = replace(self.WRONG.tolerance, max_abs=limit)
        text = self.rendered(Outcome.CONFIRMED, replace(self.WRONG, max_abs=error, exceeding=0, tolerance=tolerance))
        (drawn,) = re.findall(r'd="M0 2h(\d+)v6', text)
        assert int(drawn) == width
