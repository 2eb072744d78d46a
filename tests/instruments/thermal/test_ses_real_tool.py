"""The enclosure source on the real sg_ses, which decodes pages from a file."""

import shutil
from pathlib import Path

import pytest

from instruments.reading import Status
from instruments.thermal.ses.source import DRIVER, Ses
from tests.instruments.given import given
from tests.instruments.thermal.rooted import RootedHost, tool
from tests.instruments.thermal.ses_bytes import FIXTURES, read_hex

_DECODE = """
while [ $# -gt 1 ]; do
  [ "$1" = --readonly ] || words="$words $1"
  shift
done
exec {real} $words --status --inhex={folder}/${{1##*/}}.hex
"""


@pytest.fixture
def decoding(host: RootedHost, bin_folder: Path) -> RootedHost:
    """A machine whose sg_ses decodes a file in place of each node."""
    real = shutil.which("sg_ses")
    assert real is not None, "sg3-utils is among the needs of the tests"
    tool(bin_folder, "sg_ses", _DECODE.format(real=real, folder=FIXTURES))
    for node in ("areca_8028", "jbod_12"):
        host.write(f"/sys/class/scsi_generic/{node}/device/type", "13\n")
    return host


@pytest.mark.parametrize(
    ("node", "quantity", "location", "value"),
    [
        ("areca_8028", "temperature", "enc-temp", (49.0, Status.OK)),
        ("areca_8028", "temperature", "chip-temp", (66.0, Status.OK)),
        ("areca_8028", "fan", "fan5", (7500.0, Status.OK)),
        ("areca_8028", "voltage", "1-8v", (1.8, Status.OK)),
        ("areca_8028", "state", "slot18", (1.0, Status.OK)),
        ("jbod_12", "temperature", "inlet", (24.0, Status.OK)),
        ("jbod_12", "temperature", "exhaust", (51.0, Status.WARN)),
        ("jbod_12", "fan", "fan1", (7200.0, Status.OK)),
        ("jbod_12", "current", "psu-a-12v", (16.0, Status.OK)),
        ("jbod_12", "state", "psu2", (2.0, Status.CRIT)),
    ],
)
def test_what_it_prints_is_understood(
    decoding: RootedHost,
    node: str,
    quantity: str,
    location: str,
    value: tuple[float, Status],
) -> None:
    source = Ses(given(DRIVER, "shelf", decoding, device=f"/dev/{node}"))
    source.open()
    reading = source.read()
    names = [channel.name for channel in reading.channels]
    place = names.index(f"shelf.{quantity}.{location}")
    assert (reading.values[place], reading.statuses[place]) == value


def test_slots_have_the_addresses_of_the_bytes(decoding: RootedHost) -> None:
    source = Ses(given(DRIVER, "shelf", decoding, device="/dev/areca_8028"))
    source.open()
    assert source.static is not None
    bay = source.static.bays[0, 18]
    assert (bay.slot, bay.addresses) == (18, ("5000c5003011cb29",))
    page = read_hex(FIXTURES / "areca_8028.hex")["aes"]
    assert bytes.fromhex(bay.addresses[0]) in page
