"""tflint: what LiteRT's GPU will do with a .tflite model, told before it ships.

``from tflint import lint`` judges models from Python; see `tflint.api`.
"""

from __future__ import annotations

__version__ = "0.1.0"
