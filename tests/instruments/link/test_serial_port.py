import errno
import os
import time
import tty
from collections.abc import Iterator

import pytest
import serial  # type: ignore[import-untyped]  # pyserial has no types

from instruments.errors import SourceError
from instruments.link.serial_port import SerialPort, is_pseudo_terminal, usb_ports
from tests import needs

pytestmark = needs.pseudo_terminals


@pytest.fixture
def ends() -> Iterator[tuple[int, str]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


def test_what_has_come_is_read_at_once_and_the_wait_is_bounded(
    ends: tuple[int, str],
) -> None:
    master, device = ends
    port = SerialPort(device, 9600, "meter")
    os.write(master, b"abcdef")
    assert port.read(4, 60.0) == b"abcd"
    assert port.read(100, 0.0) == b"ef"
    before = time.monotonic()
    assert port.read(100, 0.05) == b""
    assert time.monotonic() - before > 0.04
    port.close()
    port.close()


def test_bytes_go_out_and_old_ones_are_forgotten(ends: tuple[int, str]) -> None:
    master, device = ends
    port = SerialPort(device, 9600, "meter")
    os.write(master, b"old")
    assert port.read(1, 5.0) == b"o"
    port.discard()
    port.write(b"\x99")
    assert os.read(master, 10) == b"\x99"
    os.write(master, b"new")
    assert port.read(3, 5.0) == b"new"
    port.close()


def test_a_closed_port_is_a_lost_one(ends: tuple[int, str]) -> None:
    port = SerialPort(ends[1], 9600, "meter")
    port.close()
    with pytest.raises(SourceError, match="the serial port is gone"):
        port.read(1, 0.1)
    with pytest.raises(SourceError, match="the serial port is gone"):
        port.write(b"a")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EACCES, "you may not open the serial port"),
        (errno.EBUSY, "another program uses the serial port"),
        (errno.ENODEV, "no such serial port"),
        (errno.EIO, "the serial port does not open"),
    ],
)
def test_each_refusal_has_its_sentence(
    monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(number, os.strerror(number))

    # Root, who runs the tests elsewhere, may open everything.
    monkeypatch.setattr("serial.Serial", refuse)
    with pytest.raises(SourceError, match=reason) as caught:
        SerialPort("/dev/ttyS99", 9600, "meter (/dev/ttyS99)")
    assert str(caught.value).startswith("meter (/dev/ttyS99): ")


def test_a_pseudo_terminal_is_no_meter(ends: tuple[int, str]) -> None:
    assert is_pseudo_terminal(ends[1])
    assert not is_pseudo_terminal("/dev/ttyUSB0")
    assert all(device and label for device, _, _, label in usb_ports())
