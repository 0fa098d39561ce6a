"""Models whose operators lack operands: refused by every release, and judged no further."""

from __future__ import annotations

import pytest

from tflint import checks, lint
from tflint.fixtures.builder import Graph
from tflint.linter.delegate.placement import Verdict
from tflint.linter.delegate.prepare import PREPARERS
from tflint.linter.findings import Kind
from tflint.linter.names import BUILTIN_OPERATORS
from tflint.linter.operands import FEWEST_INPUTS, FEWEST_OUTPUTS, complete
from tflint.linter.reader import read


def graph(operator: str, inputs: int, outputs: int, absent: int | None = None) -> bytes:
    g = Graph()
    operands = [None if number == absent else g.input([1, 4, 4, 8]) for number in range(inputs)]
    g.op(operator, *operands, out=[[1, 4, 4, 8]] * max(outputs, 1))
    del g.operators[-1].outputs[outputs:]
    return g.build()


def test_names_are_the_schema_s() -> None:
    assert FEWEST_INPUTS.keys() <= set(map(str, BUILTIN_OPERATORS))
    assert FEWEST_OUTPUTS.keys() <= FEWEST_INPUTS.keys() <= PREPARERS.keys()


@pytest.mark.parametrize("operator", FEWEST_INPUTS)
def test_what_is_called_incomplete_does_not_load(operator: str) -> None:
    """On every release, and a finding says so: the rules that stay silent leave no model uncommented."""
    inputs, outputs = FEWEST_INPUTS[operator], FEWEST_OUTPUTS.get(operator, 1)
    assert complete(read(graph(operator, inputs, outputs)))
    lacking = [graph(operator, inputs - 1, outputs), graph(operator, inputs, outputs - 1)]
    lacking += [graph(operator, inputs, outputs, absent) for absent in range(inputs)]
    for data in lacking:
        assert not complete(read(data))
        (result,) = lint(data, litert="all", backend="webgpu")
        for target in result.targets:
            assert target.placement.verdict in (Verdict.UNLOADABLE, Verdict.FAILS), (operator, target.target.litert)
            assert any(finding.kind is Kind.LOAD for finding in target.findings)


def test_rules_about_what_is_computed_are_not_asked() -> None:
    g = Graph()
    x = g.input([1, 4, 4, 8])
    g.output(g.op("SUM", g.op("ADD", x, x), [1, 2]))
    g.op("SOFTMAX", out=[1, 8])
    (result,) = lint(g.build(), litert="all")
    assert result.findings
    assert {checks.registered(finding.rule).rule.kind for finding in result.findings} <= {
        Kind.LOAD, Kind.REJECTED, Kind.PLACEMENT
    }  # fmt: skip
