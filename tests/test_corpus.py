"""Real models with the delegate's own verdicts: how often the prediction equals them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tflint.linter.delegate.placement import Placer, Verdict, sentence
from tflint.linter.reader import read_file


def expected(truth: dict[str, Any]) -> tuple[set[Verdict], list[str]]:
    sentences = sorted(sentence(*pair) for pair in truth["summaries"])
    if truth["gpu_compile"] == "ok":
        return ({Verdict.PARTIAL, Verdict.NONE} if sentences else {Verdict.FULL}), sentences
    alone = truth["cpu_compile"] in (None, "ok")
    late = (truth["fail_class"] or "").split(":")[0] in ("unresolved_custom_op", "flex_op", "cpu_prepare")
    return ({Verdict.FAILS} if alone and not late else {Verdict.UNLOADABLE}), sentences


@pytest.mark.corpus
def test_verdicts_and_sentences_of_real_models(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    equal = total = 0
    false_full = []
    for line in (corpus / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        with read_file(corpus / "models" / row["file"]) as model:
            placer = Placer(model)
            for release, truth in row["truth"].items():
                placed = placer.place(release)
                verdicts, sentences = expected(truth)
                equal += placed.verdict in verdicts and sorted((placed.line or "").splitlines()) == sentences
                total += 1
                if placed.verdict is Verdict.FULL and Verdict.FULL not in verdicts:
                    false_full.append((row["file"], release))
    with capsys.disabled():
        print(f"\nverdict and sentence equal on {equal} of {total} models and releases ({100 * equal / total:.2f} %)")
    assert not false_full
    assert equal >= 0.995 * total
