"""The answer: what counts as confirmed, what contradicts a prediction, and the whole way on the demo's models."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tflint.fixtures.builder import Graph
from tflint.linter import reader
from tflint.linter.confirm import compare, confirmation, environment, judgement
from tflint.linter.confirm.answers import Confirmation, Happened, Outcome, OutputResult, Prediction, Suspect
from tflint.linter.confirm.confirmation import confirm
from tflint.linter.confirm.route import CannotConfirm
from tflint.linter.confirm.runner import Options
from tflint.linter.delegate.placement import Placer
from tflint.linter.errors import ModelError

MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "models"
DAMAGED = MODELS.parent / "damaged"

LINE = "1 operations will run on the GPU, and the remaining 1 operations will run on the CPU."
REFUSED = ("LOG_SOFTMAX", "Operation is not supported.")

PARTIAL = Prediction("partial", (LINE,), frozenset({REFUSED}), 2)
FULL = Prediction("full", (), frozenset(), 2)


def happened(
    verdicts: str = "full",
    lines: tuple[str, ...] = (),
    rejected: tuple[tuple[str, str], ...] = (),
    *,
    failure: str = "",
    stage: str = "done",
    gpu: int = 2,
    kernels: int = 1,
    errors: tuple[str, ...] = (),
) -> Happened:
    return Happened(tuple(verdicts.split()), lines, rejected, gpu, 2 - gpu, kernels, stage, failure, errors, None)


def output(array: object, reference: object) -> OutputResult:
    left, right = np.asarray(array, np.float32), np.asarray(reference, np.float32)
    found = compare.difference(left, right, compare.tolerance(right, "fp32"))
    return OutputResult("serve", "y", left.shape, "float32", found, "reference kernels")


GOOD = output([1.0, 2.0], [1.0, 2.00001])
SAME = output([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("predicted", "did", "said"),
    [
        pytest.param(FULL, happened(), (), id="full"),
        pytest.param(PARTIAL, happened("partial", (LINE,), (REFUSED,), gpu=1), (), id="partial"),
        pytest.param(
            FULL,
            happened("partial", (LINE,), (REFUSED,), gpu=1),
            (
                "verdict full was predicted, the runtime: partial",
                f"not predicted: {LINE}",
                "not predicted: LOG_SOFTMAX: Operation is not supported.",
            ),
            id="false clean",
        ),
        pytest.param(
            PARTIAL,
            happened(),
            (
                "verdict partial was predicted, the runtime: full",
                f"did not happen: {LINE}",
                "did not happen: LOG_SOFTMAX: Operation is not supported.",
            ),
            id="false alarm",
        ),
        pytest.param(
            PARTIAL,
            happened("partial", (LINE,), (("LOG_SOFTMAX", "Other words."),), gpu=1),
            ("not predicted: LOG_SOFTMAX: Other words.", "did not happen: LOG_SOFTMAX: Operation is not supported."),
            id="other words",
        ),
        pytest.param(
            FULL,
            happened("fails", failure="creating the CompiledModel fails", stage="create"),
            ("verdict full was predicted, the runtime: fails (creating the CompiledModel fails)",),
            id="unpredicted failure",
        ),
        pytest.param(
            replace(PARTIAL, verdict="fails"),
            happened("fails", failure="creating the CompiledModel fails", stage="create"),
            (),
            id="predicted failure before any report",
        ),
        pytest.param(
            replace(PARTIAL, verdict="fails"),
            happened("fails partial", (LINE,), (REFUSED,), failure="running it fails", stage="run", gpu=1),
            (),
            id="a failing first run may be called failure",
        ),
        pytest.param(
            PARTIAL,
            happened("fails partial", (LINE,), (REFUSED,), failure="running it fails", stage="run", gpu=1),
            (),
            id="or by its residency",
        ),
        pytest.param(replace(FULL, verdict="unknown"), happened("none", (LINE,)), (), id="nothing predicted"),
    ],
)
def test_disagreements(predicted: Prediction, did: Happened, said: tuple[str, ...]) -> None:
    assert judgement.disagreements(predicted, did) == said


@pytest.mark.parametrize(
    ("did", "outputs", "precision", "outcome"),
    [
        pytest.param(happened(), (GOOD,), "fp32", Outcome.CONFIRMED, id="agrees"),
        pytest.param(happened(), (SAME,), "fp32", Outcome.CONFIRMED, id="identical in fp32"),
        pytest.param(happened(), (SAME,), "fp16", Outcome.UNCONFIRMED, id="identical in fp16"),
        pytest.param(happened(), (SAME,), "unknown", Outcome.UNCONFIRMED, id="identical in who knows what"),
        pytest.param(happened(), (SAME, GOOD), "fp16", Outcome.CONFIRMED, id="one of two identical in fp16"),
        pytest.param(happened("none", gpu=0), (GOOD,), "fp32", Outcome.UNCONFIRMED, id="nothing on the GPU"),
        pytest.param(happened(kernels=0), (GOOD,), "fp32", Outcome.UNCONFIRMED, id="no kernel made"),
        pytest.param(happened(), (), "fp32", Outcome.UNCONFIRMED, id="no output"),
        pytest.param(
            happened(errors=("Validation error: [Invalid CommandBuffer]",)),
            (GOOD,),
            "fp32",
            Outcome.UNCONFIRMED,
            id="the GPU refused its work",
        ),
        pytest.param(
            happened(), (GOOD, replace(GOOD, difference=None)), "fp32", Outcome.UNCONFIRMED, id="one not compared"
        ),
        pytest.param(happened(), (output([0, 0], [0, 0]),), "fp32", Outcome.UNCONFIRMED, id="all zero on both sides"),
        pytest.param(happened(), (GOOD, output([0, 0], [1, 2])), "fp32", Outcome.WRONG, id="wrong"),
        pytest.param(
            happened(),
            (replace(output([0, 0], [1, 2]), reference_doubtful=True),),
            "fp32",
            Outcome.CONFIRMED,
            id="the reference kernels are wrong",
        ),
        pytest.param(
            happened(failure="running it fails", stage="run"), (), "fp32", Outcome.FAILED, id="failed as predicted"
        ),
    ],
)
def test_judgement(did: Happened, outputs: tuple[OutputResult, ...], precision: str, outcome: Outcome) -> None:
    found, reason = judgement.judge(FULL, did, outputs, (), precision)  # type: ignore[arg-type]
    assert found is outcome
    assert reason


def test_a_disagreement_is_never_confirmed() -> None:
    outcome, reason = judgement.judge(FULL, happened(), (GOOD,), ("not predicted: X",), "fp32")
    assert (outcome, reason) == (Outcome.MISPREDICTED, "not predicted: X")


def test_reference_file_that_differs() -> None:
    far = np.asarray([3.0, 2.0], np.float32)
    failing = replace(GOOD, parity=compare.parity(far, np.ones(2, np.float32), "fp32"))
    outcome, reason = judgement.judge(FULL, happened(), (failing,), (), "fp32")
    assert outcome is Outcome.WRONG
    assert "reference file" in reason


# On the runtime that is installed

RELEASE = importlib.metadata.version("ai-edge-litert") if importlib.util.find_spec("ai_edge_litert") else ""


def ask(model: Path | bytes, **keywords: object) -> Confirmation:
    if isinstance(model, bytes):
        placement = Placer(reader.read(model)).place(RELEASE)
    else:
        with reader.read_file(model) as read:
            placement = Placer(read).place(RELEASE)
    predicted = keywords.pop("predicted", confirmation.predict(placement))
    return confirm(model, RELEASE, predicted, choice="software", **keywords)  # type: ignore[arg-type]


def graph(*, names: tuple[str, str] = ("x", "y")) -> bytes:
    g = Graph()
    x = g.input([2, 8], name=names[0])
    g.output(g.op("EXP", x, name=names[1]))
    return g.build()


@pytest.mark.delegate
@pytest.mark.xdist_group("runtime")
class TestRuns:
    @pytest.mark.parametrize(
        ("name", "outcome"),
        [
            ("clean", Outcome.CONFIRMED),
            ("partial", Outcome.CONFIRMED),
            ("several_signatures", Outcome.CONFIRMED),
            ("identical_div", Outcome.UNCONFIRMED),
        ],
    )
    def test_demo_models(self, name: str, outcome: Outcome) -> None:
        found = ask(MODELS / f"{name}.tflite")
        assert not found.disagreements
        assert found.outcome is outcome, found.reason
        assert found.setting.release == RELEASE
        assert found.setting.device
        assert found.setting.precision in ("fp16", "fp32")

    def test_refused_alone(self) -> None:
        g = Graph()
        g.output(g.op("RELU_0_TO_1", g.input([1, 4, 4, 8])))
        found = ask(g.build(), gpu_only=True)
        assert (found.outcome, found.reason) == (Outcome.UNCONFIRMED, "no operator ran on the GPU")
        assert found.happened.verdict == "none"
        assert found.gpu_alone is False

    def test_aliasing_is_wrong_and_traced_to_the_add(self) -> None:
        with reader.read_file(MODELS / "aliasing.tflite") as read:
            predicted = confirmation.predict(Placer(read).place(RELEASE))
        suspect = Suspect("add-output-aliasing", 0, 0, "ADD")
        found = ask(MODELS / "aliasing.tflite", predicted=replace(predicted, suspects=(suspect,)), bisect=True)
        assert found.happened.verdict == "full"
        assert found.outcome is Outcome.WRONG
        assert found.divergence is not None
        assert (found.divergence.index, found.divergence.op, found.divergence.rule) == (0, "ADD", "add-output-aliasing")
        assert [op for _, op in found.divergence.consumers] == ["SUM"]

    def test_wrong_operator_in_the_middle_is_found(self) -> None:
        # LEAKY_RELU with a slope above 1 is computed as max(x, slope * x) on every release.
        g = Graph()
        x = g.input([1, 4, 4, 8], name="x")
        leaky = g.op("LEAKY_RELU", g.op("NEG", g.op("ABS", x)), alpha=3.0, name="leaky")
        g.output(g.op("NEG", g.op("SIN", leaky), name="y"))
        found = ask(g.build(), bisect=True)
        assert found.outcome is Outcome.WRONG
        assert found.divergence is not None
        assert (found.divergence.op, found.divergence.tensor) == ("LEAKY_RELU", "leaky")
        assert not found.divergence.consumers

    def test_output_that_is_an_input_is_left_out(self) -> None:
        g = Graph()
        x = g.input([2, 8], name="x")
        g.output(g.op("EXP", x, name="y"), x)
        found = ask(g.build())
        assert [result.name for result in found.outputs] == ["y"]
        assert any("never writes it" in note for note in found.notes)

    def test_wrong_prediction_is_a_fault_of_ours(self) -> None:
        found = ask(graph(), predicted=PARTIAL)
        assert found.outcome is Outcome.MISPREDICTED
        assert found.disagreements

    def test_failure_is_told_from_what_the_cpu_cannot_do_either(self) -> None:
        g = Graph()
        g.output(g.custom("Unknown", g.input([1, 4]), out=[1, 4]))
        unloadable = ask(g.build(), predicted=Prediction("unloadable", (), frozenset(), 1))
        assert (unloadable.outcome, unloadable.happened.verdict) == (Outcome.FAILED, "unloadable")
        g = Graph()
        g.output(*g.op("SPLIT", 1, g.input([1, 4]), num_splits=1, out=[[1, 4]]))
        fails = ask(g.build(), predicted=Prediction("fails", (), frozenset(), 1))
        assert (fails.outcome, fails.happened.verdict) == (Outcome.FAILED, "fails")
        assert fails.reason == "creating the CompiledModel kills the process (SIGABRT), as predicted"

    def test_dynamic_shape_fails_whatever_the_shape_that_is_drawn(self) -> None:
        g = Graph()
        g.output(g.op("RESHAPE", g.input([1, 8]), g.input([2], "INT32"), out=[2, 4]))
        found = ask(g.build(), predicted=Prediction("fails", (), frozenset(), 1))
        assert found.outcome is Outcome.FAILED

    def test_input_without_values_still_shows_the_residency(self) -> None:
        g = Graph()
        g.input([1], "STRING", name="words")
        g.output(g.op("ABS", g.input([1, 4])))
        found = ask(g.build(), predicted=Prediction("full", (), frozenset(), 1))
        assert (found.outcome, found.happened.verdict) == (Outcome.UNCONFIRMED, "full")
        assert any("input words: no values can be made" in note for note in found.notes)

    def test_reference_file_and_metric(self, tmp_path: Path) -> None:
        inputs, dumps = tmp_path / "inputs.npz", tmp_path / "dumps.npz"
        x = np.random.default_rng(3).normal(size=(2, 8)).astype(np.float32)
        y = np.exp(x)
        np.savez(inputs, x=x)
        np.savez(dumps, y)  # unnamed: by position
        found = ask(graph(), dumps=dumps, metric="argmax", options=Options(inputs=inputs))
        assert found.outcome is Outcome.CONFIRMED, found.reason
        assert found.setting.seed is None
        (result,) = found.outputs
        assert result.score == 1.0
        assert result.parity_score == 1.0
        assert result.parity is not None
        assert result.parity.passes

        np.savez(dumps, y=y + 1)
        found = ask(graph(), dumps=dumps, options=Options(inputs=inputs))
        assert found.outcome is Outcome.WRONG
        np.savez(dumps, other=y)
        found = ask(graph(), dumps=dumps, options=Options(inputs=inputs))
        assert any("not in the reference file, which has other" in note for note in found.notes)

    def test_unreadable_files(self, tmp_path: Path) -> None:
        broken = tmp_path / "broken.npz"
        broken.write_bytes(b"no archive")
        with pytest.raises(CannotConfirm, match="not a readable"):
            ask(graph(), dumps=broken)
        with pytest.raises(CannotConfirm, match="not a readable"):
            ask(graph(), options=Options(inputs=broken))

    def test_index_inputs_stay_inside(self) -> None:
        g = Graph()
        ids = g.input([3], "INT32", name="ids")
        table = g.const(np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32))
        g.output(g.op("EXP", g.op("GATHER", table, ids)))
        found = ask(g.build())
        assert found.outcome is Outcome.CONFIRMED, found.reason

    @pytest.mark.parametrize("name", ["bad-offset", "bad-vector", "empty", "truncated", "wrong-identifier", "zip"])
    def test_damaged_file_never_reaches_the_runtime(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(environment, "find", _unreached)
        with pytest.raises(ModelError):
            confirm(DAMAGED / f"{name}.tflite", RELEASE, FULL)

    @pytest.mark.parametrize("name", ["recursion", "short-constant"])
    def test_model_that_makes_no_sense_ends_in_a_verdict(self, name: str) -> None:
        found = ask(DAMAGED / f"{name}.tflite", predicted=Prediction("unloadable", (), frozenset(), 1))
        assert (found.outcome, found.happened.verdict) == (Outcome.FAILED, "unloadable")


def _unreached(*_: object, **__: object) -> None:
    raise AssertionError("the runtime would have been started")
