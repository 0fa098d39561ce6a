"""Find a device on which LiteRT's GPU delegate can run.

On Linux the wheels run the delegate on WebGPU over Vulkan, and a Vulkan driver that runs on the CPU
is enough: SwiftShader (fp32 only), which browsers and Electron applications bring along, or Mesa's
lavapipe (fp16 as well). On macOS the wheels bring Metal and on Windows D3D12: there the system's own
device is taken and nothing is looked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Choice = Literal["auto", "gpu", "software"]

PROBE = Path(__file__).with_name("vulkan.py")
PROBE_SECONDS = 30.0

DRIVER_VARIABLES = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
"""Both are set: the Vulkan loader reads the first from 1.3.207 on, the second always."""

SWIFTSHADER_PLACES = (
    "/usr/lib/chromium",
    "/usr/lib64/chromium-browser",
    "/usr/lib/chromium-browser",
    "/opt/google/chrome",
    "/opt/google/chrome-*",
    "/opt/microsoft/msedge",
    "/opt/brave.com/brave",
    "/opt/vivaldi",
    "/snap/chromium/current/usr/lib/chromium-browser",
    "/var/lib/flatpak/app/org.chromium.Chromium/current/active/files/chromium",
    "~/.cache/ms-playwright/chromium*/chrome-linux*",
    "~/.cache/puppeteer/chrome/*/chrome-linux*",
    # Electron itself, and the applications that carry it
    "/usr/lib/electron*",
    "/usr/lib/electron*/dist",
    "/usr/share/code",
    "/usr/share/codium",
    "/usr/lib/slack",
    "/usr/share/discord",
    "/opt/*",
    "/snap/code/current/usr/share/code",
)
"""Folders that may hold vk_swiftshader_icd.json; stars are wildcards."""

LAVAPIPE_PLACES = (
    "/usr/share/vulkan/icd.d/lvp_icd*.json",
    "/usr/local/share/vulkan/icd.d/lvp_icd*.json",
    "/etc/vulkan/icd.d/lvp_icd*.json",
)

_LAVAPIPE_OLDEST = 23
"""Mesa 22.3 is refused by Dawn and 25 works (measured); what lies between is tried."""

_PACKAGES = (
    # Ubuntu's chromium is a snap, and its Mesa is new enough from 24.04 on.
    ("ubuntu", "apt-get install mesa-vulkan-drivers libvulkan1"),
    ("debian", "apt-get install chromium libvulkan1"),
    ("fedora", "dnf install mesa-vulkan-drivers vulkan-loader"),
    ("arch", "pacman -S vulkan-swrast vulkan-icd-loader"),
    ("alpine", "apk add mesa-vulkan-swrast vulkan-loader"),
    ("suse", "zypper install libvulkan_lvp libvulkan1"),
)
"""By the family names of /etc/os-release."""

_DEFAULT_PACKAGE = "apt-get install chromium libvulkan1"


class NoDevice(Exception):
    """There is no device to run on. The text is one line and says what to install."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device, and the environment variables that lead the runtime to it.

    `type` is discrete, integrated, virtual, cpu, other, or system (not asked: Metal, D3D12).
    `fp16` is the driver's shaderFloat16; None where it was not asked.
    """

    name: str
    type: str
    driver: str
    fp16: bool | None
    variables: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name} ({self.driver})" if self.driver else self.name


def find(choice: Choice = "auto") -> Device:
    """The device to use: a real GPU if there is one, else a software one.

    A driver already named by VK_DRIVER_FILES or VK_ICD_FILENAMES is taken as it is, since the user chose
    it. Raises NoDevice.
    """
    if sys.platform != "linux":
        return _system(choice)
    named = _named_driver()
    if choice != "software" or named:
        found = _probe({})
        for device in found:
            if choice == "auto" and (named or device.type != "cpu"):
                return device
            if choice == "gpu" and device.type != "cpu":
                return device
            if choice == "software" and device.type == "cpu":
                return device
        if choice == "gpu":
            raise NoDevice("no GPU with a Vulkan driver was found; --device software runs on the CPU")
        if named:
            raise NoDevice(f"the Vulkan driver {named} has no usable device")
    too_old = ""
    for driver in _software_drivers():
        variables = _variables(driver)
        for device in _probe(variables):
            if reason := _unusable(device):
                too_old = reason
                continue
            return device
    raise NoDevice(_missing(too_old))


def _system(choice: Choice) -> Device:
    if choice == "software":
        raise NoDevice("software devices are known for Linux only; use --device auto")
    backend = {"darwin": "Metal", "win32": "D3D12"}.get(sys.platform, sys.platform)
    return Device(f"the system's {backend} device", "system", "", None)


def _named_driver() -> str:
    for variable in DRIVER_VARIABLES:
        if value := os.environ.get(variable):
            return value
    return ""


def _software_drivers() -> Iterator[Path]:
    """Driver manifests: SwiftShader's first, since it isolates faults of logic from rounding."""
    for place in SWIFTSHADER_PLACES:
        for folder in _expand(place):
            manifest = folder / "vk_swiftshader_icd.json"
            if manifest.is_file():
                yield manifest
    for place in LAVAPIPE_PLACES:
        yield from _expand(place)


def _expand(pattern: str) -> list[Path]:
    path = Path(pattern).expanduser()
    if "*" not in pattern:
        return [path] if path.exists() else []
    return sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))


def _variables(manifest: Path) -> dict[str, str]:
    """What leads the loader to this driver alone.

    A browser brings its own copy of the loader beside SwiftShader: it serves where the system has none.
    """
    variables = dict.fromkeys(DRIVER_VARIABLES, str(manifest))
    if (manifest.parent / "libvulkan.so.1").exists() and not _loader_installed():
        before = os.environ.get("LD_LIBRARY_PATH")
        folders = [str(manifest.parent), *([before] if before else [])]
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    return variables


def _loader_installed() -> bool:
    return bool(_ask({})["loader"])


def _probe(variables: Mapping[str, str]) -> list[Device]:
    return [
        Device(
            name=found["name"],
            type=found["type"],
            driver=f"{found['driver']} {found['info']}".strip(),
            fp16=found["fp16"],
            variables=dict(variables),
        )
        for found in _ask(variables)["devices"]
    ]


def _ask(variables: Mapping[str, str]) -> dict[str, Any]:
    """Ask the probe; no answer (it crashed, or hung) is the same as no device."""
    nothing: dict[str, Any] = {"loader": False, "devices": []}
    try:
        answer = subprocess.run(
            [sys.executable, "-I", str(PROBE)],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
        found: dict[str, Any] = json.loads(answer.stdout)
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError):
        return nothing
    return found


def _unusable(device: Device) -> str:
    """Why Dawn refuses this device, or the empty string."""
    if "llvmpipe" not in device.name:
        return ""
    if version := re.search(r"Mesa (\d+)\.", device.driver):
        major = int(version[1])
        if major < _LAVAPIPE_OLDEST:
            return f"Mesa {major} is too old, 25 works"
    return ""


def _missing(too_old: str) -> str:
    found = f"the software driver found cannot be used ({too_old})" if too_old else "none was found"
    return f"the GPU delegate needs a Vulkan device and {found}; install one with: {_install()}"


def _install() -> str:
    """The command for this distribution; Debian's where it is unknown."""
    ids = re.findall(r"^ID(?:_LIKE)?=(.*)$", _release_file(), re.MULTILINE)
    words = " ".join(ids).replace('"', "").split()
    for family, command in _PACKAGES:
        if any(family in word for word in words):
            return command
    return _DEFAULT_PACKAGE


def _release_file() -> str:
    with contextlib.suppress(OSError):
        return Path("/etc/os-release").read_text(encoding="utf-8")
    return ""
