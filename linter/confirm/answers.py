"""What is asked and what is answered when a model is confirmed: records only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .compare import Difference, Metric, Parity


class Outcome(str, Enum):
    """CONFIRMED: ran on the GPU as predicted, and every output agrees. UNCONFIRMED: ran, but nothing is proven by
    it. WRONG: an output differs beyond its tolerance. FAILED: creating or running it failed, or killed or hung the
    process. MISPREDICTED: the runtime did something else than predicted."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    WRONG = "wrong"
    FAILED = "failed"
    MISPREDICTED = "mispredicted"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding that explains wrong numbers: its rule, and the operator it points at (None: the whole model)."""

    rule: str
    subgraph: int | None
    index: int | None
    op: str | None


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the linter says of one model on one release.

    `verdict` is that of the placement (full, partial, none, fails, unloadable, unknown). `lines` are the residency
    sentences, one for each subgraph that prints one, in order; `rejected` the (operator, message) lines;
    `operators` the number of operators placed, over all subgraphs that the delegate is offered.
    """

    verdict: str
    lines: tuple[str, ...]
    rejected: frozenset[tuple[str, str]]
    operators: int
    suspects: tuple[Suspect, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """What the runtime did, in the prediction's terms.

    `verdicts` are the words that are true of it, the most telling first: more than one where creation succeeds and the
    first run does not, or where it is open whether the CPU alone could run the model. `failure` says how creation or
    the run failed, "" where they did not; `stage` is how far the process came.
    """

    verdicts: tuple[str, ...]
    lines: tuple[str, ...]
    rejected: tuple[tuple[str, str], ...]
    gpu_operators: int
    cpu_operators: int
    kernels: int
    """Graphs handed to the GPU."""
    stage: str
    failure: str
    errors: tuple[str, ...]
    claimed_full: bool | None

    @property
    def verdict(self) -> str:
        return self.verdicts[0]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how it ran: stated beside every number."""

    release: str
    device: str
    driver: str
    backend: str
    device_type: str
    precision: str
    """What the GPU computed in: fp16, fp32 or unknown."""
    asked_precision: str
    """What was asked for: default, or fp32."""
    seed: int | None
    """None where the inputs came from a file."""


@dataclass(frozen=True, slots=True)
class OutputResult:
    """One output of one signature. Fields are None where they do not apply.

    `against` names the reference: the interpreter's reference kernels, or XNNPACK where these were too slow.
    `reference_doubtful`: the GPU agrees with XNNPACK and both differ from the reference kernels.
    """

    signature: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    difference: Difference | None
    against: str
    reference_doubtful: bool = False
    parity: Parity | None = None
    score: float | None = None
    parity_score: float | None = None

    @property
    def wrong(self) -> bool:
        return self.difference is not None and not self.difference.within and not self.reference_doubtful


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where the results part.

    `consumers` are (index, operator) pairs that must follow for the result to be wrong; empty where the operator is
    wrong by itself. `difference` is what a copy showed; None where no copy but only the whole model is wrong. `rule`
    names a finding that explains it.
    """

    signature: str
    subgraph: int
    index: int
    op: str
    tensor: str
    consumers: tuple[tuple[int, str], ...]
    difference: Difference | None
    rule: str | None
    copies: int
    """Copies that were run."""
    unusable: int
    """Copies that did not run wholly on the GPU, so that they say nothing."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The answer for one model on one release."""

    outcome: Outcome
    reason: str
    """Why, in a clause."""
    disagreements: tuple[str, ...]
    """Where the runtime contradicts the prediction: faults of tflint."""
    setting: Setting
    predicted: Prediction
    happened: Happened
    outputs: tuple[OutputResult, ...]
    metric: Metric | None = None
    gpu_alone: bool | None = None
    """Whether creation succeeds without the CPU in the accelerator set; None where not tried."""
    divergence: Divergence | None = None
    notes: tuple[str, ...] = ()
