"""What one execution may cost."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

SECONDS = 1.0
"""Of processor time: a machine under load must not make findings."""

MEMORY = 200 << 20
"""Bytes that an execution may add to the most the process has held."""

_UNIT = 1 if sys.platform == "darwin" else 1024


class OverLimitError(Exception):
    """An execution that took too long, or too much memory."""


def held() -> int:
    """The most bytes that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def within_limits(run: Callable[[bytes], None], data: bytes, seconds: float = SECONDS) -> None:
    """Run it; OverLimitError when it took more than it may."""
    before, start = held(), time.process_time()
    run(data)
    took, grown = time.process_time() - start, held() - before
    if took > seconds:
        raise OverLimitError(f"took {took:.1f} s")
    if grown > MEMORY:
        raise OverLimitError(f"took {grown >> 20} MiB")
