"""What tests may need and a machine may lack: a Vulkan driver, a browser, GNU parallel, the reference corpus.

A test asks by fixture or by marker. Without the thing it is skipped, and the summary says why.
Under CI all but the corpus are promised, so there their absence is a failure.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from tflint.linter.confirm.device import DRIVER_VARIABLES, Device, NoDevice, find

ROOT = Path(__file__).resolve().parent.parent
CI = os.environ.get("CI") == "true"

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# The machine may be shared: a slow example is no fault. Under CI Hypothesis brings its own profile.
settings.register_profile("local", deadline=None)
if not CI:
    settings.load_profile("local")


class RootIsNoTestPackage:
    """Keeps pytest from importing the root's `__init__.py` under the name of the clone's folder.

    The root is the package `tflint`; under a second name its modules would load twice.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return pytest.Dir.from_parent(parent, path=path) if path == ROOT else None


def pytest_configure(config: pytest.Config) -> None:
    # As a plugin: hooks of this file itself are asked only about folders below tests/.
    config.pluginmanager.register(RootIsNoTestPackage())


def _absent(what: str) -> NoReturn:
    if CI:
        pytest.fail(f"{what} (CI=true promises it)", pytrace=False)
    pytest.skip(what)


@functools.cache
def _software() -> Device | str:
    """The Vulkan driver that runs on the CPU, or why there is none. One that the environment names comes first."""
    if importlib.util.find_spec("ai_edge_litert") is None:
        return "ai-edge-litert is not installed"
    try:
        return find("software")
    except NoDevice as none:
        return str(none)


def _vulkan_icd() -> Path:
    device = _software()
    if isinstance(device, str):
        _absent(device)
    variables = {**os.environ, **device.variables}
    return Path(next(variables[name] for name in DRIVER_VARIABLES if variables.get(name)))


def _browser() -> Path:
    for name in BROWSERS:
        if path := shutil.which(name):
            return Path(path)
    _absent(f"no browser: none of {', '.join(BROWSERS)} on PATH")


def _parallel() -> Path:
    path = shutil.which("parallel")
    if path is None:
        _absent("no GNU parallel on PATH")
    return Path(path)


def _corpus() -> Path:
    if chosen := os.environ.get("TFLINT_CORPUS"):
        if not Path(chosen).is_dir():
            pytest.fail(f"TFLINT_CORPUS={chosen} is no folder", pytrace=False)
        return Path(chosen)
    beside = ROOT.parent / "shared" / "corpus"
    if not beside.is_dir():
        pytest.skip(f"no reference corpus: TFLINT_CORPUS is not set, {beside} is absent")
    return beside


NEEDS: dict[str, Callable[[], Path]] = {
    "browser": _browser,
    "corpus": _corpus,
    "delegate": _vulkan_icd,
    "parallel": _parallel,
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leads what a delegate test starts to the software driver: its results are the same on every machine."""
    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("delegate") and isinstance(device := _software(), Device):
            for name, value in device.variables.items():
                patch.setenv(name, value)
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, need in NEEDS.items():
        if item.get_closest_marker(marker):
            need()


@pytest.fixture(scope="session")
def vulkan_icd() -> Path:
    """The driver's manifest, for VK_DRIVER_FILES and VK_ICD_FILENAMES."""
    return _vulkan_icd()


@pytest.fixture(scope="session")
def browser() -> Path:
    """The Chromium to start."""
    return _browser()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the reference corpus."""
    return _corpus()
