"""tflint: what LiteRT's GPU will do with a .tflite model, told before it ships.

``from tflint import lint`` judges models from Python: see `tflint.api`. Nothing is imported before it is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers read it; importing `typing` would cost more than all the rest here
if TYPE_CHECKING:
    from .api import confirm as confirm
    from .api import lint as lint
    from .testing import assert_gpu_ready as assert_gpu_ready

__version__ = "0.1.0"

__all__ = ["__version__", "assert_gpu_ready", "confirm", "lint"]


def __getattr__(name: str) -> object:
    if name in ("confirm", "lint"):
        from . import api

        return getattr(api, name)
    if name == "assert_gpu_ready":
        from .testing import assert_gpu_ready

        return assert_gpu_ready
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
