"""What can go wrong before a model can be judged."""

from __future__ import annotations


class ModelError(Exception):
    """A file that cannot be linted: one line for people, and the byte offset where it shows, if there is one."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset

    def __str__(self) -> str:
        return self.message if self.offset is None else f"{self.message} (at byte {self.offset})"
