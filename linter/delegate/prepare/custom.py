"""Custom operators: which the runtime registers, and CPU Prepare of those that it has a kernel for.

Source: tflite/core/kernels/register.cc, litert/runtime/compiled_model.cc, tflite/kernels/{detection_postprocess,mfcc,
audio_spectrogram,hadamard_rotation,numeric_verify}.cc, v2.1.2 to v2.2.0; the names measured on every release.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...flexbuffer import MAX_BYTES, attributes
from .state import Preparer, Step

REGISTERED = frozenset(
    {"NumericVerify", "Mfcc", "AudioSpectrogram", "TFLite_Detection_PostProcess", "aeq.hadamard_rotation"}
)
STUBBED = {
    "2.1.2": ("Convolution2DTransposeBias", "MaxPoolingWithArgmax2D", "MaxUnpooling2D", "Resampler"),
    "2.1.3": (
        "custom_call.GroupNorm",
        "custom_call.LayerNorm",
        "custom_call.RmsNorm",
        "custom_call.PixelShuffle",
    ),
    "2.2.0": ("moe",),
}
"""Names that do nothing on the CPU and are registered when the GPU is asked for, by the release that brought them."""

_STUB_RELEASE = {name: release for release, names in STUBBED.items() for name in names}


def resolved(s: Step) -> bool:
    """Whether the runtime knows a custom operator. All are registered in version 1 alone."""
    name = s.op.custom_code or ""
    if s.op.version != 1:
        return False
    if name in REGISTERED:
        return True
    release = _STUB_RELEASE.get(name)
    return release is not None and s.since(release)


def detection_postprocess(s: Step) -> None:
    s.counts(3, outputs=4)
    for position, rank in enumerate((3, 3, 2)):
        s.ranked(s.input(position), f"input {position}", rank)
    size = s.op.custom_options_size
    given = attributes(s.model.fetch(s.op.custom_options_at, size)) if 0 < size <= MAX_BYTES else {}
    found = [given.get("max_detections"), given.get("max_classes_per_detection")]
    if not all(isinstance(number, (int, float)) for number in found):
        return
    count = int(found[0] or 0) * int(found[1] or 0)
    for target, shape in zip(s.outputs(), ((1, count, 4), (1, count), (1, count), (1,)), strict=False):
        target.type = "FLOAT32"
        s.resize(target, shape)


def mfcc(s: Step) -> None:
    s.counts(2)
    sound, rate = s.input(0), s.input(1)
    s.ranked(sound, "its spectrogram", 3)
    s.scalar(rate, "its rate")
    s.typed(s.output(), "its output", "FLOAT32")
    s.same_type(sound, s.output())
    s.typed(rate, "its rate", "INT32")


def audio_spectrogram(s: Step) -> None:
    s.counts(1)
    s.ranked(s.input(0), "its input", 2)
    s.typed(s.output(), "its output", "FLOAT32")
    s.same_type(s.input(0), s.output())


def hadamard_rotation(s: Step) -> None:
    s.counts(1)


def numeric_verify(s: Step) -> None:
    s.counts(2)
    s.typed(s.input(0), "its input", "UINT8", "INT8", "INT16", "FLOAT16")
    s.typed(s.input(1), "its reference", "FLOAT32")


PREPARERS: Mapping[str, Preparer] = {
    "TFLite_Detection_PostProcess": detection_postprocess,
    "Mfcc": mfcc,
    "AudioSpectrogram": audio_spectrogram,
    "aeq.hadamard_rotation": hadamard_rotation,
    "NumericVerify": numeric_verify,
}
"""By custom code. A stub has no Prepare: its outputs stay as the file says."""
