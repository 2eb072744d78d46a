"""A USB-TMC meter in place of libusb: `python -m tests.instruments.power.usb_meter`.

pyvisa-py looks for USB when it is imported, so this is a process of its own. What is
faked is the device below pyusb; finding it, the framing of USB-TMC and everything above
are the real ones. Prints what came of each part as one line of JSON.
"""

import errno
import json
import struct
import time
from array import array
from collections.abc import Callable
from importlib import import_module
from typing import Any

from instruments.errors import SourceError
from instruments.power.hmc8015.driver import DRIVER, HMC8015
from instruments.simulated.meters.acquisition import Acquisition
from instruments.simulated.meters.hmc8015 import Meter
from instruments.simulated.physics import Electric
from instruments.tools.hosts import LocalHost

MAINS = Electric(580.0, 595.0, 132.0, 230.0, 2.587, 50.0)
PACKET = 64
_HEAD = struct.Struct("<BBBxLBxxx")


class Endpoint:
    """One bulk endpoint of the device."""

    bmAttributes = 2  # noqa: N815  (as in pyusb)
    wMaxPacketSize = PACKET  # noqa: N815

    def __init__(self, device: "Device", address: int) -> None:
        self.bEndpointAddress = address
        self._device = device

    def write(self, data: bytes) -> int:
        self._device.take(bytes(data))
        return len(data)

    def read(self, size: int, timeout: int) -> "array[int]":
        return array("B", self._device.give(size, timeout))


class Interface(list[Endpoint]):
    """The USB-TMC interface."""

    bInterfaceClass = 0xFE  # noqa: N815
    bInterfaceSubClass = 0x03  # noqa: N815
    bInterfaceNumber = 0  # noqa: N815
    index = 0  # type: ignore[assignment]  # pyusb calls it so, list too


class Configuration(list[Interface]):
    """The one configuration."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key[0] if isinstance(key, tuple) else key)


class Device(list[Configuration]):
    """A meter's USB device as pyusb shows it.

    Attributes:
        fault: "", "unplugged" or "silent".
    """

    idVendor = 0x0AAD  # noqa: N815
    idProduct = 0x0135  # noqa: N815
    manufacturer, product, serial_number = "R&S", "HMC8015", "101"

    def __init__(self, usb: Any) -> None:
        super().__init__()
        ends = [Endpoint(self, 0x02), Endpoint(self, 0x81)]
        self.append(Configuration([Interface(ends)]))
        self.fault = ""
        self.longest = 0
        self._usb = usb
        self._ctx = self
        self._acquisition = Acquisition()
        self._meter = Meter(self._acquisition)
        self._heard = b""
        self._answer = b""
        self._tag = 0
        self._packets = b""

    def is_kernel_driver_active(self, _interface: int) -> bool:
        return False

    def get_active_configuration(self) -> Configuration:
        return self[0]

    def ctrl_transfer(self, *_request: Any, **_more: Any) -> "array[int]":
        return array("B", [1] + [0] * 23)

    def dispose(self, _device: object) -> None:
        """Let go, as pyusb's context does."""

    def refresh(self, seconds: float) -> None:
        """Let the mains go on while the driver waits."""
        for _ in range(round(seconds / 0.05)):
            self._acquisition.add(MAINS, 0.05)

    def take(self, transfer: bytes) -> None:
        """Take one transfer: a part of a message, or the wish for an answer."""
        self._check()
        kind, tag, inverse, size, flags = _HEAD.unpack_from(transfer)
        assert inverse == ~tag & 0xFF
        if kind == 1:
            self._heard += transfer[_HEAD.size : _HEAD.size + size]
            if flags & 1:
                message, self._heard = self._heard.decode(), b""
                answer = self._meter.handle(message)
                if answer is not None:
                    self._answer = answer.encode() + b"\n"
        elif kind == 2 and self._answer and self.fault != "silent":
            content, self._answer = self._answer[:size], b""
            head = _HEAD.pack(2, tag, ~tag & 0xFF, len(content), 1)
            self._packets = head + content + b"\0" * (-len(content) % 4)
            self.longest = max(self.longest, len(self._packets))

    def give(self, size: int, timeout_ms: int) -> bytes:
        """Give what is waiting; raises a time-out of pyusb where nothing is."""
        self._check()
        if not self._packets:
            time.sleep(timeout_ms / 1000)
            raise self._usb.USBTimeoutError("timed out", -116, errno.ETIMEDOUT)
        content, self._packets = self._packets[:size], self._packets[size:]
        return content

    def _check(self) -> None:
        if self.fault == "unplugged":
            raise self._usb.USBError("No such device", -4, errno.ENODEV)


def failure(action: Callable[[], object]) -> list[str]:
    """Do something in vain; give what is said of it, and its status."""
    try:
        action()
    except SourceError as error:
        return [str(error), error.status.value]
    return ["nothing failed", ""]


def main() -> None:
    """Plug the device in, measure, and let it fail in two ways."""
    usb = import_module("usb.core")
    device = Device(usb)

    def find(*, find_all: bool = False, custom_match: Any = None, **_: Any) -> Any:
        found = [d for d in [device] if custom_match is None or custom_match(d)]
        return found if find_all else None

    vars(usb)["find"] = find
    found = DRIVER.discover(LocalHost())
    resource = str(found[0].values["resource"])
    meter = HMC8015("mains", resource, sleep=device.refresh)
    told: dict[str, object] = {"found": [f"{f.label} {resource}" for f in found]}
    told["serial"] = meter.open().serial
    device.refresh(0.2)
    told["power"] = meter.read().values[0]
    told["longest"] = device.longest
    device.fault = "silent"
    told["silent"] = failure(meter.read)
    device.fault = ""
    meter.open()
    device.refresh(0.2)
    told["again"] = meter.read().values[0]
    device.fault = "unplugged"
    told["unplugged"] = failure(meter.read)
    meter.close()
    told["closed"] = failure(meter.open)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
