"""Enclosures and drives of another machine, over a real SSH server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.ssh.host import SshHost
from instruments.thermal.drives.smart import DRIVER as SMART
from instruments.thermal.drives.smart import Smart
from instruments.thermal.ses.source import DRIVER as SES
from instruments.thermal.ses.source import Ses
from instruments.tools.hosts import Host
from tests.instruments.given import given
from tests.instruments.thermal.drive_stand import Drives
from tests.instruments.thermal.rooted import RootedHost
from tests.instruments.thermal.shelves import Shelves
from tests.sshd import Sshd, sshd


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
def head(server: Sshd) -> Iterator[Host]:
    host = SshHost("head", server.target)
    yield host
    host.close()


def test_an_enclosure_is_read_there(
    server: Sshd, head: Host, host: RootedHost, tmp_path: Path
) -> None:
    shelves = Shelves(host, server.tools, tmp_path / "ses")
    place = shelves.plug("sg5")
    source = Ses(given(SES, "shelf", head, device="/dev/sg5", period=1.0))
    assert source.open().serial == "500a098000000424"
    reading = source.read()
    assert (24.0, Status.OK) in zip(reading.values, reading.statuses, strict=True)
    (place / "trouble").write_text("exec sleep 20\n")
    with pytest.raises(SourceError, match="did not finish") as caught:
        source.read()
    assert caught.value.status is Status.TIMEOUT
    (place / "trouble").unlink()
    source.open()
    assert source.read().values[0] == reading.values[0]


def test_drives_are_asked_there_four_at_once(
    server: Sshd, head: Host, host: RootedHost, tmp_path: Path
) -> None:
    drives = Drives(host, server.tools, tmp_path / "drives")
    for letter in "abcd":
        place = drives.add(f"sd{letter}")
        drives.smart(place, "scsi_st4000nm0043")
        (place / "trouble").write_text("sleep 0.2\n")
    source = Smart(given(SMART, "drives", head))
    source.open()
    reading = source.read()
    pairs = zip(reading.channels, reading.values, strict=True)
    assert [v for c, v in pairs if c.quantity == "temperature"] == [34.0] * 4
    starts = [call[0] for call in drives.calls("smartctl")]
    assert starts[:2] == ["+", "+"]
