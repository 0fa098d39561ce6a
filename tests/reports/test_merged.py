from __future__ import annotations

from tflint import checks
from tflint.linter.findings import Finding, Place
from tflint.reports.merged import renamed


def finding(*tensors: str) -> Finding:
    return checks.registered("select").rule.finding(Place(0, 1, "SELECT", tensors), "", advice="")


def test_whole_names_are_replaced() -> None:
    assert renamed("a of ab, b", finding("a", "ab"), str.upper) == "A of AB, b"


def test_what_a_name_is_replaced_by_is_not_replaced_again() -> None:
    quoted = renamed("x and `", finding(*["`"] * 64, "x"), lambda name: f"`{name}`")
    assert quoted == "`x` and ```"
