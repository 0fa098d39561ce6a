"""One operator that the delegate has a kernel for: its types, and the check that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .node import Node
from .refusal import Refusals

Types = frozenset[str]
TypeRule = Types | Callable[[Node], Types]
Check = Callable[[Node], Refusals]


class Kernel(NamedTuple):
    """`check` is the operator's own test; `takes` and `gives` are the types of its runtime inputs and outputs,
    tested after it."""

    check: Check
    takes: TypeRule
    gives: TypeRule


Kernels = Mapping[str, Kernel]
"""Operator (or composite, or custom) name to its kernel."""


def types_of(rule: TypeRule, node: Node) -> Types:
    return rule(node) if callable(rule) else rule
