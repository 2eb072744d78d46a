import sys
from types import ModuleType

import pytest

from instruments.errors import SourceError
from instruments.noise.gm1356 import find, open_hid
from instruments.reading import Status


class FakeDevice:
    """What hidapi gives before it is opened."""

    def __init__(self, refused: bool) -> None:
        self.refused = refused
        self.opened = b""

    def open_path(self, path: bytes) -> None:
        if self.refused:
            raise OSError("open failed")
        self.opened = path


def _plug_in(
    monkeypatch: pytest.MonkeyPatch, *numbers: str, refused: bool = False
) -> None:
    """Put a hidapi in place that has these meters; HID cannot be plugged in here."""
    found = [
        {"path": f"/dev/hidraw{i}".encode(), "serial_number": number}
        for i, number in enumerate(numbers)
    ]
    module = ModuleType("hid")
    monkeypatch.setattr(module, "enumerate", lambda *_: found, raising=False)
    monkeypatch.setattr(module, "device", lambda: FakeDevice(refused), raising=False)
    monkeypatch.setitem(sys.modules, "hid", module)


def test_the_only_meter_needs_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    _plug_in(monkeypatch, "HA1 ")
    device, number = open_hid(1, 2, "", "gm")
    assert isinstance(device, FakeDevice)
    assert (device.opened, number) == (b"/dev/hidraw0", "HA1")


def test_one_of_several_is_chosen_by_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _plug_in(monkeypatch, "HA1", "HA2")
    assert find(1, 2) == [(b"/dev/hidraw0", "HA1"), (b"/dev/hidraw1", "HA2")]
    device, _ = open_hid(1, 2, "HA2", "gm")
    assert isinstance(device, FakeDevice)
    assert device.opened == b"/dev/hidraw1"
    with pytest.raises(SourceError, match="2 such meters are plugged in"):
        open_hid(1, 2, "", "gm")
    with pytest.raises(SourceError, match="no meter with serial number HA3") as caught:
        open_hid(1, 2, "HA3", "gm")
    assert caught.value.status is Status.ABSENT


def test_a_meter_that_may_not_be_opened_names_the_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _plug_in(monkeypatch, "HA1", refused=True)
    with pytest.raises(SourceError, match=r"70-bayscope\.rules"):
        open_hid(1, 2, "", "gm")
