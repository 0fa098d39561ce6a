"""From a line of a runtime log to the rule that explains it.

A line loses the prefixes of logcat, of loggers and of exceptions. What is left is an operator of the delegate's list
of refused ones (`_log_reasons`), or one of the lines of `_log_lines`. What neither knows is passed over where somebody
else wrote it, and said to be unknown where the runtime did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ..linter.delegate.kernels import BUILTINS
from ..linter.delegate.refusal import Cause
from ..linter.names import BUILTIN_OPERATORS
from . import op_parameters, unsupported_op
from ._log_lines import CONSEQUENCE, LINES, LIST, NO_KERNEL, Route
from ._log_reasons import OLDER, cause_of
from ._refused import rule_of


class Explained(NamedTuple):
    """One log line, without its prefix, and its route; None when the line is the runtime's and unknown."""

    number: int
    line: str
    route: Route | None


_DATE = r"(?:\d{4}-)?\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d+"
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:>\s*)+",  # quoted in a report
        # logcat, threadtime: date, (user), process, thread, level, tag
        rf"{_DATE}(?:\s+[+-]\d{{4}})?\s+(?:\w+\s+)?\d+\s+\d+\s+(?P<level>[VDIWEFA])\s+(?P<tag>[^:]+?)\s*:\s?",
        # Android Studio since 2022: date, process-thread, tag, package, level
        rf"{_DATE}\s+\d+-\d+\s+(?P<tag>\S.*?)\s{{2,}}\S+\s+(?P<level>[VDIWEFA])(?:\s{{2}}|\s?$)",
        # brief, time, tag, and Android Studio before: (date, process-thread/package,) level/tag(process)
        rf"(?:{_DATE}\s+)?(?:\d+-\d+(?:/\S+)?\s+)?(?P<level>[VDIWEFA])/(?P<tag>[^(:\s]+)\s*(?:\(\s*\d+\))?:\s?",
        r"(?P<level>[VDIWEFA])\s+(?P<tag>tflite|litert|native)\s*:\s?",
        # a Mac or an iPhone: date, application[process:thread], [tag]
        r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d+(?:[+-]\d{4})?\s+\S+\[\d+:\w+\]\s(?:\[\S+\]\s)?",
        # absl: level, date, thread, file:line]
        r"(?P<level>[IWEF])\d{4} [\d:.]+\s+\d+ (?P<tag>[\w./-]+):\d+\]\s?",
        # TensorFlow: date, level, file:line]
        r"\d{4}-\d{2}-\d{2} [\d:.]+: (?P<level>[IWEF]) (?P<tag>[\w./-]+):\d+\]\s?",
        # the runtime's own: LEVEL: [file:line]
        r"[└\s]*(?P<level>VERBOSE|DEBUG|INFO|WARNING|ERROR|FATAL): (?:\[(?P<tag>[\w./-]+):\d+\]\s?)?",
        r"(?:<Unknown severity>|TFLite Warning|GPU COMPATIBILITY WARNING): ",
        # exceptions of Java and Python
        r"(?:Caused by: |Ignoring failed delegate application: )?(?:[\w.]+(?:Exception|Error): )+",
        r"\{?\w+Error\(['\"]",
        r"(?:Internal error: )?(?:Failed to apply delegate: )",
        r"(?:TfLite)?GpuDelegate(?:V2)? (?:Init|Prepare|Invoke): ",
        r"\s+",
    )
)
_MOST_PREFIXES = 8
_LONG = re.compile(rf"^\[ {_DATE}\s+\d+:\s*\d+ (?P<level>[VDIWEFA])/(?P<tag>\S+)\s*\]$")
"""logcat's long format has the prefix on a line of its own."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_OURS = re.compile(r"tflite|litert|ml_drift|delegate|webgpu|dawn|xnnpack|interpreter|subgraph|\.cc$", re.IGNORECASE)
_CHATTER = ("V", "D", "I")
_BAD = ("W", "E", "F", "WARNING", "ERROR", "FATAL")

_OPERATOR = re.compile(r"^(?:\d+: )?(?P<op>[A-Z][A-Z0-9_]+)(?: (?P<custom>[^\s:].*?))?:(?: (?P<message>.*))?$")
"""A line of the delegate's list: operator, the name of a custom one, and why."""
_NAMES = frozenset(BUILTIN_OPERATORS)

_ADVICE = {
    "op-version": "convert without the form that needs the version, or raise the release where the ceiling rose",
    "rank-over-four": "keep the tensor at rank 4 or below",
    "tensor-type": "change the element type where the tensor is created",
    "identical-inputs": "fold the operator: its result is known",
    "constant-inputs": "fold it at export",
    "unsupported-op": "express it by operators that have kernels, or run it in the application",
    "op-parameters": "give the operator the form that its kernel takes",
    "split": "take the parts with SLICE: exact",
    "select": "x * (1 - m) + v * m with a 0/1 mask: exact for finite values",
    "gather-nd": "strided pooling, SLICE and CONCATENATION, or a matmul with a constant, by where it comes from",
    "broadcast-to": "store a constant at its target shape; CONCATENATION of the slices for a runtime tensor: exact",
    "relu-0-to-1": "MINIMUM(RELU(x), 1): exact",
    "transpose-conv-version": "take the fused activation out, which gives version 3: exact",
    "custom-op": "convert with builtin operators, or run it in the application",
    "composite-op": "convert without the composite, so that its decomposition is in the graph",
}
"""What to do about a refused operator, by rule."""


def explain(lines: Iterable[str]) -> Iterator[Explained]:
    """Every line of a log that a delegate, the loader or the converter wrote, in order."""
    listing = told = False
    level = tag = ""
    for number, raw in enumerate(lines, 1):
        header = _LONG.match(raw.strip())
        if header is not None:
            level, tag = header["level"], header["tag"]
            continue
        line, own_level, own_tag = _stripped(_COLOUR.sub("", raw.rstrip("\r\n")))
        if not line:
            level = tag = ""
            continue
        own_level, own_tag = own_level or level, own_tag or tag
        theirs = bool(own_tag) and not _OURS.search(own_tag)
        if theirs and own_level in _CHATTER:
            continue
        operator = _operator(line)
        route = (_of_operator(operator) if operator else None) or _of_line(line) or (None if theirs else _bare(line))
        if route is not None:
            listing = route == LIST or operator is not None
            if route == NO_KERNEL and told:
                route = CONSEQUENCE
            told = "DelegateKernelLiteRt: " in line
            yield Explained(number, line, route)
        elif operator is not None or (listing and _OPERATOR.match(line)) or (own_level in _BAD and not theirs):
            yield Explained(number, line, None)


def _operator(line: str) -> re.Match[str] | None:
    found = _OPERATOR.match(line)
    return found if found is not None and found["op"] in _NAMES else None


def _of_operator(operator: re.Match[str]) -> Route | None:
    """A refused operator, by its message. Unknown composites and custom operators are refused with their own name."""
    name, custom, message = operator["op"], operator["custom"], operator["message"] or ""
    title = f"{name} {custom}" if custom else name
    if name == "DELEGATE":
        return Route((), "another delegate took these operators before the GPU was asked: no fault")
    if message == custom or (name == "STABLEHLO_COMPOSITE" and re.fullmatch(r"[\w.:/-]+", message)):
        return _refused(name, title, message, Cause.KERNEL)
    if OLDER.fullmatch(message):
        return Route(
            ("tensor-type", "rank-over-four"),
            f"{title} is refused by the TFLite delegate before LiteRT 2, for an element type or a rank",
            "lint the model: LiteRT's delegate takes more",
        )
    cause = cause_of(message) if message else Cause.HALF_WEIGHTS
    if cause is Cause.KERNEL and name in BUILTINS and "Operation" in message:
        return Route(
            ("unsupported-op",),
            f"{title} is refused by the TFLite delegate before LiteRT 2: LiteRT's has a kernel for it",
            "use LiteRT's CompiledModel",
        )
    return None if cause is None else _refused(name, title, message, cause)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Route], ...]:
    return tuple((re.compile(pattern), route) for pattern, route in LINES)


def _of_line(line: str) -> Route | None:
    for pattern, route in _compiled():
        if pattern.search(line):
            return route
    return None


def _bare(line: str) -> Route | None:
    """The delegate's reason alone: it goes to its own library's log beside the list."""
    cause = cause_of(line, operator=False)
    return None if cause is None else _refused("", "an operator", line, cause)


def _stripped(line: str) -> tuple[str, str, str]:
    """A line without prefixes; the level and the tag that they named."""
    level = tag = ""
    for _ in range(_MOST_PREFIXES):
        for prefix in _PREFIXES:
            match = prefix.match(line)
            if match is not None:
                found = match.groupdict()
                level, tag = found.get("level") or level, found.get("tag") or tag
                line = line[match.end() :]
                break
        else:
            break
    return line.strip(), level, tag.strip()


def _refused(name: str, title: str, message: str, cause: Cause) -> Route:
    rule = rule_of(name, cause)
    if rule is None:
        return Route((), "FLOAT16 weights stay on the CPU because another operator is refused", "mend that one")
    advice = _ADVICE[rule]
    if rule == "unsupported-op":
        advice = unsupported_op.REWRITES.get(name, advice)
    elif rule == "op-parameters":
        advice = next((rewrite for words, rewrite in op_parameters.REWRITES if words in message), advice)
    return Route((rule,), f"{title} is refused: {cause.value}", advice)
