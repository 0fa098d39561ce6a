"""Processes measured whole, in turns: time, processor time, memory.

This process must stay small: the kernel counts what a parent held when it forked as held by its child. So the models
are made by another one.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

Command = tuple[str, ...]

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
"""As a user's shell has it: Python looks up its own packages, and keeps what it compiled."""


MAXRSS = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system counts memory."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process took, or what the processes of a `Side` did."""

    seconds: float
    processor: float
    """Seconds of processor time, of the user and of the system."""
    peak: int
    """The most bytes held in memory."""
    failure: str | None = None
    """Why there is no result: the last line on stderr."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a tool has to run for a case.

    One command is run in every turn, and its median taken. Of several, which do together what another tool does in one
    call, each is run once: they are dealt out over the turns, and summed.
    """

    commands: tuple[Command, ...]

    def turn(self, number: int, turns: int) -> Sequence[Command]:
        return self.commands if len(self.commands) == 1 else self.commands[number::turns]

    def result(self, samples: Sequence[Measured]) -> Measured:
        failed = next((sample for sample in samples if sample.failure), None)
        if failed is not None:
            return failed
        middle = statistics.median if len(self.commands) == 1 else sum
        return Measured(
            middle([sample.seconds for sample in samples]),
            middle([sample.processor for sample in samples]),
            max(sample.peak for sample in samples),
        )


def in_turns(sides: Sequence[Side], turns: int) -> list[Measured]:
    """The result of each side. They run one after the other in each turn, so that drift of the machine hits all."""
    samples: list[list[Measured]] = [[] for _ in sides]
    for number in range(turns):
        for side, taken in zip(sides, samples, strict=True):
            for command in side.turn(number, turns):
                if not any(sample.failure for sample in taken):
                    taken.append(sample(command))
    return [side.result(taken) for side, taken in zip(sides, samples, strict=True)]


def sample(command: Command) -> Measured:
    """Run a command and wait for it. Exit status 1 is a finding, and no failure."""
    with tempfile.TemporaryFile() as errors:
        actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)]
        start = time.perf_counter()
        child = os.posix_spawn(command[0], command, ENVIRONMENT, file_actions=actions)
        _, status, used = os.wait4(child, 0)
        seconds = time.perf_counter() - start
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").split("\n")
    code = os.waitstatus_to_exitcode(status)
    failure = None
    if code not in (0, 1):
        last = next((line.strip() for line in reversed(said) if line.strip()), "no word on stderr")
        failure = f"signal {-code}" if code < 0 else f"exit status {code}: {last}"
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * MAXRSS, failure)
