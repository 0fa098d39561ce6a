"""What tests may need and a machine may lack: a Vulkan driver, a browser, the reference corpus.

A test asks by fixture or by marker. Without the thing it is skipped, and the summary says why.
Under CI the driver and the browser are promised, so there their absence is a failure.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
CI = os.environ.get("CI") == "true"

# Chromium's builds carry SwiftShader, a Vulkan driver for the CPU.
VULKAN_DRIVERS = (
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
)
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


def _vulkan_icd() -> Path:
    if importlib.util.find_spec("ai_edge_litert") is None:
        _absent("ai-edge-litert is not installed")
    if ctypes.util.find_library("vulkan") is None:
        _absent("no Vulkan loader: libvulkan.so.1 is not installed")
    chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    candidates = chosen.split(os.pathsep) if chosen else VULKAN_DRIVERS
    for candidate in map(Path, candidates):
        if candidate.is_file():
            return candidate
    _absent(f"no Vulkan driver: none of {', '.join(candidates)}")


def _browser() -> Path:
    for name in BROWSERS:
        if path := shutil.which(name):
            return Path(path)
    _absent(f"no browser: none of {', '.join(BROWSERS)} on PATH")


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
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, find in NEEDS.items():
        if item.get_closest_marker(marker):
            find()


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
