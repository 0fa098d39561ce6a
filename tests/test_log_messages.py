"""No message without a route: everything that the delegate is known to say leads to the rule that reports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tflint import checks
from tflint.checks._log_lines import LINES
from tflint.checks._log_reasons import BEHIND_A_NAME, REASONS, cause_of
from tflint.checks._refused import rule_of
from tflint.checks._routes import explain
from tflint.fixtures import measure, record
from tflint.linter import delegate
from tflint.linter.delegate.failure import Fault
from tflint.linter.delegate.placement import Placer
from tflint.linter.delegate.refusal import Cause
from tflint.linter.engine import lint_model
from tflint.linter.reader import read
from tflint.linter.targets import VERSIONS, Target

HEADER = "Following operations are not supported by GPU delegate:"
FAMILIES = sorted(measure.families())


def routed(*lines: str) -> tuple[str, ...] | None:
    """The rules of the last line; None where it is unknown."""
    route = list(explain(lines))[-1].route
    return None if route is None else route.rules


def listed(line: str) -> tuple[str, ...] | None:
    """The rules of a line of the delegate's list. Some run over several lines of the log: the first one counts."""
    return routed(HEADER, line.partition("\n")[0])


# What the source of the prediction can say


def templates() -> Iterator[tuple[str, frozenset[Cause], str]]:
    """Every refusal in the sources of the prediction: where, its cause if it is written there, and its words."""
    folder = Path(delegate.__file__).parent
    for path in sorted([*folder.glob("*.py"), *folder.glob("kernels/*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                yield from _of_call(f"{path.stem}:{node.lineno}", name, node.args)


def _of_call(where: str, name: str, arguments: list[ast.expr]) -> Iterator[tuple[str, frozenset[Cause], str]]:
    causes: tuple[Cause, ...]
    if name == "Refusal":
        written = arguments[0]
        known = isinstance(written, ast.Attribute) and isinstance(written.value, ast.Name)
        causes = (Cause[written.attr],) if known and isinstance(written, ast.Attribute) else tuple(Cause)
        arguments = arguments[1:]
    else:
        causes = {
            "parameter": (Cause.PARAMETER,),
            "rank": (Cause.RANK,),
            "said": (Cause.RANK, Cause.PARAMETER),
            "_miscounted": (Cause.CONSTANT, Cause.PARAMETER),
        }.get(name, ())
    words = _words(arguments[0]) if causes and arguments else None
    if words:
        yield where, frozenset(causes), words


BLANK = "\0"
FILLINGS = (
    *("1", "5", "operand", "kernel", "Scale", "input", "height doesn't", "Unsupported"),
    *("PreCheckReadQuantizedValueByTensorIdx: ", "Only TANH activation is supported. but node has"),
    "int8, int4, or float32",
)
"""What stands in blanks that are more than a number."""


def filled(words: str) -> Iterator[str]:
    for filling in FILLINGS:
        yield words.replace(BLANK, filling)
        yield words.replace(BLANK, filling, 1).replace(BLANK, "1")


def _words(node: ast.expr) -> str | None:
    """The text of a literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else BLANK for part in node.values)
    return None


AMBIGUOUS = {
    "Permutation for transpose is invalid.",
    "Slicing is unsupported for input with rank > 4",
    "Not supported batched mat mul case",
    "src has no data.",
    "Expected 2 const input tensor(s), but node has 3 const input(s).",
}
"""Said of two kinds of fault: the route takes the frequent one."""


def test_every_refusal_in_the_source_is_known_by_its_cause() -> None:
    found = list(templates())
    wrong = []
    for where, causes, words in found:
        taken = {cause_of(said) for said in filled(words)}
        if not taken & causes and not (words in AMBIGUOUS and any(taken)):
            names = [cause.name for cause in causes]
            wrong.append(f"{where}: {words!r} is taken for {taken}, not for one of {names}")
    assert not wrong, "\n".join(wrong)
    assert len(found) > 150


def test_words_that_nothing_says_are_unknown() -> None:
    for words in ("something new", "Max version supported: x", "Tensor type is not supported", ""):
        assert cause_of(words) is None


# What the delegate was recorded to say


@cache
def recorded() -> dict[str, tuple[str, str, str]]:
    """Each line of a list to one probe and release that it was recorded of, by family."""
    lines: dict[str, tuple[str, str, str]] = {}
    for name in FAMILIES:
        for probe, entry in record.read_family(name).entries.items():
            for release, verdict in entry.verdicts.items():
                for report in verdict.reports:
                    for line in report.refused:
                        lines.setdefault(line, (name, probe, release))
    return lines


def test_every_recorded_line_is_known() -> None:
    unknown = [line for line in recorded() if listed(line) is None]
    assert not unknown, "\n".join(unknown)
    assert len(recorded()) > 300


@pytest.mark.parametrize("family", FAMILIES)
def test_a_recorded_line_leads_to_the_rule_that_reports_it(family: str) -> None:
    build = {probe.name.partition("/")[2]: probe.build for probe in measure.families()[family]()}
    wrong = []
    for line, (name, probe, release) in recorded().items():
        if name != family:
            continue
        for placed, why in Placer(read(build[probe]())).place(release).refused():
            if f"{placed.op}: {why.message}" != line:
                continue
            rule = rule_of(placed.op.partition(" ")[0], why.cause)
            found = listed(line)
            if found is not None and (rule not in found if rule else found) and why.message not in AMBIGUOUS:
                wrong.append(f"{line}: {found}, reported by {rule}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_recorded_kernel_error_leads_to_the_rule_that_reports_it(family: str) -> None:
    build = {probe.name.partition("/")[2]: probe.build for probe in measure.families()[family]()}
    seen: set[str] = set()
    for probe, entry in record.read_family(family).entries.items():
        for release, verdict in entry.verdicts.items():
            for error in verdict.errors:
                words = "".join("0" if letter.isdigit() else letter for letter in error.partition("; selector")[0])
                if words in seen:
                    continue
                seen.add(words)
                found = routed(f"ERROR: Failed to create litert::ml_drift::DelegateKernelLiteRt: {error}")
                (result,) = lint_model(read(build[probe]()), [Target(release, "webgpu", "gpu,cpu")], checks.every())
                rules = {finding.rule for finding in result.findings}
                assert found is not None, error
                assert rules.intersection(found), f"{family}/{probe} {release}: {error}: {found}, reported by {rules}"


# What the prediction of failures can say

DEATHS = ("the process ", "free(): ")
"""Words that describe a death: the runtime prints nothing, or the C library does."""


@cache
def failures() -> dict[str, tuple[Fault, str]]:
    """The words of each failure that is predicted for the probes that 2.3.0 does not create, with its fault."""
    found: dict[str, tuple[Fault, str]] = {}
    for name, make in measure.families().items():
        entries = record.read_family(name).entries
        for probe in make():
            entry = entries.get(probe.name.partition("/")[2])
            verdict = None if entry is None else entry.verdicts.get(VERSIONS[-1])
            if verdict is not None and verdict.created:
                continue
            for failure in Placer(read(probe.build())).place(VERSIONS[-1]).failures:
                words = "".join("0" if letter.isdigit() else letter for letter in failure.message)
                if words and not any(death in words for death in DEATHS):
                    found.setdefault(words, (failure.fault, failure.message))
    return found


REPORTED_BY = {
    Fault.MALFORMED: "malformed-model",
    Fault.WRITTEN_TWICE: "malformed-model",
    Fault.ELEMENT_TYPE: "malformed-model",
    Fault.NPU_MODEL: "malformed-model",
    Fault.OP_VERSION: "unregistered-op",
    Fault.UNKNOWN_OPERATOR: "unregistered-op",
    Fault.CUSTOM_OP: "custom-op",
    Fault.FLEX_OP: "custom-op",
    Fault.COMPOSITE: "composite-op",
    Fault.PREPARE: "cpu-prepare",
    Fault.VARIABLE_TENSOR: "variable-tensor",
    Fault.DYNAMIC_SHAPE: "dynamic-shape",
    Fault.SPLIT_ONE_OUTPUT: "split",
    Fault.SPLIT_CONCAT: "split-concat",
    Fault.IDENTITY_SLICE: "identity-slice",
    Fault.GATHER_CONSTANT_INDICES: "gather-constant-indices",
    Fault.PRELU_BATCH: "prelu-batch",
    Fault.SELECT_CONDITION_RANK: "select-condition-rank",
    Fault.SAME_TENSOR_TWICE: "same-tensor-twice",
    Fault.DEQUANTIZED_MATRIX: "dequantized-matrix",
    Fault.MATRIX_ROWS: "quantized-matrix-rows",
    Fault.BATCH_MATMUL_COLUMNS: "batch-matmul-columns",
    Fault.ALLOCATION: "buffer-limit",
}


def test_every_failure_that_is_printed_has_a_route() -> None:
    wrong = []
    for fault, message in failures().values():
        rules = routed(f"ERROR: {message}")
        expected = REPORTED_BY.get(fault, "kernel-creation")
        if rules is None or expected not in rules:
            wrong.append(f"{message}: {rules}, reported by {expected}")
    assert not wrong, "\n".join(wrong)
    assert len(failures()) > 100


# The tables


def test_every_route_leads_to_a_rule_that_exists() -> None:
    for _, route in LINES:
        assert set(route.rules) <= set(checks.TABLE)


def test_no_pattern_is_hidden_by_one_before_it() -> None:
    patterns = [pattern for patterns in REASONS.values() for pattern in patterns]
    assert len(set(patterns)) == len(patterns)
    assert len(BEHIND_A_NAME) == len(set(BEHIND_A_NAME))
