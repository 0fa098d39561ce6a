"""One model on one release and device, ready to be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from . import device, runner


class NoValues(Exception):
    """No values can be made for an input."""


class CannotConfirm(Exception):
    """The question could not be put to the runtime: bad inputs, or a runtime that does not start. One line."""


@dataclass(frozen=True, slots=True)
class Route:
    """How this model is run: the same for every question about it."""

    model: Path | bytes
    worker: runner.Worker
    device: device.Device
    options: runner.Options

    def run(self, accelerators: runner.Accelerators, *, outputs: bool = True, reference: bool = False) -> runner.Run:
        options = replace(self.options, accelerators=accelerators, outputs=outputs, reference=reference)
        found = self.worker.run(self.model, options)
        if found.exit.kind == "broken":
            raise CannotConfirm(f"the runtime of LiteRT {found.release} does not start: {found.exit.text}")
        if found.exit.kind == "refused":
            raise (NoValues if "no values can be made" in found.exit.text else CannotConfirm)(found.exit.text)
        if found.no_adapter:
            raise device.NoDevice(f"LiteRT {found.release} finds no usable adapter on {self.device}")
        return found
