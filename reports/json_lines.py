"""One JSON object a line and a model, each as in the JSON report's `models`."""

from __future__ import annotations

import json

from ..linter.results import ModelResult
from .json import model_object
from .page import Page


def render(page: Page) -> str:
    return "".join(line(result) for result in page.results)


def line(result: ModelResult) -> str:
    return json.dumps(model_object(result), ensure_ascii=True) + "\n"
