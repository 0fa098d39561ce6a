"""Drives a headless Chromium over its debugging pipe: real clocks, keys and screen sizes, and nothing to install."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip

PATIENCE = 120.0
"""Seconds for one answer: the machine may be shared."""

KEYS = {
    "Enter": ("Enter", 13),
    "Tab": ("Tab", 9),
    "ArrowRight": ("ArrowRight", 39),
    "End": ("End", 35),
    "Home": ("Home", 36),
}


class Chromium:
    """A browser process; `open` gives a page."""

    def __init__(self, program: Path, folder: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4; a shell puts them there.
        shell = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, str(program), *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait(30)
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Ask and wait for the answer. What happens meanwhile is kept in `events`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self.events.append(answer)

    def wait(self, method: str, session: str) -> None:
        limit = time.monotonic() + PATIENCE
        while not any(event.get("method") == method and event.get("sessionId") == session for event in self.events):
            assert time.monotonic() < limit, f"no {method}"
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        import select

        limit = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, limit - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._read, 1 << 16)
            assert part, "the browser has gone"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))

    def open(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False, before: str = "") -> Page:
        """Load a page and wait until it has loaded. `before` runs in it first."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = str(self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        self.call("Performance.enable", session, timeDomain="threadTicks")
        self.call(
            "Emulation.setDeviceMetricsOverride", session,
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, features=[scheme])
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", session, source=before)
        self.events.clear()
        self.call("Page.navigate", session, url=address)
        self.wait("Page.loadEventFired", session)
        return Page(self, target, session)


class Page:
    """One page that has loaded."""

    def __init__(self, browser: Chromium, target: str, session: str) -> None:
        self._browser, self._target, self._session = browser, target, session

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)

    def run(self, script: str) -> Any:
        """The value of an asynchronous function with this body."""
        answer = self._browser.call(
            "Runtime.evaluate", self._session,
            expression=f"(async () => {{{script}}})()", awaitPromise=True, returnByValue=True,
        )  # fmt: skip
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key as the keyboard sends it."""
        code, number = KEYS[key] if key in KEYS else (f"Key{key.upper()}", ord(key.upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self._browser.call(
                "Input.dispatchKeyEvent", self._session,
                type=kind, key=key, code=code, windowsVirtualKeyCode=number, text=text if kind == "keyDown" else "",
            )  # fmt: skip

    def problems(self) -> list[str]:
        """Exceptions, and errors and warnings of the console."""
        found = []
        for event in self._events():
            details = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(details["exceptionDetails"]["text"]))
            elif event["method"] == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                found.append(str(details["entry"]["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
                found.append(str(details["args"]))
        return found

    def requests(self) -> list[str]:
        """Addresses that were asked for."""
        return [
            str(event["params"]["request"]["url"])
            for event in self._events()
            if event["method"] == "Network.requestWillBeSent"
        ]

    def busy(self) -> float:
        """Milliseconds that the page's main thread has worked: the processor's time, whatever else the machine does."""
        metrics = self._browser.call("Performance.getMetrics", self._session)["metrics"]
        (seconds,) = (metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
        return 1000 * float(seconds)

    def pdf(self) -> bytes:
        return base64.b64decode(self._browser.call("Page.printToPDF", self._session)["data"])

    def _events(self) -> list[dict[str, Any]]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]
