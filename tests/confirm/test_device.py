"""Which device is taken, told by what the Vulkan probe answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tflint.linter.confirm import device
from tflint.linter.confirm.device import NoDevice, find

CPU = {"name": "SwiftShader Device", "type": "cpu", "driver": "SwiftShader driver", "info": "", "id": 10, "fp16": False}
GPU = {"name": "Some GPU", "type": "discrete", "driver": "some", "info": "1.2", "id": 1, "fp16": True}


def lavapipe(version: str) -> dict[str, Any]:
    info = f"Mesa {version} (LLVM 19.1.7)"
    return {"name": "llvmpipe (LLVM)", "type": "cpu", "driver": "llvmpipe", "info": info, "id": 13, "fp16": True}


class Machine:
    """Answers in the probe's place: the system's own devices, and those of each driver manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.system: list[dict[str, Any]] = []
        self.drivers: dict[str, list[dict[str, Any]]] = {}

    def driver(self, name: str, *found: dict[str, Any]) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.drivers[str(path)] = list(found)
        return path

    def ask(self, variables: Mapping[str, str]) -> dict[str, Any]:
        chosen = variables.get("VK_DRIVER_FILES")
        return {"loader": True, "devices": self.system if chosen is None else self.drivers[chosen]}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(device, "_ask", made.ask)
    monkeypatch.setattr(device, "SWIFTSHADER_PLACES", (str(tmp_path / "chrome*"),))
    monkeypatch.setattr(device, "LAVAPIPE_PLACES", (str(tmp_path / "icd" / "lvp_icd*.json"),))
    for name in device.DRIVER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return made


def test_real_gpu_first(machine: Machine) -> None:
    machine.system = [CPU, GPU]
    machine.driver("chrome/vk_swiftshader_icd.json", CPU)
    found = find()
    assert (found.name, found.type, found.fp16) == ("Some GPU", "discrete", True)
    assert not found.variables


def test_swiftshader_without_a_gpu(machine: Machine) -> None:
    machine.driver("icd/lvp_icd.x86_64.json", lavapipe("25.0.7"))
    manifest = machine.driver("chrome/vk_swiftshader_icd.json", CPU)
    found = find()
    assert found.name == "SwiftShader Device"
    assert found.variables == {"VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest)}


def test_software_although_there_is_a_gpu(machine: Machine) -> None:
    machine.system = [GPU]
    machine.driver("chrome/vk_swiftshader_icd.json", CPU)
    assert find("software").name == "SwiftShader Device"


def test_gpu_alone_refuses_software(machine: Machine) -> None:
    machine.driver("chrome/vk_swiftshader_icd.json", CPU)
    with pytest.raises(NoDevice, match="no GPU with a Vulkan driver"):
        find("gpu")


def test_lavapipe(machine: Machine) -> None:
    machine.driver("icd/lvp_icd.x86_64.json", lavapipe("25.0.7"))
    found = find()
    assert found.fp16
    assert found.driver == "llvmpipe Mesa 25.0.7 (LLVM 19.1.7)"


def test_old_lavapipe_is_refused_with_its_version(machine: Machine) -> None:
    machine.driver("icd/lvp_icd.x86_64.json", lavapipe("22.3.6"))
    with pytest.raises(NoDevice, match="Mesa 22 is too old"):
        find()


def test_driver_that_answers_nothing_is_passed_over(machine: Machine) -> None:
    machine.driver("chrome1/vk_swiftshader_icd.json")
    machine.driver("chrome2/vk_swiftshader_icd.json", CPU)
    assert find().variables["VK_DRIVER_FILES"].endswith("chrome2/vk_swiftshader_icd.json")


def test_the_users_driver_is_taken_as_it_is(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", "/mine.json")
    machine.system = [lavapipe("25.0.7")]
    machine.driver("chrome/vk_swiftshader_icd.json", CPU)
    found = find()
    assert found.name == "llvmpipe (LLVM)"
    assert not found.variables


def test_the_users_driver_without_a_device(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_ICD_FILENAMES", "/mine.json")
    with pytest.raises(NoDevice, match=r"/mine\.json has no usable device"):
        find()


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ("ID=debian\n", "apt-get install chromium libvulkan1"),
        ('ID=ubuntu\nID_LIKE="debian"\n', "apt-get install mesa-vulkan-drivers libvulkan1"),
        ('ID="raspbian"\nID_LIKE="debian"\n', "apt-get install chromium libvulkan1"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install"),
        ("ID=arch\n", "pacman -S"),
        ("ID=void\n", "apt-get install chromium libvulkan1"),
    ],
)
def test_none_names_the_package(system: str, command: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_release_file", lambda: system)
    with pytest.raises(NoDevice) as caught:
        find()
    assert command in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("platform", "backend"), [("darwin", "Metal"), ("win32", "D3D12")])
def test_other_systems_need_no_vulkan(platform: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    found = find()
    assert backend in found.name
    assert found.fp16 is None
    with pytest.raises(NoDevice):
        find("software")


def test_probe_answers_json_whatever_the_machine_has() -> None:
    answer = subprocess.run([sys.executable, "-I", str(device.PROBE)], capture_output=True, text=True, check=True)
    found = json.loads(answer.stdout)
    assert set(found) == {"loader", "devices"}


@pytest.mark.delegate
def test_swiftshader_is_described(vulkan_icd: Path) -> None:
    answer = device._ask({"VK_DRIVER_FILES": str(vulkan_icd), "VK_ICD_FILENAMES": str(vulkan_icd)})
    (found,) = answer["devices"]
    assert found["type"] == "cpu"
    assert found["name"]
    assert found["driver"]
