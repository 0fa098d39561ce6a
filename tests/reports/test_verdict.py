"""The sentence that says whether a model ships, what an upgrade changes, and what to change first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot
from reporting import clean, graph, hostile, partly

from tflint import checks
from tflint.fixtures.builder import Graph
from tflint.linter.engine import lint_bytes
from tflint.linter.results import ModelResult
from tflint.linter.targets import BACKEND_NAMES, VERSIONS, Target
from tflint.reports.merged import describe, merge, same
from tflint.reports.steps import steps
from tflint.reports.upgrade import upgrades
from tflint.reports.verdict import model_status, sentence


def judged(
    data: bytes,
    litert: Sequence[str] = VERSIONS,
    backends: Sequence[str] = BACKEND_NAMES,
    accelerators: str = "gpu",
    rules: Sequence[str] = tuple(checks.TABLE),
) -> ModelResult:
    targets = [Target(version, name, accelerators) for version in litert for name in backends]
    return lint_bytes(data, targets, checks.some(rules), facts=True)


def sum_returned(consumer: str) -> bytes:
    """A sum that is returned and consumed: wrong up to 2.1.5 where LOGISTIC consumes it."""
    g = Graph()
    y = g.op("ADD", g.input([1, 4, 4, 8], name="x"), g.input([1, 4, 4, 8], name="y"), name="sum")
    g.output(y, g.op(consumer, y))
    return g.build()


def broken() -> bytes:
    """Not a graph that any release runs: its signature names too few outputs."""
    g = Graph()
    x = g.input([1, 4], name="x")
    y = g.op("ABS", x)
    g.output(y, g.op("NEG", y))
    g.signature(inputs={"x": x}, outputs={"y": y})
    return g.build()


class TestSentence:
    def test_it_ships(self) -> None:
        result = judged(clean())
        assert model_status(result) == "ships"
        assert sentence(result) == snapshot(
            "Ships on LiteRT 2.1.2 to 2.3.0: its one operator runs on the GPU and no fault is known."
        )

    def test_some_are_refused(self) -> None:
        assert sentence(judged(partly())) == snapshot(
            "Do not ship on LiteRT 2.1.2 to 2.3.0: the GPU refuses 1 to 2 of 12 operators."
        )

    def test_it_is_right_on_some_releases(self) -> None:
        assert sentence(judged(sum_returned("LOGISTIC"), backends=["webgpu"])) == snapshot(
            "Do not ship on LiteRT 2.1.2 to 2.1.5: every operator runs on the GPU, but numbers come back wrong: "
            "add-output-aliasing. Ships on 2.1.6 to 2.3.0."
        )

    def test_backends_differ(self) -> None:
        assert sentence(judged(hostile(), ["2.3.0"])) == snapshot(
            "Do not ship on LiteRT 2.3.0 with webgpu: every operator runs on the GPU, but numbers come back wrong: "
            "add-output-aliasing. Check on opencl, metal: numbers may be wrong: add-output-aliasing."
        )

    def test_falling_back_is_allowed(self) -> None:
        result = judged(partly(), ["2.3.0"], accelerators="gpu,cpu", rules=["unsupported-op"])
        assert model_status(result) == "warns"
        assert sentence(result) == snapshot("Check on LiteRT 2.3.0: the GPU refuses 2 of 12 operators.")

    def test_what_is_not_created_returns_no_numbers(self) -> None:
        assert sentence(judged(broken(), ["2.3.0"])) == snapshot(
            "Do not ship on LiteRT 2.3.0: the runtime cannot run it, on the CPU either."
        )

    def test_it_is_not_read(self) -> None:
        result = judged(b"nonsense")
        assert model_status(result) == "fails"
        assert sentence(result).startswith("The file could not be read: ")

    def test_accepted_findings_do_not_hide_what_stays_on_the_cpu(self) -> None:
        result = judged(partly(), ["2.3.0"])
        silent = result._replace(targets=tuple(target._replace(findings=()) for target in result.targets))
        assert model_status(silent) == "fails"


def changes(result: ModelResult) -> str:
    return "\n".join(
        f"{step.before} {step.after} {step.gpu_before} {step.gpu_after}: {change.effect.value} {change.op} "
        f"{list(change.places)} {change.words}"
        for step in upgrades(result)
        for change in step.changes
    )


class TestUpgrade:
    def test_what_it_breaks_and_moves(self) -> None:
        result = judged(partly(), ["2.1.3", "2.3.0"], rules=["relu-0-to-1", "unsupported-op"])
        assert changes(result) == snapshot("""\
2.1.3 2.3.0 6 5: breaks RELU_0_TO_1 [(0, 1)] refused: Not supported op RELU_0_TO_1
2.1.3 2.3.0 6 5: moves  [(0, 0), (0, 2), (0, 3), (0, 4), (0, 5)] to the CPU
2.1.3 2.3.0 6 5: moves  [(0, 7), (0, 8), (0, 9), (0, 10), (0, 11)] to the GPU\
""")

    def test_wrong_numbers_that_it_fixes(self) -> None:
        assert changes(judged(sum_returned("LOGISTIC"), ["2.1.5", "2.1.6"])) == snapshot(
            "2.1.5 2.1.6 2 2: fixes ADD [(0, 0)] add-output-aliasing: the output sum is never written: LOGISTIC is "
            "computed in the kernel of ADD (on webgpu, perhaps on opencl, metal)"
        )

    def test_the_order_of_the_releases_makes_it_a_fix_or_a_break(self) -> None:
        result = judged(graph(), ["2.1.4", "2.1.5"], rules=["relu-0-to-1"])
        back = result._replace(targets=tuple(reversed(result.targets)))
        effects = [
            [change.effect.value for step in upgrades(each) for change in step.changes if change.op]
            for each in (result, back)
        ]
        assert effects == [["breaks"], ["fixes"]]

    @pytest.mark.parametrize(
        ("data", "litert"),
        [
            pytest.param(clean(), VERSIONS, id="nothing to differ"),
            pytest.param(partly(), ["2.3.0"], id="one release"),
            pytest.param(sum_returned("LOGISTIC"), ["2.1.6", "2.2.0", "2.3.0"], id="neighbours alike"),
        ],
    )
    def test_silent(self, data: bytes, litert: Sequence[str]) -> None:
        assert upgrades(judged(data, litert)) == ()


def proposed(result: ModelResult) -> str:
    return "\n".join(
        f"{step.entries[0].finding.rule} at {[entry.finding.order[1] for entry in step.entries]}: {step.wins}"
        for step in steps(result, merge(result))
    )


class TestSteps:
    def test_refused_operators_by_what_they_win(self) -> None:
        assert proposed(judged(partly(), ["2.3.0"], ["webgpu"])) == snapshot("""\
unsupported-op at [6]: +5: 10 of 12 on the GPU
relu-0-to-1 at [1]: +2: 12 of 12 on the GPU\
""")

    def test_numbers_come_behind_refusals(self) -> None:
        assert proposed(judged(graph(), ["2.1.4", "2.1.6"], ["webgpu"])) == snapshot("""\
relu-0-to-1 at [1]: +1: 3 of 3 on the GPU
cumsum-mode at [2]: right numbers\
""")

    def test_nothing_to_change(self) -> None:
        assert proposed(judged(clean())) == ""


class TestMerging:
    def test_releases_word_one_refusal_differently(self) -> None:
        g = Graph()
        x = g.op("RESHAPE", g.input([1, 4, 4, 16], name="x"), [1, 4, 4, 4, 4], name="five")
        g.output(g.op("ABS", x, name="y"))
        (entry, *_) = merge(judged(g.build(), backends=["webgpu"], rules=["rank-over-four"]))
        assert len(entry.targets) == len(VERSIONS)
        assert [(old.message, len(targets)) for old, targets in entry.otherwise] == snapshot(
            [('the GPU refuses RESHAPE: Tensor "five" has bad input dims size: 5.', 4)]
        )

    def test_the_same_at_several_operators_is_one(self) -> None:
        g = Graph()
        x = g.input([1, 4, 4, 8], name="x")
        g.output(*(g.op("RELU_0_TO_1", x, name=f"y{number}") for number in range(3)))
        groups = same(merge(judged(g.build(), rules=["relu-0-to-1"])))
        assert [len(group.entries) for group in groups] == [3]

    @pytest.mark.parametrize(
        ("chosen", "words"),
        [
            ([("2.1.4", "webgpu"), ("2.1.6", "webgpu"), ("2.1.6", "metal")], "webgpu; 2.1.6 with metal"),
            ([("2.1.4", "webgpu"), ("2.1.6", "webgpu")], "webgpu"),
            ([("2.1.6", "webgpu"), ("2.1.6", "metal")], "2.1.6"),
            ([("2.1.4", "webgpu"), ("2.1.4", "metal"), ("2.1.6", "webgpu"), ("2.1.6", "metal")], ""),
        ],
    )
    def test_targets_in_few_words(self, chosen: list[tuple[str, str]], words: str) -> None:
        every = [Target(litert, name) for litert in ("2.1.4", "2.1.6") for name in ("webgpu", "metal")]
        assert describe([Target(*each) for each in chosen], every) == words
