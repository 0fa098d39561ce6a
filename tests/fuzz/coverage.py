"""What guides the fuzzer. Apart from the targets: it must be known before anything of the linter is imported."""

from __future__ import annotations

COVERED = {
    "reader": ("linter",),
    "model": ("linter", "checks"),
    "reports": ("reports",),
    "bundle": ("linter",),
    "flexbuffer": ("linter",),
    "config": ("linter",),
    "baseline": ("linter",),
    "log": ("checks",),
}
"""By target, the folders of the package whose branches are counted."""
