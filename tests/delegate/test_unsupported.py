"""Operators without a kernel, and that every operator which can be loaded is either known or asked about."""

from __future__ import annotations

import pytest
from answers import answers

from tflint.fixtures.probes.unsupported import probes
from tflint.linter.delegate.kernels import BUILTINS
from tflint.linter.delegate.versions import registered
from tflint.linter.names import BUILTIN_OPERATORS

PROBES = {probe.name.removeprefix("unsupported/"): probe for probe in probes()}


@pytest.mark.parametrize("name", PROBES)
def test_refused_on_every_release(name: str) -> None:
    assert answers(PROBES[name].build) == "2.1.2-2.3.0 Operation is not supported."


def test_every_operator_that_loads_has_a_kernel_or_a_probe() -> None:
    asked = {name.partition("/")[0] for name in PROBES}
    loadable = {str(name) for name in BUILTIN_OPERATORS if registered(str(name)) is not None}
    composites = {"STABLEHLO_COMPOSITE"}  # judged by its name
    assert loadable - composites - set(BUILTINS) == asked
