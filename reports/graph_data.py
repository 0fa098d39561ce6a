"""The operators of a model as the page's script reads them: strings once, numbers elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..linter.facts import SubgraphFact
from ..linter.results import ModelResult
from .merged import Merged
from .printing import printable

NAME_LIMIT = 40
"""Characters of a tensor's name: converters write names of hundreds."""

OPERANDS = 8
"""Inputs and outputs listed of one operator."""

SPOTS = 500
"""Places kept of one refusal or rule."""


def graph_data(result: ModelResult, releases: Sequence[str], entries: Sequence[Merged], **more: object) -> str:
    """JSON, safe inside a script element.

    `w`: words that others number. `g`: subgraphs, each with its index `i`, operators (kind, version, inputs, outputs)
    and tensors (name, type with shape, 1 for a constant). `m`: refusals, each with the releases that say it and its
    places. `f`: rules with their places."""
    words: dict[str, int] = {}
    document: dict[str, Any] = {
        "g": [_graph(graph, words) for graph in (result.facts.subgraphs if result.facts else ())],
        "m": _refusals(result, releases),
        "f": _rules(entries),
        **more,
    }
    document["w"] = list(words)
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    # Inside a script element nothing may look like its end.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def shape_words(type_: str, shape: Sequence[int]) -> str:
    return f"{type_} [{','.join(map(str, shape))}]"


def _graph(graph: SubgraphFact, words: dict[str, int]) -> dict[str, Any]:
    tensors: dict[int, int] = {}

    def tensor(index: int) -> int:
        return -1 if index < 0 else tensors.setdefault(index, len(tensors))

    def word(text: str) -> int:
        return words.setdefault(text, len(words))

    operators = [
        [
            word(printable(op.op)),
            op.version,
            [tensor(index) for index in op.inputs[:OPERANDS]],
            [tensor(index) for index in op.outputs[:OPERANDS]],
        ]
        for op in graph.operators
    ]
    described: list[list[object]] = []
    for index in tensors:
        fact = graph.tensors[index]
        name = printable(fact.name)
        short = name if len(name) <= NAME_LIMIT else "\N{HORIZONTAL ELLIPSIS}" + name[1 - NAME_LIMIT :]
        kind = word(shape_words(fact.type, fact.shape))
        described.append([short, kind, 1] if fact.constant else [short, kind])
    return {"i": graph.index, "ops": operators, "t": described}


def _refusals(result: ModelResult, releases: Sequence[str]) -> list[list[object]]:
    """Message, numbers of the releases, places."""
    found: dict[tuple[str, tuple[tuple[int, int], ...]], list[int]] = {}
    for litert, placement in {target.target.litert: target.placement for target in result.targets}.items():
        spots: dict[str, list[tuple[int, int]]] = {}
        for placed, why in placement.refused():
            spots.setdefault(printable(why.message), []).append((placed.subgraph, placed.index))
        for message, places in spots.items():
            found.setdefault((message, tuple(places[:SPOTS])), []).append(releases.index(litert))
    return [[message, numbers, places] for (message, places), numbers in found.items()]


def _rules(entries: Sequence[Merged]) -> list[list[object]]:
    found: dict[str, dict[tuple[int, int], None]] = {}
    for entry in entries:
        if (place := entry.finding.place) is not None:
            found.setdefault(entry.finding.rule, {})[place.subgraph, place.index] = None
    return [[rule, list(places)[:SPOTS]] for rule, places in found.items()]
