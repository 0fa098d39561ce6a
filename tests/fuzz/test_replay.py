"""What fuzzing has found stays found, and a short run of the same damage without coverage guidance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.coverage import COVERED
from fuzz.damage import scrambled
from fuzz.limits import OverLimitError, within_limits
from fuzz.targets import SUBJECTS, Subject, some_models

KEPT = Path(__file__).parent / "kept"
SHORT = {"reader": 300, "model": 150, "reports": 40}
"""Damaged inputs for each subject; those without a line here take a fraction of the time."""


def kept() -> list[Path]:
    return sorted(path for path in KEPT.rglob("*") if path.is_file())


def everything(subject: Subject) -> Callable[[bytes], None]:
    """There is time for all releases and reports here: the inputs are few."""
    return subject.whole or subject.run


def test_every_subject_that_is_kept_exists() -> None:
    assert SUBJECTS.keys() == COVERED.keys()
    assert {path.parent.name for path in kept()} <= SUBJECTS.keys()
    assert kept()


@pytest.mark.parametrize("path", kept(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found(path: Path) -> None:
    within_limits(everything(SUBJECTS[path.parent.name]), path.read_bytes())


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_short_run(name: str) -> None:
    subject, random = SUBJECTS[name], Random(1)
    seeds = list(some_models() if subject.mutate is not None else subject.seeds())
    for data in seeds:
        within_limits(everything(subject), data)
    for _ in range(SHORT.get(name, 1000)):
        data = random.choice(seeds)
        damage = scrambled if subject.mutate is None or random.random() < 0.2 else subject.mutate
        within_limits(everything(subject), damage(data, random))


@functools.cache
def _small() -> list[bytes]:
    return [data for data in some_models() if len(data) < 3000]


@given(st.sampled_from(range(9)), st.randoms(use_true_random=False))
def test_any_damage(number: int, random: Random) -> None:
    subject = SUBJECTS["model"]
    assert subject.mutate is not None
    within_limits(everything(subject), subject.mutate(_small()[number % len(_small())], random))


def test_what_is_too_much_is_noticed() -> None:
    def busy(data: bytes) -> None:
        sum(range(10_000_000))

    with pytest.raises(OverLimitError, match=r"took \d"):
        within_limits(busy, b"", seconds=0.001)


def test_damage_reaches_behind_the_reader() -> None:
    """Most damaged models still load: else fuzzing would only ever test the first offset."""
    from fuzz.damage import damaged
    from tflint.linter.errors import ModelError
    from tflint.linter.reader import read

    random, loaded, changed = Random(1), 0, 0
    for _ in range(200):
        data = random.choice(_small())
        other = damaged(data, random)
        changed += other != data
        try:
            read(other)
        except ModelError:
            continue
        loaded += 1
    assert changed > 150
    assert 60 < loaded < 200
