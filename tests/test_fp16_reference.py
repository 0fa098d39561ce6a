"""The rules about half precision against the measured models: what they find, miss, and flag without cause."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tflint import checks
from tflint.linter.engine import lint_model
from tflint.linter.findings import Severity
from tflint.linter.reader import read_file
from tflint.linter.settings import Settings
from tflint.linter.targets import Target

RELEASE = "2.3.0"
RULES = tuple(rule for rule in checks.TABLE if rule.startswith("fp16-"))
Stated = tuple[tuple[str, float, float], ...]

SECTIONS = {
    "P01 sums": "sum sumscale scalesum mean sq prod cumsum dwgap dwsum reduce",
    "P02 dot products": "bm bmm bmmrand bmmrt c1 c3 conv1 conv3 convrand dw f fc fcrand fcr3 fcrow1 rw tconv",
    "P03 attention": "attnpv",
    "P04 scores": "attn",
    "P05 norms": "rms rmsf ln lnf inorm gnorm l2 e2 mumu",
    "P06 epsilons": "eps diveps logeps maxeps sumdiv cos",
    "P08 cancellation": "var lnvar bn residual",
    "P09 constants": "mul div addsub min max relu zeromul padv2pool",
    "P10 masks": "mask1m maskadd maskdouble maskin maskmul maskmulc maskrow masksel",
    "P11 softmax": "softmax logsumexp",
    "P12 unary": "un pow pow2 pow3 chain",
    "P13 integers": "cast floatidx gather i32 i32s f32 f32c round3 onehot emb argmax topk2",
    "P13 angles": "rope ropei ropetab timestep",
    "P14 weights": "fcw convw fci8 fci8s cvi8s fcbias conv",
    "P15 resizing": "rs rsb resize",
    "depth": "depth convstack",
    "fp32 faults": "maxpool maxpool1x1",
}
"""Sections of the reference, with the patterns of each. P07, the rewrites of norms, is part of P05."""
SECTION = {pattern: section for section, patterns in SECTIONS.items() for pattern in patterns.split()}

UNDECIDED = {
    "argmax": "values closer than halves are: the range does not say so",
    "topk2": "values closer than halves are",
    "convstack": "rounding alone, 1.1 %",
    "depth": "the residual grows behind weights",
    "maxpool": "a fault of MAX_POOL_2D, not of half precision",
    "maxpool1x1": "a fault of MAX_POOL_2D",
    "padv2pool": "a fault of MAX_POOL_2D",
}
"""Patterns whose wrong results neither the file nor a stated range decides."""

MISSED = {
    "diveps": "only values next to the epsilon are off, by 1.4 and 4 %",
    "eps": "1.0 % next to an epsilon of 1e-6, by MAXIMUM",
    "lnf": "an output of 1e-6 is off by one step of 6e-8",
    "un": "RSQRT of values below 3e-8 in a range from 0 to 65000",
}
"""Why some wrong results are not found."""


@dataclass(slots=True)
class Model:
    """One measured model: (wrong in half precision and right in fp32, the inputs' ranges) for each recorded input."""

    name: str
    path: Path
    runs: list[tuple[bool, bool, Stated]]

    @property
    def pattern(self) -> str:
        return self.name.split("_")[0]

    @property
    def section(self) -> str:
        return SECTION.get(self.pattern, "other")

    @property
    def right(self) -> bool:
        return not any(wrong for wrong, _, _ in self.runs)


def extent(said: Mapping[str, Any], shape: tuple[int, ...], rank: int) -> tuple[float, float]:
    """Lowest and highest value of a recorded input."""
    if "c" in said:
        return said["c"], said["c"]
    if "u" in said:
        return said["u"][0], said["u"][1]
    if "n" in said:
        values = np.random.default_rng(3 + rank).standard_normal(shape) * said["n"] + said.get("o", 0)
        return float(values.min()), float(values.max())
    return float(min(said["v"])), float(max(said["v"]))


def measured(corpus: Path) -> Iterator[Model]:
    reference = corpus.parent / "reference" / "fp16-measured.json"
    if not reference.exists():
        pytest.skip(f"{reference} is absent")
    outcomes: dict[str, dict[str, dict[str, str]]] = {}
    for result in json.loads(reference.read_text())["results"]:
        if RELEASE in result["release"].split(","):
            recorded = outcomes.setdefault(result["id"], {}).setdefault(str(result["params"]), {})
            recorded[result["precision"][:4]] = result["status"]
    for name, runs in outcomes.items():
        path = corpus / "fp16" / f"{name}.tflite"
        if not path.exists() or any("crash" in run.get("fp16", "") for run in runs.values()):
            continue
        sweeps = {
            str(sweep["label"]): sweep["in"] for sweep in json.loads(path.with_suffix(".json").read_text())["sweeps"]
        }
        with read_file(path) as model:
            graph = model.subgraphs[0]
            shapes = {graph.label(index): graph.tensors[index].shape for index in graph.inputs}
        found = []
        for label, run in runs.items():
            ranks = {tensor: rank for rank, tensor in enumerate(sorted(sweeps.get(label, {})))}
            stated = tuple(
                (tensor, *extent(said, shapes[tensor], ranks[tensor])) for tensor, said in sweeps.get(label, {}).items()
            )
            found.append((run.get("fp16") == "wrong", run.get("fp32") == "wrong", stated))
        yield Model(name, path, found)


def flagged(model: Model, stated: Stated = ()) -> list[str]:
    """The rules that warn of a model, or call it wrong."""
    with read_file(model.path) as read:
        (result,) = lint_model(read, [Target(RELEASE, "webgpu")], checks.some(RULES), Settings(input_ranges=stated))
    return sorted({finding.rule for finding in result.findings if finding.severity is not Severity.INFO})


@pytest.mark.corpus
def test_what_is_found_and_missed(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    missed: list[str] = []
    false: list[str] = []
    unexplained: list[str] = []
    for model in measured(corpus):
        alone = flagged(model)
        if model.right:
            counts[model.section, "right"] += 1
            if alone:
                counts[model.section, "false"] += 1
                false.append(f"{model.name}: {', '.join(alone)}")
        for wrong, anyway, stated in model.runs:
            if anyway or model.pattern in UNDECIDED:
                counts[model.section, "not judged"] += wrong
            elif wrong:
                found = bool(alone) or bool(flagged(model, stated))
                counts[model.section, "found" if found else "missed"] += 1
                if not found:
                    missed.append(f"{model.name}: {stated}: {MISSED.get(model.pattern, 'no reason known')}")
                    unexplained += [model.name] if model.pattern not in MISSED else []
            elif stated and model.right and not alone and (names := flagged(model, stated)):
                counts[model.section, "possible"] += 1
                missed.append(f"possible {model.name}: {stated} {names}")
    columns = ("found", "missed", "right", "false", "possible", "not judged")
    with capsys.disabled():
        print(f"\n{'section':18}" + "".join(f"{column:>12}" for column in columns))
        for section in sorted({section for section, _ in counts}):
            print(f"{section:18}" + "".join(f"{counts[section, column]:12}" for column in columns))
        totals = {column: sum(count for (_, kind), count in counts.items() if kind == column) for column in columns}
        print(f"{'all':18}" + "".join(f"{totals[column]:12}" for column in columns))
        print("\n".join(["false:", *false, "missed:", *missed]))
    assert not false
    assert not unexplained
    assert totals["missed"] <= 0.02 * (totals["found"] + totals["missed"])
