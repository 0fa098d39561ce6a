"""Files behind an address: read in byte ranges through fsspec, which the `remote` extra brings.

fsspec knows the schemes (``https://``, ``gs://``, ``hf://``, ``s3://``, …), their credentials and their environment
variables. Here is what linting adds: no more than the ranges that are needed, an end to waiting, and one line for what
fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, TypeVar

from .errors import ModelError
from .flatbuffer import Bytes
from .sparse import BLOCK, MAX_FETCHED, Pieces, Span, Sparse
from .url import Url

TIMEOUT = 30.0
"""Seconds that one answer may take."""

MAX_ANSWER = 1 << 20
"""Bytes asked for in one request: a slow line manages them in time, so a server that hangs is told from it."""

REQUESTS = 32
"""Requests under way at once."""

INSTALL = "pip install tflint[remote]"

T = TypeVar("T")


@contextmanager
def opened(url: Url) -> Iterator[Bytes]:
    """The bytes behind an address, fetched as they are read. ModelError when they cannot be had."""
    file = _File(url)
    pieces = Pieces(file.size, file.fetch)
    # The end first: a server that cannot send ranges shows there, and the list of a zip archive lies there.
    tail = (file.size - 1) // BLOCK * BLOCK
    try:
        pieces.bring([(tail, file.size)])
    except _NoRanges as error:
        if file.size > MAX_FETCHED:
            raise ModelError(
                f"the server does not send byte ranges, and a file of {file.size} bytes is too large to fetch whole"
            ) from error
        pieces.put(file.whole())
    yield Sparse(pieces, 0, file.size)


class _NoRanges(Exception):
    """The server sends files whole or not at all."""


class _File:
    """One file of an fsspec file system."""

    def __init__(self, url: Url) -> None:
        self._url = url
        self._system, self._path = self._ask(self._resolved)
        facts = self._ask(lambda: self._system.info(self._path))
        if facts["type"] == "directory":
            raise ModelError("is a folder: name a file in it")
        if facts["size"] is None:
            raise ModelError("the server does not tell the size of the file")
        self.size: int = facts["size"]
        if self.size == 0:
            raise ModelError("empty file", 0)
        self._file: Any = None

    def _resolved(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(str(self._url))
        return system, path

    def fetch(self, spans: Sequence[Span]) -> list[bytes]:
        """The bytes of each span."""
        requests = [
            [(at, min(at + MAX_ANSWER, stop)) for at in range(start, stop, MAX_ANSWER)] for start, stop in spans
        ]
        pieces = list(chain.from_iterable(requests))
        if len(pieces) > 1 and self._system.async_impl:
            batches = (pieces[at : at + REQUESTS] for at in range(0, len(pieces), REQUESTS))
            answers = chain.from_iterable(map(self._together, batches))
        else:
            answers = map(self._one, pieces)  # type: ignore[assignment]
        return [b"".join(next(answers) for _ in parts) for parts in requests]

    def _one(self, span: Span) -> bytes:
        start, stop = span

        def read() -> bytes:
            # Through an open file: unlike `cat_file` it notices an answer that is not the range, and ends it.
            if self._file is None:
                self._file = self._system.open(self._path, "rb", cache_type="none", size=self.size)
            try:
                self._file.seek(start)
                data: bytes = self._file.read(stop - start)
            except ValueError as error:
                raise _NoRanges from error
            return data

        return _complete(self._ask(read), stop - start)

    def _together(self, spans: Sequence[Span]) -> list[bytes]:
        starts, stops = map(list, zip(*spans, strict=True))
        paths = [self._path] * len(spans)
        answers = self._ask(lambda: self._system.cat_ranges(paths, starts, stops, on_error="raise"))
        return [_complete(data, stop - start) for data, (start, stop) in zip(answers, spans, strict=True)]

    def whole(self) -> bytes:
        return _complete(self._ask(lambda: self._system.cat_file(self._path)), self.size)

    def _ask(self, question: Callable[[], T]) -> T:
        """The answer; ModelError, in one line, when there is none."""
        try:
            return _within(TIMEOUT, question)
        except (ModelError, _NoRanges):
            raise
        except ImportError as error:
            scheme = self._url.partition("://")[0]
            raise ModelError(f"reading {scheme}:// needs an extra: {INSTALL}") from error
        except Exception as error:  # every file system has errors of its own
            raise ModelError(_words(error).replace(self._url, self._url.shown)) from error


def _complete(data: bytes, count: int) -> bytes:
    if len(data) < count:
        raise ModelError(f"the answer was cut short: {len(data)} of {count} bytes")
    if len(data) > count:
        raise ModelError(f"the server sent {len(data)} bytes where {count} were asked for")
    return data


def _within(seconds: float, question: Callable[[], T]) -> T:
    """Ask in a thread that can be left behind: not every file system has a timeout."""
    answers: list[T] = []
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(question())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not answers:
        raise ModelError(f"no answer within {seconds:g} seconds")
    return answers[0]


def _words(error: BaseException) -> str:
    """An error of a file system in one line."""
    if type(error).__name__ == "ClientPayloadError":  # of aiohttp, which only http:// needs
        return "the answer was cut short"
    cause = error.__cause__ or error
    status = getattr(cause, "status", None)
    if isinstance(status, int):
        return f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    name = type(cause).__name__
    if name.endswith("TimeoutError"):
        return "no answer in time"
    if isinstance(cause, FileNotFoundError):
        return "no such file"
    first = next(iter(str(cause).splitlines()), "")
    return f"cannot be read: {first or name}"
