"""GPUs and what else OpenCL offers: steps that run there give the same bits as the processor."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Union

from ._library import DeviceInfo, UsageError, lib

#: "cpu", "auto", "gpu", or the number of a device, counted from 1.
DeviceLike = Union[int, str]

_NAMES = {"cpu": 0, "auto": -1, "gpu": -2}


@dataclass(frozen=True)
class Device:
    """A device, and what it has."""

    number: int
    name: str
    platform: str
    driver: str
    memory: int  # bytes
    gpu: bool
    doubles: bool


def devices() -> list[Device]:
    """The devices of this machine; device= takes the number of one."""
    found, info = [], DeviceInfo()
    for number in range(1, lib.rv_device_count() + 1):
        if lib.rv_device_get(number, ctypes.byref(info)):
            name, platform, driver = (
                text.decode(errors="replace") for text in (info.name, info.platform, info.driver)
            )
            found.append(
                Device(number, name, platform, driver, info.memory, info.gpu, info.doubles)
            )
    return found


def number_of(device: DeviceLike) -> int:
    """As the library counts them."""
    if isinstance(device, int) and not isinstance(device, bool) and 0 <= device < 2**31:
        return device
    if device in _NAMES:
        return _NAMES[device]
    raise UsageError(
        f'device={device!r} is neither "cpu", "auto", "gpu" nor the number of a device.'
    )
