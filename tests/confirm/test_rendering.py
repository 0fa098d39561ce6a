"""How a confirmation reads, and what its JSON holds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from inline_snapshot import snapshot

from tflint.linter.confirm import compare
from tflint.linter.confirm.answers import (
    Confirmation,
    Divergence,
    Happened,
    Outcome,
    OutputResult,
    Prediction,
    Setting,
)
from tflint.linter.confirm.rendering import bug_report, lines, to_json

LINE = "1 operations will run on the GPU, and the remaining 1 operations will run on the CPU."
REFUSED = ("LOG_SOFTMAX", "Operation is not supported.")


def output(name: str, array: list[float], reference: list[float]) -> OutputResult:
    left, right = np.array(array, np.float32), np.array(reference, np.float32)
    found = compare.difference(left, right, compare.tolerance(right, "fp32"))
    return OutputResult("serve", name, left.shape, "float32", found, "reference kernels")


CONFIRMED = Confirmation(
    outcome=Outcome.CONFIRMED,
    reason="1 operator on the GPU, every output agrees",
    disagreements=(),
    setting=Setting("2.3.0", "Some GPU", "driver 1.2", "Vulkan", "Discrete GPU", "fp32", "default", 0),
    predicted=Prediction("partial", (LINE,), frozenset({REFUSED}), 2),
    happened=Happened(("partial",), (LINE,), (REFUSED,), 1, 1, 1, "done", "", (), False),
    outputs=(output("y", [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]), output("z", [0.5, 1.0], [0.5, 1.0005])),
)


def text(confirmation: Confirmation) -> str:
    return "\n".join(lines(confirmation))


def test_confirmed() -> None:
    assert text(CONFIRMED) == snapshot("""\
confirmed: 1 operator on the GPU, every output agrees
  LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from seed 0
  residency   1 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
              as predicted
  refused     LOG_SOFTMAX: Operation is not supported.
  output        max abs  mean abs      RMSE      corr  NaN/Inf  tolerance
  y float32[3]        0         0         0  1.000000      0/0      0.004  bit-identical
  z float32[2]   0.0005   0.00025  0.000354  1.000000      0/0      0.001\
""")


def test_wrong_and_traced() -> None:
    wrong = output("sum", [0.0, 0.0], [1.0, 2.0])
    found = replace(
        CONFIRMED,
        outcome=Outcome.WRONG,
        reason="differs from the CPU beyond its tolerance: sum",
        predicted=Prediction("full", (), frozenset(), 2),
        happened=replace(
            CONFIRMED.happened, verdicts=("full",), lines=(), rejected=(), gpu_operators=2, cpu_operators=0
        ),
        outputs=(wrong,),
        gpu_alone=True,
        divergence=Divergence(
            "serve", 0, 3, "ADD", "sum", ((4, "SUM"),), wrong.difference, "add-output-aliasing", 2, 0
        ),
        notes=("output sum: all zero, the CPU's is not",),
    )
    assert text(found) == snapshot("""\
wrong: differs from the CPU beyond its tolerance: sum
  LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from seed 0
  residency   every operator on the GPU (the runtime prints no sentence then)
              as predicted
  output          max abs  mean abs  RMSE  corr  NaN/Inf  tolerance
  sum float32[2]        2       1.5  1.58     -      0/0      0.002  WRONG, 2 of 2 beyond, all zero
  GPU alone   creating the CompiledModel without the CPU succeeds
  first wrong 0/3:ADD, tensor sum; right alone, wrong together with 0/4:SUM [add-output-aliasing] (2 copies run)
  note        output sum: all zero, the CPU's is not\
""")


def test_mispredicted() -> None:
    found = replace(
        CONFIRMED,
        outcome=Outcome.MISPREDICTED,
        reason=f"not predicted: {LINE}",
        disagreements=(f"not predicted: {LINE}", "not predicted: LOG_SOFTMAX: Operation is not supported."),
        predicted=Prediction("full", (), frozenset(), 2),
        outputs=(),
    )
    assert text(found) == snapshot("""\
mispredicted: not predicted: 1 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
  LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from seed 0
  predicted   every operator on the GPU (the runtime prints no sentence then)
  happened    1 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
  refused     LOG_SOFTMAX: Operation is not supported.  <- only the runtime

tflint predicted something else: this is a fault of tflint. Please report it with these lines:

    tflint predicted otherwise than the runtime, LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from seed 0
    predicted: full; happened: partial
    not predicted: 1 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
    not predicted: LOG_SOFTMAX: Operation is not supported.\
""")


def test_failed() -> None:
    happened = Happened(("fails",), (), (), 2, 0, 0, "create", "creating the CompiledModel fails", ("kernel: x",), None)
    found = replace(
        CONFIRMED,
        outcome=Outcome.FAILED,
        reason="creating the CompiledModel fails, as predicted",
        predicted=Prediction("fails", (), frozenset(), 2),
        happened=happened,
        outputs=(),
    )
    assert text(found) == snapshot("""\
failed: creating the CompiledModel fails, as predicted
  LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from seed 0
  residency   no residency sentence (fails)
              as predicted
  error       kernel: x\
""")


def test_reference_file_and_metric() -> None:
    array = np.array([[1.0, 2.0], [4.0, 3.0]], np.float32)
    dump = array + np.float32(1e-4)
    compared = replace(
        output("y", [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]),
        shape=(2, 2),
        score=1.0,
        parity=compare.parity(array, dump, "fp32"),
        parity_score=0.75,
    )
    found = replace(CONFIRMED, outputs=(compared,), metric="argmax", setting=replace(CONFIRMED.setting, seed=None))
    assert text(found) == snapshot("""\
confirmed: 1 operator on the GPU, every output agrees
  LiteRT 2.3.0, Some GPU (Vulkan, Discrete GPU), driver 1.2, fp32, inputs from a file
  residency   1 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
              as predicted
  refused     LOG_SOFTMAX: Operation is not supported.
  output          max abs  mean abs    RMSE      corr  NaN/Inf   tolerance
  y float32[2,2]        0         0       0  1.000000      0/0       0.004  bit-identical; argmax 1.0000
                   0.0001    0.0001  0.0001  1.000000      0/0  mean 0.002  against the reference file: passes; argmax 0.7500\
""")


def test_signatures_are_named_when_there_are_several() -> None:
    found = replace(CONFIRMED, outputs=(CONFIRMED.outputs[0], replace(CONFIRMED.outputs[1], signature="other")))
    assert "serve/y float32[3]" in text(found)
    assert "other/z float32[2]" in text(found)


def test_enforced_precision_is_said() -> None:
    found = replace(CONFIRMED, setting=replace(CONFIRMED.setting, asked_precision="fp32"))
    assert "fp32 (enforced)" in text(found)


def test_bug_report_names_no_file() -> None:
    found = replace(CONFIRMED, disagreements=("not predicted: X",))
    assert next(iter(bug_report(found))).startswith("tflint predicted otherwise than the runtime, LiteRT 2.3.0")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_holds_no_value_that_json_lacks(value: float) -> None:
    found = replace(CONFIRMED, outputs=(output("y", [value, 1.0], [0.0, 1.0]),))
    written = json.dumps(to_json(found), allow_nan=False)
    assert json.loads(written)["outputs"][0]["difference"]["unmatched"] == 1


def test_json() -> None:
    found = replace(CONFIRMED, outputs=(CONFIRMED.outputs[1],))
    assert to_json(found) == snapshot(
        {
            "outcome": "confirmed",
            "reason": "1 operator on the GPU, every output agrees",
            "agrees": True,
            "disagreements": [],
            "litert": "2.3.0",
            "device": "Some GPU",
            "device_type": "Discrete GPU",
            "driver": "driver 1.2",
            "backend": "Vulkan",
            "precision": "fp32",
            "asked_precision": "default",
            "seed": 0,
            "predicted": {
                "verdict": "partial",
                "lines": ["1 operations will run on the GPU, and the remaining 1 operations will run on the CPU."],
                "rejected": [{"op": "LOG_SOFTMAX", "message": "Operation is not supported."}],
            },
            "happened": {
                "verdict": "partial",
                "lines": ["1 operations will run on the GPU, and the remaining 1 operations will run on the CPU."],
                "rejected": [{"op": "LOG_SOFTMAX", "message": "Operation is not supported."}],
                "gpu_ops": 1,
                "cpu_ops": 1,
                "stage": "done",
                "failure": None,
                "errors": [],
                "is_fully_accelerated": False,
            },
            "outputs": [
                {
                    "signature": "serve",
                    "name": "z",
                    "shape": [2],
                    "dtype": "float32",
                    "against": "reference kernels",
                    "wrong": False,
                    "reference_doubtful": False,
                    "difference": {
                        "elements": 2,
                        "max_abs": 0.0004999637603759766,
                        "mean_abs": 0.0002499818801879883,
                        "rmse": 0.00035352776530937915,
                        "correlation": 1.0,
                        "scale": 1.000499963760376,
                        "nan": 0,
                        "inf": 0,
                        "reference_nan": 0,
                        "reference_inf": 0,
                        "unmatched": 0,
                        "exceeding": 0,
                        "all_zero": False,
                        "identical": False,
                        "tolerance": {"max_abs": 0.0010014999637603759, "rmse": 0.0007918856356909365},
                    },
                    "score": None,
                    "parity": None,
                }
            ],
            "metric": None,
            "gpu_alone": None,
            "divergence": None,
            "notes": [],
        }
    )
