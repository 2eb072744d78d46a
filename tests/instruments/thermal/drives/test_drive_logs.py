"""Temperatures of SAS drives by their log page, also while a load runs."""

import math

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.thermal.drives.drive_logs import DRIVER, DriveLogs, read_page
from instruments.tools.command import Completed
from tests.instruments.given import given
from tests.instruments.thermal.drive_stand import Drives

PAGE = """    WDC       WUH721818AL5200   US05
Temperature log page  [0xd]
  Current temperature = 32 C
  Reference temperature = 50 C
"""
OLD_PAGE = """    SEAGATE   ST4000NM0043      MS03
Temperature page  [0xd]
  Current temperature = 68 C
  Reference temperature = 68 C
"""
NOT_KNOWN = """Temperature page  [0xd]
  Current temperature = <not available>
  Reference temperature = <not available>
"""


def test_sas_drives_are_read_also_under_load(drives: Drives) -> None:
    drives.logs(drives.add("sda"), PAGE)
    drives.logs(drives.add("sdb"), OLD_PAGE)
    drives.add("sdc", "sat")
    drives.add("nvme0n1", "nvme")
    source = DRIVER.build(DRIVER.settings("hot", {}, drives.host))
    assert isinstance(source, DriveLogs)
    identity = source.open()
    assert identity.model == "2 SAS drives"
    assert identity.firmware == "sg_logs 1.86 20210409"
    source.begin_step("4k random read", under_load=True)
    reading = source.read()
    assert [c.name for c in reading.channels] == [
        "hot.temperature.drive-SSDA",
        "hot.temperature.drive-SSDB",
    ]
    assert reading.values == (32.0, 68.0)
    assert reading.statuses == (Status.OK, Status.WARN)
    assert PAGE.encode() in reading.raw


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        (NOT_KNOWN, 0, Status.UNSUPPORTED),
        ("", 2, Status.STANDBY),
        ("", 5, Status.UNSUPPORTED),
        ("", 9, Status.UNSUPPORTED),
        ("", 99, Status.ERROR),
        ("garbage", 0, Status.ERROR),
        (PAGE, 1, Status.ERROR),
    ],
)
def test_what_is_no_temperature_is_a_gap(text: str, code: int, reason: Status) -> None:
    value, status = read_page(Completed(text, "", code))
    assert math.isnan(value)
    assert status is reason


def test_without_sas_drives_the_way_out_is_named(drives: Drives) -> None:
    drives.add("sdc", "sat")
    assert DRIVER.discover(drives.host) == []
    with pytest.raises(SourceError, match="no SAS drive") as caught:
        DriveLogs(given(DRIVER, "hot", drives.host)).open()
    assert "hwmon" in caught.value.way_out


def test_a_hung_drive_is_a_time_out(drives: Drives) -> None:
    (drives.add("sda") / "trouble").write_text("sleep 600\n")
    drives.logs(drives.add("sdb"), PAGE)
    source = DriveLogs(given(DRIVER, "hot", drives.host), timeout_s=1.5)
    source.open()
    assert source.read().statuses == (Status.TIMEOUT, Status.OK)


def test_a_right_that_is_missing_is_said(drives: Drives) -> None:
    place = drives.add("sda")
    (place / "trouble").write_text("echo 'open error: Permission denied' >&2\n")
    drives.logs(place, "", code=15)
    source = DriveLogs(given(DRIVER, "hot", drives.host))
    source.open()
    with pytest.raises(SourceError, match="not allowed"):
        source.read()


def test_a_drive_exchanged_in_its_slot_is_not_taken_for_the_one_before(
    drives: Drives,
) -> None:
    drives.logs(drives.add("sda"), PAGE)
    drives.host.write("/sys/block/sda/device/wwid", "naa.5000c500a\n")
    source = DriveLogs(given(DRIVER, "hot", drives.host))
    source.open()
    assert source.read().values == (32.0,)
    drives.host.write("/sys/block/sda/device/wwid", "naa.5000c500b\n")
    with pytest.raises(SourceError, match=r"c500b is there now, not naa") as bad:
        source.read()
    assert bad.value.status is Status.ABSENT
    source.open()
    assert source.read().values == (32.0,)
    source.close()
