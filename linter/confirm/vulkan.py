"""List the Vulkan devices of this machine as JSON. Run by path, in its own process.

Loading a Vulkan driver runs foreign code that may crash or print, and the loader reads its
environment once: so each look is a process. Only the standard library is used, through libvulkan's
C interface (Vulkan 1.1 core, and VK_KHR_driver_properties, core in 1.2).

The answer is `{"loader": bool, "devices": [{"name", "type", "driver", "info", "id", "fp16"}]}`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

_INSTANCE_CREATE_INFO = 1
_APPLICATION_INFO = 0
_PROPERTIES_2 = 1000059001
_FEATURES_2 = 1000059000
_DRIVER_PROPERTIES = 1000196000
_FLOAT16_INT8_FEATURES = 1000082000
_API_1_1 = (1 << 22) | (1 << 12)
_TYPES = ("other", "integrated", "discrete", "virtual", "cpu")


class _Application(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_uint32),
        ("engine", ctypes.c_char_p),
        ("engine_version", ctypes.c_uint32),
        ("api", ctypes.c_uint32),
    )


class _Creation(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("application", ctypes.POINTER(_Application)),
        ("layer_count", ctypes.c_uint32),
        ("layers", ctypes.c_void_p),
        ("extension_count", ctypes.c_uint32),
        ("extensions", ctypes.c_void_p),
    )


class _Driver(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("id", ctypes.c_uint32),
        ("name", ctypes.c_char * 256),
        ("info", ctypes.c_char * 256),
        ("conformance", ctypes.c_uint8 * 4),
    )


class _Properties(ctypes.Structure):
    # The limits behind the name are not read: their room is enough (824 bytes in Vulkan 1.3).
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("api", ctypes.c_uint32),
        ("driver_version", ctypes.c_uint32),
        ("vendor", ctypes.c_uint32),
        ("device", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("name", ctypes.c_char * 256),
        ("rest", ctypes.c_uint64 * 256),
    )


class _Float16(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("float16", ctypes.c_uint32),
        ("int8", ctypes.c_uint32),
    )


class _Features(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("following", ctypes.c_void_p),
        ("rest", ctypes.c_uint32 * 64),
    )


def main() -> None:
    library = _loader()
    if library is None:
        print(json.dumps({"loader": False, "devices": []}))
        return
    print(json.dumps({"loader": True, "devices": _devices(library)}))


def _loader() -> Any:
    try:
        return ctypes.CDLL("vulkan-1.dll" if sys.platform == "win32" else "libvulkan.so.1")
    except OSError:
        return None


def _devices(library: Any) -> list[dict[str, Any]]:
    application = _Application(_APPLICATION_INFO, None, b"tflint", 1, None, 0, _API_1_1)
    creation = _Creation(_INSTANCE_CREATE_INFO, None, 0, ctypes.pointer(application), 0, None, 0, None)
    instance = ctypes.c_void_p()
    if library.vkCreateInstance(ctypes.byref(creation), None, ctypes.byref(instance)) != 0:
        return []
    count = ctypes.c_uint32()
    library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None)
    handles = (ctypes.c_void_p * count.value)()
    library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), handles)
    return [_describe(library, ctypes.c_void_p(handle)) for handle in handles[: count.value]]


def _describe(library: Any, handle: ctypes.c_void_p) -> dict[str, Any]:
    driver = _Driver(_DRIVER_PROPERTIES)
    properties = _Properties(_PROPERTIES_2, ctypes.addressof(driver))
    library.vkGetPhysicalDeviceProperties2(handle, ctypes.byref(properties))
    float16 = _Float16(_FLOAT16_INT8_FEATURES)
    features = _Features(_FEATURES_2, ctypes.addressof(float16))
    library.vkGetPhysicalDeviceFeatures2(handle, ctypes.byref(features))
    kind = properties.type
    return {
        "name": properties.name.decode("utf-8", "replace"),
        "type": _TYPES[kind] if kind < len(_TYPES) else "other",
        "driver": driver.name.decode("utf-8", "replace"),
        "info": driver.info.decode("utf-8", "replace"),
        "id": driver.id,
        "fp16": bool(float16.float16),
    }


if __name__ == "__main__":
    main()
