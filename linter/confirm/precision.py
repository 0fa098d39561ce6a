"""Which precision the GPU computes in: asked of the GPU itself, since no log says it."""

from __future__ import annotations

import base64
import zlib
from typing import Literal

from . import runner

Used = Literal["fp16", "fp32", "unknown"]

# A model that adds its inputs x and y, FLOAT32 [1,1,1,4], into z.
_ADD = zlib.decompress(
    base64.b64decode(
        "eNp1jzEOwjAMRV+gEpUaVQwR6sgd4AxMDAwMDCxIOQQgzsMZOAcHItiJK2Vof/SV2P7fdgbgfDjuoCewxtNKppEIiWAQnhws5Xa5Ap9fSvoOKHrR"
        "jM7iC+a7CK/CSPHfYqT2hTzD01XzBJ239zaVOQsjtsNUTvu/hHvb8S1eLelvvGmeVnMVNf5OaB8zWtjknRUtI1aSLavUPe4zPZx5m3zgD05xFuc="
    )
)

_FINE = 1 + 2**-12
"""Needs 12 bits of fraction: fp32 keeps it, fp16 (10 bits) rounds it to 1."""


def used(worker: runner.Worker, asked: runner.Precision) -> Used:
    """The precision in which the worker's device computes under this request.

    A value that fp16 cannot hold is sent through an ADD of 0. The driver's word is enough where it has no fp16
    at all.
    """
    if worker.device is not None and worker.device.fp16 is False:
        return "fp32"
    options = runner.Options(
        precision=asked, outputs=True, reference=False, ranges={"x": (_FINE, _FINE), "y": (0.0, 0.0)}
    )
    found = worker.run(_ADD, options)
    if found.exit.kind != "ok" or found.reports or not found.kernels or not found.outputs:
        return "unknown"
    result = found.outputs[0].compiled
    if result is None:
        return "unknown"
    if (result == 1).all():
        return "fp16"
    return "fp32" if (abs(result - _FINE) < 2**-20).all() else "unknown"
