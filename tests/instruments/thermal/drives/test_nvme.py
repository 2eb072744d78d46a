"""A tool on the PATH that prints what nvme-cli prints, here and over SSH."""

import json
import os
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.ssh.host import SshHost
from instruments.thermal.drives.nvme import DRIVER, Nvme, celsius
from instruments.tools.hosts import Host
from tests.instruments.given import given
from tests.instruments.rooted import RootedHost, write_tree
from tests.instruments.seen import Seen, seen_below
from tests.sshd import Sshd, sshd

# Fields and numbers as in public outputs of nvme-cli 1.x and 2.x.
LOG: dict[str, object] = {
    "critical_warning": 0,
    "temperature": 301,
    "avail_spare": 100,
    "spare_thresh": 5,
    "percent_used": 15,
    "warning_temp_time": 0,
    "critical_comp_time": 0,
    "temperature_sensor_1": 306,
    "temperature_sensor_2": 301,
    "temperature_sensor_3": 0,
    "thm_temp1_trans_count": 0,
}
CONTROLLER = {"fr": "11300DR0", "ver": 66048, "wctemp": 348, "cctemp": 353}
TOOL = """
f="{folder}/$1-$(basename "$2")"
[ "$3 $4" = "-o json" ] || exit 22
[ -e "$f" ] || {{ echo "$2: Permission denied" >&2; exit 1; }}
cat "$f"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture
def answers(server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder with what the tool prints, by command and drive."""
    folder = tmp_path / "answers"
    folder.mkdir()
    server.tool("nvme", TOOL.format(folder=folder))
    monkeypatch.setenv("PATH", f"{server.tools}:{os.environ['PATH']}")
    for number in (0, 1):
        write_tree(tmp_path, {f"/sys/class/nvme/nvme{number}/model": "Disk 9\n"})
        told = {**CONTROLLER, "sn": f"S {number}  ", "mn": "Disk 9   "}
        (folder / f"id-ctrl-nvme{number}").write_text(json.dumps(told))
        (folder / f"smart-log-nvme{number}").write_text(json.dumps(LOG))
    return folder


@pytest.fixture(params=["here", "there"])
def host(
    request: pytest.FixtureRequest, server: Sshd, answers: Path, tmp_path: Path
) -> Iterator[Host]:
    there = SshHost("head", server.target)
    found = RootedHost(tmp_path, there if request.param == "there" else None)
    yield found
    found.close()


def _read(source: Nvme) -> Seen:
    return seen_below(source.read())


def test_kelvin_are_degrees_celsius(host: Host) -> None:
    source = Nvme(given(DRIVER, "drives", host))
    identity = source.open()
    assert (identity.model, identity.serial) == ("Disk 9", "S 0, S 1")
    assert identity.firmware == "11300DR0"
    assert _read(source) == {
        "temperature.drive-S-0": (28.0, Status.OK),
        "temperature.drive-S-0-sensor-1": (33.0, Status.OK),
        "temperature.drive-S-0-sensor-2": (28.0, Status.OK),
        "temperature.drive-S-1": (28.0, Status.OK),
        "temperature.drive-S-1-sensor-1": (33.0, Status.OK),
        "temperature.drive-S-1-sensor-2": (28.0, Status.OK),
        **{
            f"{name}.drive-S-{number}": (0.0, Status.OK)
            for name in ("warning_temp_time", "critical_comp_time")
            for number in (0, 1)
        },
        "thm_temp1_trans_count.drive-S-0": (0.0, Status.OK),
        "thm_temp1_trans_count.drive-S-1": (0.0, Status.OK),
    }


def test_times_in_heat_are_seconds(host: Host, answers: Path) -> None:
    source = Nvme(given(DRIVER, "drives", host, devices=("/dev/nvme1",)))
    source.open()
    heat = {"warning_temp_time": 7, "thm_temp1_trans_count": 3}
    (answers / "smart-log-nvme1").write_text(json.dumps({**LOG, **heat}))
    found = _read(source)
    assert found["warning_temp_time.drive-S-1"] == (420.0, Status.OK)
    assert found["thm_temp1_trans_count.drive-S-1"] == (3.0, Status.OK)
    units = {channel.quantity: channel.unit for channel in source.channels}
    assert units["warning_temp_time"] == "s"


@pytest.mark.parametrize(
    ("kelvin", "status"),
    [(347, Status.OK), (348, Status.WARN), (353, Status.CRIT), (0, Status.UNSUPPORTED)],
)
def test_limits_are_the_drives_own(
    host: Host, answers: Path, kelvin: int, status: Status
) -> None:
    source = Nvme(given(DRIVER, "drives", host, devices=("/dev/nvme1",)))
    source.open()
    text = json.dumps({**LOG, "temperature": kelvin})
    (answers / "smart-log-nvme1").write_text(text)
    value, found = _read(source)["temperature.drive-S-1"]
    assert found is status
    assert isnan(value) == (not status.is_value)


def test_one_drive_that_fails_is_a_gap_and_all_are_an_error(
    host: Host, answers: Path
) -> None:
    source = Nvme(given(DRIVER, "drives", host))
    source.open()
    (answers / "smart-log-nvme0").unlink()
    found = _read(source)
    assert found["temperature.drive-S-0"][1] is Status.ERROR
    assert found["temperature.drive-S-1"] == (28.0, Status.OK)
    (answers / "smart-log-nvme1").write_text("not json")
    with pytest.raises(SourceError, match="smart-log failed"):
        source.read()


def test_missing_rights_are_a_sentence(host: Host, answers: Path) -> None:
    (answers / "id-ctrl-nvme0").unlink()
    with pytest.raises(SourceError, match=r"Permission denied.*needs root"):
        Nvme(given(DRIVER, "drives", host)).open()


def test_a_second_port_is_the_same_drive(host: Host, answers: Path) -> None:
    (answers / "id-ctrl-nvme1").write_text((answers / "id-ctrl-nvme0").read_text())
    source = Nvme(given(DRIVER, "drives", host))
    source.open()
    assert len(source.channels) == 6


def test_a_machine_without_drives_says_so(tmp_path: Path) -> None:
    host = RootedHost(tmp_path)
    with pytest.raises(SourceError, match="no NVMe drive") as caught:
        Nvme(given(DRIVER, "drives", host)).open()
    assert caught.value.status is Status.ABSENT
    assert DRIVER.discover(host) == []
    with pytest.raises(SourceError, match="not open"):
        Nvme(given(DRIVER, "drives", host)).read()


def test_they_can_be_found(host: Host) -> None:
    found = DRIVER.discover(host)
    assert [one.label for one in found] == ["NVMe drives: nvme0 Disk 9, nvme1 Disk 9"]
    source = DRIVER.build(DRIVER.settings("drives", found[0].values, host))
    assert source.open().model == "Disk 9"


@pytest.mark.parametrize(
    ("told", "degrees"),
    [(311, 38.0), ("311", 38.0), (38, None), (0, None), ("warm", None), (None, None)],
)
def test_what_is_no_kelvin_is_no_temperature(
    told: object, degrees: float | None
) -> None:
    assert celsius(told) == degrees


def test_a_drive_exchanged_under_its_node_gets_channels_of_its_own(
    host: Host, answers: Path, tmp_path: Path
) -> None:
    serial = "/sys/class/nvme/nvme0/serial"
    write_tree(tmp_path, {serial: "S 0   \n"})
    source = Nvme(given(DRIVER, "drives", host, devices=("/dev/nvme0",)))
    source.open()
    assert next(iter(_read(source))) == "temperature.drive-S-0"
    write_tree(tmp_path, {serial: "S 9   \n"})
    told = {**CONTROLLER, "sn": "S 9", "mn": "Disk 9"}
    (answers / "id-ctrl-nvme0").write_text(json.dumps(told))
    with pytest.raises(SourceError, match="the drive S 9 is there now, not S 0"):
        source.read()
    assert source.open().serial == "S 9"
    assert next(iter(_read(source))) == "temperature.drive-S-9"
