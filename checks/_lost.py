"""Outputs that are never written, because the operator that makes them is united with the one that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..linter.case import Case
from ..linter.delegate.fusion import By, DelegateGraph, Merge
from ..linter.findings import Evidence, Finding, Rule, place
from ._delegated import applies, delegate_graphs, wanted
from ._evidence import measured, releases

WHY = {
    By.IDENTITY: "{consumer} changes nothing and is dropped",
    By.PADDING: "the padding is folded into {consumer}",
    By.SCALE: "the constant is folded into the weights",
    By.SUM_AND_REDUCTION: "{producer} and {consumer} become one kernel",
    By.NORMALIZATION: "the whole normalisation becomes one kernel",
    By.MISH: "x * tanh(log(1 + exp(x))) becomes one kernel",
    By.PARTS: "the split and {consumer} are taken for an identity",
    By.ELEMENTWISE: "{consumer} is computed in the kernel of {producer}",
    By.MOVES: "{producer} and {consumer} become one kernel",
}

ADVICE = "return a copy: RESHAPE the tensor to its own shape, exact, and make the result the output"
COPY_FOR_CPU = "let another operator on the GPU read it too, for instance a RESHAPE to its own shape that the CPU reads"


def lost_outputs(case: Case, rule: Rule, belongs: Callable[[Merge], bool]) -> Iterator[Finding]:
    """A finding for every tensor of the rule's that the delegate must hand out and never writes."""
    for found in delegate_graphs(case):
        for merge in found.lost():
            if belongs(merge) and applies(case, merge.until):
                yield _finding(case, rule, found, merge)


def _finding(case: Case, rule: Rule, found: DelegateGraph, merge: Merge) -> Finding:
    graph = found.graph
    why = WHY[merge.by].format(producer=merge.producer.title, consumer=merge.consumer.title)
    message = f"{wanted(graph, merge)} is never written: {why}"
    return case.hazard(
        rule,
        place(graph, merge.producer, (merge.tensor,)),
        message,
        advice=ADVICE if merge.tensor in graph.outputs else COPY_FOR_CPU,
        evidence=evidence(merge),
    )


def evidence(merge: Merge) -> tuple[Evidence, ...]:
    span = releases(last=merge.until)
    return (measured("the output holds zeros, garbage or the bytes of an input; the consumer's result is right", span),)
