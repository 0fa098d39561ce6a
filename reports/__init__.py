"""Reports: results in, text out. A report sees results and never the model."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from .page import Page

FORMATS = {
    "text": "text",
    "json": "json",
    "jsonl": "json_lines",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "markdown": "markdown",
    "html": "html",
}
"""Format name to the module that renders it; each has ``render(page) -> str``."""

ENDINGS = {
    ".json": "json",
    ".sarif": "sarif",
    ".xml": "junit",
    ".md": "markdown",
    ".html": "html",
}
"""File ending of --report to format."""


def renderer(name: str) -> Callable[[Page], str]:
    """The function that renders a format; its module is imported only now."""
    return cast("Callable[[Page], str]", import_module(f".{FORMATS[name]}", __name__).render)
