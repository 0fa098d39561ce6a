"""The placement predicted for every probe is what the releases were measured to do.

`fixtures/verdicts/` holds what was measured; `python -m tflint.fixtures.measure` writes it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

from tflint.fixtures import measure, record
from tflint.fixtures.record import Family, Report, Verdict
from tflint.linter.confirm import device, environment
from tflint.linter.delegate.placement import Placement, Placer
from tflint.linter.delegate.placement import Verdict as Predicted
from tflint.linter.errors import ModelError
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS

KNOWN: dict[str, str] = {
    "composite/odml.scaled_dot_product_attention/two": "the runtime reads beyond the operands, and may die of it or not",
    "matmul/FULLY_CONNECTED/blockwise_INT32_points": "the runtime damages its heap, and may die of it or not",
    "matmul/FULLY_CONNECTED/blockwise_INT64_points": "the runtime damages its heap, and may die of it or not",
    "partition/control/nested_IF": "a body's report is printed several times, and the log does not tell whose it is",
    "partition/subgraphs/same_twice": "the log does not tell three equal subgraphs from one that is reported thrice",
}
"""Probes of which the prediction is known to differ from the record on some release, each with the cause."""

SHOWN = 20
SAMPLE = 100

CREATED = (Predicted.FULL, Predicted.PARTIAL, Predicted.NONE)
NOT_CREATED = (Predicted.FAILS, Predicted.UNLOADABLE)

MANIFEST = record.read_manifest()
FAMILIES = [path.stem for path in sorted(record.FOLDER.glob("*.txt"))]

each_family = pytest.mark.parametrize(
    # One worker builds a family's models once.
    "name",
    [pytest.param(name, marks=pytest.mark.xdist_group(f"verdicts of {name}")) for name in FAMILIES],
)


def predicted_reports(placement: Placement) -> tuple[Report, ...]:
    """What the delegate is predicted to print, one report a subgraph that it does not take whole."""
    return tuple(
        Report(
            graph.gpu,
            graph.cpu,
            tuple(sorted({f"{op.op}: {why.message}" for op, why in placement.refused() if op.subgraph == graph.index})),
        )
        for graph in placement.subgraphs
        if graph.sentence is not None
    )


def compared(placement: Placement, measured: Verdict) -> Iterator[str]:
    """How the prediction differs from what was measured."""
    if placement.verdict not in (CREATED if measured.created else NOT_CREATED):
        causes = ", ".join(failure.fault.name for failure in placement.failures)
        yield f"verdict {placement.verdict.value} {causes}".rstrip()
    if placement.verdict is Predicted.FULL and measured.reports:
        yield "verdict full"
    if measured.created and bool(placement.gpu_ops) != bool(measured.kernels):
        yield f"{placement.gpu_ops} operators on the GPU"
    predicted = predicted_reports(placement)
    if predicted != measured.reports:
        yield f"reports {Verdict('', reports=predicted)}".replace("  kernels=0", "")


def differences(name: str, model: bytes, verdicts: dict[str, Verdict]) -> Iterator[str]:
    try:
        placer = Placer(read(model))
    except ModelError as error:
        # Then nothing is predicted but that no release creates it.
        yield from (f"{name} {release}: not readable: {error}" for release, v in verdicts.items() if v.created)
        return
    for release, found in verdicts.items():
        if said := "; ".join(compared(placer.place(release), found)):
            yield f"{name} {release}: predicted {said}; measured {found}"


@cache
def models(family: str) -> dict[str, bytes]:
    """A family's models, by the probes' names without the family's."""
    return {probe.name.partition("/")[2]: probe.build() for probe in measure.families()[family]()}


@each_family
def test_predictions_are_what_was_measured(name: str) -> None:
    family = record.read_family(name)
    pairs = 0
    wrong: dict[str, list[str]] = {}
    for probe, model in models(name).items():
        entry = family.entries.get(probe)
        if entry is None:
            continue
        pairs += len(entry.verdicts)
        if found := list(differences(f"{name}/{probe}", model, entry.verdicts)):
            wrong[f"{name}/{probe}"] = found
    known = {probe for probe in KNOWN if probe.startswith(f"{name}/")}
    lines = [line for probe, found in wrong.items() if probe not in known for line in found]
    equal = pairs - sum(map(len, wrong.values()))
    print(f"{name}: {equal} of {pairs} predictions as measured, {len(family.releases)} releases")
    assert not lines, "\n".join([f"{len(lines)} differences", *lines[:SHOWN]])
    assert not known - set(wrong), "predicted right by now: take them out of KNOWN"


def test_every_family_is_recorded() -> None:
    assert sorted(measure.families()) == FAMILIES


def test_manifest_counts_what_is_recorded() -> None:
    counts = Counter(
        release
        for name in FAMILIES
        for entry in record.read_family(name).entries.values()
        for release in entry.verdicts
    )
    assert counts == {release: found.probes for release, found in MANIFEST.items()}
    assert set(MANIFEST) <= set(VERSIONS)


@each_family
def test_record_is_of_the_probes_as_they_are(name: str) -> None:
    """A probe that is new, gone or another model by now is to be measured: `measure --missing`."""
    family = record.read_family(name)
    assert {probe: entry.digest for probe, entry in family.entries.items()} == {
        probe: record.digest(model) for probe, model in models(name).items()
    }
    gaps = [probe for probe, entry in family.entries.items() if list(entry.verdicts) != family.releases]
    assert not gaps


@each_family
def test_record_is_written_as_it_is_read(name: str) -> None:
    text = (record.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(record.read_family(name).lines()) + "\n" == text


def test_a_line_holds_until_the_next(tmp_path: Path) -> None:
    refused = Verdict("created", reports=(Report(0, 1, ('ADD: "x" ', "MUL: a\nb")),))
    broken = Verdict("exception:create", "Failed to modify", 1, errors=("INTERNAL: no",))
    family = Family()
    family.add("2.1.10", "ADD/x y", "0f", refused)
    for release in ("2.1.2", "2.1.3"):
        family.add(release, "ADD/x y", "0f", broken)
    family.add("2.1.3", "ABS/z", "1f", Verdict("timeout:create"))
    assert list(family.lines()) == [
        "# releases: 2.1.2 2.1.3 2.1.10",
        "ABS/z 1f",
        "  2.1.3 timeout:create kernels=0",
        "  2.1.10 ?",
        "ADD/x y 0f",
        '  2.1.2 exception:create "Failed to modify" kernels=1 ! "INTERNAL: no"',
        '  2.1.10 created kernels=0 0+1 "ADD: \\"x\\" " "MUL: a\\nb"',
    ]
    record.write_family("few", family, tmp_path)
    assert record.read_family("few", tmp_path) == family


def test_a_changed_model_drops_its_verdicts() -> None:
    family = Family()
    family.add("2.1.2", "ABS/z", "1f", Verdict("created"))
    assert family.get("2.1.2", "ABS/z", "1f") == Verdict("created")
    assert family.get("2.1.2", "ABS/z", "2f") is None
    family.add("2.1.3", "ABS/z", "2f", Verdict("created"))
    assert family.get("2.1.2", "ABS/z", "2f") is None


@pytest.mark.delegate
def test_installed_release_still_does_what_is_recorded() -> None:
    release = version("ai-edge-litert")
    assert release in MANIFEST, f"{release} is not recorded"
    seed = random.SystemRandom().randrange(10**6)
    tasks = measure.built(None, SAMPLE, seed)
    with measure.Bench(environment.find(release).python, device.find("software"), 2) as bench:
        lines = measure.differences(bench, release, tasks, record.FOLDER)
    again = f"python -m tflint.fixtures.measure --check --release {release} --sample {SAMPLE} --seed {seed}"
    assert not lines, "\n".join([again, f"recorded on {MANIFEST[release].device}", *lines])
