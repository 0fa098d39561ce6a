"""Why the delegate refuses an operator: the runtime's own words, and the kind of fault behind them."""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Cause(Enum):
    """The kind of fault. Rules are found by operator and cause, never by the wording of a message."""

    KERNEL = "no kernel for the operator"
    VERSION = "operator version above the delegate's"
    RANK = "tensor of rank 5 or more"
    TYPE = "element type"
    PARAMETER = "option, shape or operand"
    IDENTICAL = "one tensor in two operands"
    CONSTANT = "only constant operands"
    HALF_WEIGHTS = "FLOAT16 weights stay on the CPU when another operator is refused"


class Refusal(NamedTuple):
    """One refusal. `message` is what the runtime prints behind ``OP: ``."""

    cause: Cause
    message: str
    tensors: tuple[int, ...] = ()
    """Indices of the tensors that the message is about."""


Refusals = Generator[Refusal, None, None]
"""A check: it yields what the delegate says at the first condition that fails, in the delegate's order. Only the
first refusal is ever taken, so behind a ``yield`` everything tested before may be relied on."""

Condition = Generator[Refusal, None, T]
"""A check that also returns what it read, for ``value = yield from …``."""


def parameter(message: str, *tensors: int) -> Refusal:
    return Refusal(Cause.PARAMETER, message, tensors)


def rank(message: str, *tensors: int) -> Refusal:
    return Refusal(Cause.RANK, message, tensors)
