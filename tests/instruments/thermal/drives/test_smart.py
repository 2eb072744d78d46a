"""SMART of many drives: reports, standby, turns, hung tools, load, lost drives."""

import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from instruments.base import Stepped
from instruments.errors import SourceError
from instruments.reading import SECOND, Reading, Status
from instruments.thermal.drives.smart import DRIVER, Smart, capture_smart
from instruments.thermal.drives.smart_report import read_report
from instruments.tools.command import Completed
from tests.instruments.given import given
from tests.instruments.thermal.drive_stand import Drives
from tests.instruments.thermal.rooted import RootedHost

GAP = "gap"


def _by_name(*readings: Reading) -> dict[str, tuple[float | str, Status]]:
    found: dict[str, tuple[float | str, Status]] = {}
    for reading in readings:
        pairs = zip(reading.channels, reading.values, reading.statuses, strict=True)
        for channel, value, status in pairs:
            found[channel.name] = (GAP if math.isnan(value) else value, status)
    return found


def _turn(source: Smart) -> dict[str, tuple[float | str, Status]]:
    """Read all turns once."""
    beats = round(60 / source.period_s)
    return _by_name(*(source.read() for _ in range(beats)))


def test_each_kind_tells_temperature_and_its_own_counts(drives: Drives) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    drives.smart(drives.add("sdb", "sat"), "sat_wd20efrx")
    drives.smart(drives.add("nvme0n1", "nvme"), "nvme_ssdpeknw010t8")
    source = Smart(given(DRIVER, "drives", drives.host))
    identity = source.open()
    assert identity.model == "3 drives"
    assert identity.firmware == "smartctl 7.3"
    assert source.period_s == 60.0
    gap = ("gap", Status.UNSUPPORTED)
    assert _turn(source) == {
        "drives.temperature.drive-SSDA": (34.0, Status.OK),
        "drives.smart_failing.drive-SSDA": (0.0, Status.OK),
        "drives.power_on_hours.drive-SSDA": (43549.0, Status.OK),
        "drives.grown_defects.drive-SSDA": (56.0, Status.OK),
        "drives.read_corrected.drive-SSDA": gap,
        "drives.read_uncorrected.drive-SSDA": gap,
        "drives.write_corrected.drive-SSDA": gap,
        "drives.write_uncorrected.drive-SSDA": gap,
        "drives.verify_corrected.drive-SSDA": gap,
        "drives.verify_uncorrected.drive-SSDA": gap,
        "drives.wear.drive-SSDA": gap,
        "drives.temperature.drive-SSDB": (34.0, Status.OK),
        "drives.smart_failing.drive-SSDB": (0.0, Status.OK),
        "drives.power_on_hours.drive-SSDB": (47657.0, Status.OK),
        "drives.reallocated.drive-SSDB": (0.0, Status.OK),
        "drives.uncorrectable.drive-SSDB": gap,
        "drives.pending.drive-SSDB": (0.0, Status.OK),
        "drives.crc_errors.drive-SSDB": (0.0, Status.OK),
        "drives.temperature.drive-SNVME0N1": (36.0, Status.OK),
        "drives.smart_failing.drive-SNVME0N1": (0.0, Status.OK),
        "drives.power_on_hours.drive-SNVME0N1": gap,
        "drives.media_errors.drive-SNVME0N1": (0.0, Status.OK),
        "drives.wear.drive-SNVME0N1": (0.0, Status.OK),
        "drives.warning_temp_time.drive-SNVME0N1": (0.0, Status.OK),
        "drives.critical_comp_time.drive-SNVME0N1": (0.0, Status.OK),
        "drives.thm_temp1_trans_count.drive-SNVME0N1": gap,
        "drives.thm_temp2_trans_count.drive-SNVME0N1": gap,
        "drives.thm_temp1_total_time.drive-SNVME0N1": gap,
        "drives.thm_temp2_total_time.drive-SNVME0N1": gap,
    }
    kinds = [call.split(" -d ")[1] for call in drives.calls("smartctl") if call != "-"]
    assert sorted(kinds) == ["nvme /dev/nvme0n1", "sat /dev/sdb", "scsi /dev/sda"]
    assert all("-n standby,3" in c for c in drives.calls("smartctl") if c != "-")


def test_what_heat_did_to_a_drive_is_read() -> None:
    told = {"warning_temp_time": 2, "thermal_temp1_total_time": 33}
    report = read_report(json.dumps({"nvme_smart_health_information_log": told}), 0)
    assert report.values["warning_temp_time"] == (120.0, Status.OK)
    assert report.values["thm_temp1_total_time"] == (33.0, Status.OK)
    assert "critical_comp_time" not in report.values


def test_a_sas_drive_tells_its_error_counters(drives: Drives) -> None:
    """Names as smartctl prints them (scsiPrintErrorCounterLog), with -l error."""
    place = drives.add("sda")
    drives.smart(place, "scsi_st4000nm0043")
    drives.smart(drives.add("sdb", "sat"), "sat_wd20efrx")
    report = json.loads((place / "smartctl").read_text())
    report["scsi_error_counter_log"] = {
        "read": {
            "total_errors_corrected": 4_000_000_000,
            "total_uncorrected_errors": 2,
        },
        "write": {"total_errors_corrected": 7, "total_uncorrected_errors": 0},
    }
    (place / "smartctl").write_text(json.dumps(report))
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    values = _turn(source)
    told = (
        "read_corrected",
        "read_uncorrected",
        "write_corrected",
        "write_uncorrected",
    )
    assert [values[f"drives.{name}.drive-SSDA"][0] for name in told] == [4e9, 2, 7, 0]
    assert values["drives.verify_corrected.drive-SSDA"] == (GAP, Status.UNSUPPORTED)
    asked = {c.rpartition(" ")[2]: "-l error" in c for c in drives.calls("smartctl")}
    assert (asked["/dev/sda"], asked["/dev/sdb"]) == (True, False)


@pytest.mark.parametrize(
    ("told", "hours"),
    [
        ({"power_on_time": {"hours": 12}}, 12.0),
        ({"nvme_smart_health_information_log": {"power_on_hours": 34}}, 34.0),
        ({}, 8760.0),
    ],
)
def test_hours_are_told_in_several_places(
    told: dict[str, object], hours: float
) -> None:
    raw = {"value": 525_612, "string": "8760h+12m+03.000s"}
    table = [{"id": 9, "raw": raw}, {"id": 5, "raw": {"string": "x"}}, "odd"]
    report = {"ata_smart_attributes": {"table": table}, **told}
    assert read_report(json.dumps(report), 0).values["power_on_hours"][0] == hours


@pytest.mark.parametrize(
    ("value", "string", "count"),
    [
        (8 + (7 << 16), "8 (7 0)", 8.0),  # raw16(raw16), the default of attribute 5
        (8 + (7 << 32), str(8 + (7 << 32)), 8.0),
        (8, "8", 8.0),
        (8, "0x000000000008", 8.0),
        (8 + (7 << 32), "7 0 8", 8.0),  # raw16
        (8, "", 8.0),
    ],
)
def test_other_facts_in_a_raw_value_are_not_counted(
    value: int, string: str, count: float
) -> None:
    table = [{"id": 5, "raw": {"value": value, "string": string}}]
    report = read_report(json.dumps({"ata_smart_attributes": {"table": table}}), 0)
    assert report.values["reallocated"][0] == count


@pytest.mark.parametrize("number", ["1e999", "-Infinity", "NaN", "1" + "0" * 400])
def test_a_number_that_is_none_is_no_value(number: str) -> None:
    table = '[{"id": 5, "raw": {"value": X}}, {"id": [5], "raw": {"value": 1}}]'
    text = (
        '{"temperature": {"current": X}, "scsi_grown_defect_list": X, '
        f'"ata_smart_attributes": {{"table": {table}}}}}'
    ).replace("X", number)
    report = read_report(text, 0)
    assert report.values.keys() == {"temperature"}
    assert report.values["temperature"][1] is Status.UNSUPPORTED


@pytest.mark.parametrize("code", [0, 4, 8, 64, 216])
def test_bits_of_health_and_past_do_not_discard_a_value(
    drives: Drives, code: int
) -> None:
    drives.smart(drives.add("sdb", "sat"), "sat_wd20efrx", code=code)
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert _turn(source)["drives.temperature.drive-SSDB"] == (34.0, Status.OK)


@pytest.mark.parametrize(
    ("fixture", "code", "reason"),
    [
        ("raid_volume", 4, Status.UNSUPPORTED),  # 0 of 0 degC
        ("not_opened", 2, Status.ERROR),
        ("not_opened", 3, Status.STANDBY),
        ("not_opened", 1, Status.ERROR),
        ("not_opened", 255, Status.ERROR),
    ],
)
def test_what_is_no_temperature_is_a_gap(
    drives: Drives, fixture: str, code: int, reason: Status
) -> None:
    drives.smart(drives.add("sda"), fixture, code=code)
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    values = _turn(source)
    assert values["drives.temperature.drive-SSDA"] == (GAP, reason)
    assert values["drives.temperature.drive-SSDB"] == (34.0, Status.OK)


def test_when_no_drive_says_anything_the_reason_is_said(drives: Drives) -> None:
    for letter in "abcdef":
        drives.smart(drives.add(f"sd{letter}"), "not_opened", code=2)
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert set(source.read().statuses) == {Status.ERROR}
    with pytest.raises(SourceError, match="no drive answers: Smartctl open device"):
        source.read()
    source.close()
    source.open()
    drives.smart(drives.folder / "sda", "scsi_st4000nm0043")
    assert _turn(source)["drives.temperature.drive-SSDA"] == (34.0, Status.OK)


def test_drives_that_all_sleep_are_well(drives: Drives) -> None:
    drives.smart(drives.add("sda"), "not_opened", code=3)
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert set(source.read().statuses) == {Status.STANDBY}


def test_garbage_of_one_drive_is_a_gap_of_that_drive(drives: Drives) -> None:
    (drives.add("sda") / "smartctl").write_text("Segmentation fault\n")
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    values = _turn(source)
    assert values["drives.temperature.drive-SSDA"] == (GAP, Status.ERROR)
    assert values["drives.temperature.drive-SSDB"] == (34.0, Status.OK)


def test_a_right_that_is_missing_is_said_once_for_all(drives: Drives) -> None:
    place = drives.add("sda")
    drives.smart(place, "not_opened", code=2)
    text = (
        (place / "smartctl").read_text().replace("No such device", "Permission denied")
    )
    (place / "smartctl").write_text(text)
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    with pytest.raises(SourceError, match="not allowed") as caught:
        source.read()
    assert "root" in caught.value.way_out


def test_a_drive_that_is_missing_or_forbidden_leaves_the_others_alone(
    drives: Drives,
) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    place = drives.add("sdb")
    drives.smart(place, "not_opened", code=2)
    text = (place / "smartctl").read_text()
    text = text.replace("No such device", "Permission denied")
    (place / "smartctl").write_text(text)
    source = Smart(
        given(
            DRIVER, "drives", drives.host, devices=("/dev/sda", "/dev/sdb", "/dev/sdz")
        )
    )
    source.open()
    reading = source.read()
    values = _by_name(reading)
    assert values["drives.temperature.drive-SSDA"] == (34.0, Status.OK)
    assert values["drives.temperature.drive-SSDB"] == (GAP, Status.ERROR)
    assert values["drives.temperature.drive-sdz"] == (GAP, Status.ERROR)
    assert reading.trouble == (
        "/dev/sdb: reading it is not allowed; /dev/sdz: it is not there"
    )
    assert [drive.node for drive in source.drives] == ["/dev/sda", "/dev/sdb"]
    drives.add("sdz")
    drives.smart(drives.folder / "sdz", "scsi_st4000nm0043")
    source.open()
    assert _turn(source)["drives.temperature.drive-SSDZ"] == (34.0, Status.OK)


@pytest.mark.parametrize(
    "told",
    [
        {"scsi_percentage_used_endurance_indicator": 7},
        {"endurance_used": {"current_percent": 7}},
    ],
)
def test_a_sas_ssd_tells_how_far_it_is_worn(
    drives: Drives, told: dict[str, object]
) -> None:
    place = drives.add("sda")
    drives.smart(place, "scsi_st4000nm0043")
    report = json.loads((place / "smartctl").read_text())
    (place / "smartctl").write_text(json.dumps({**report, **told}))
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert _turn(source)["drives.wear.drive-SSDA"] == (7.0, Status.OK)


def test_a_failing_and_a_hot_drive_are_marked(drives: Drives) -> None:
    place = drives.add("sda")
    drives.smart(place, "scsi_st4000nm0043", code=8)
    report = json.loads((place / "smartctl").read_text())
    report["smart_status"]["passed"] = False
    report["temperature"]["current"] = 68
    (place / "smartctl").write_text(json.dumps(report))
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    values = _turn(source)
    assert values["drives.smart_failing.drive-SSDA"] == (1.0, Status.CRIT)
    assert values["drives.temperature.drive-SSDA"] == (68.0, Status.CRIT)


def test_many_drives_take_turns_and_never_more_than_four_at_once(
    drives: Drives,
) -> None:
    for number in range(10):
        place = drives.add(f"sd{chr(97 + number)}")
        drives.smart(place, "scsi_st4000nm0043")
        (place / "trouble").write_text("sleep 0.05\n")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert source.period_s == 20.0
    sizes = [len({c.location for c in source.read().channels}) for _ in range(3)]
    assert sizes == [4, 3, 3]
    running = most = 0
    for call in drives.calls("smartctl"):
        running += 1 if call.startswith("+") else -1
        most = max(most, running)
    assert 2 <= most <= 4


def test_a_hung_drive_waits_longer_each_time_and_holds_up_nobody(
    drives: Drives,
) -> None:
    times: Iterator[int] = iter(range(0, 10_000 * SECOND, 10 * SECOND))
    hung = drives.add("sda")
    (hung / "trouble").write_text("sleep 600\n")
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    source = Smart(
        given(DRIVER, "drives", drives.host), timeout_s=1.0, clock=lambda: next(times)
    )
    source.open()
    for _ in range(8):
        values = _turn(source)
        assert values["drives.temperature.drive-SSDA"] == (GAP, Status.TIMEOUT)
        assert values["drives.temperature.drive-SSDB"] == (34.0, Status.OK)
    asked = [call for call in drives.calls("smartctl") if call.endswith("/dev/sda")]
    assert 2 <= len(asked) < 8
    (hung / "trouble").unlink()
    drives.smart(hung, "scsi_st4000nm0043")
    last = [_turn(source) for _ in range(40)][-1]
    assert last["drives.temperature.drive-SSDA"] == (34.0, Status.OK)


def test_a_tool_that_cannot_be_killed_holds_up_nobody(drives: Drives) -> None:
    free, told = threading.Event(), threading.Event()

    class StuckHost(RootedHost):
        """A machine where a tool for one drive waits in the kernel, past SIGKILL."""

        def run(
            self,
            argv: Sequence[str],
            timeout_s: float,
            *,
            env: Mapping[str, str] | None = None,
        ) -> Completed:
            if argv[-1] != "/dev/sda":
                return super().run(argv, timeout_s, env=env)
            free.wait(60.0)
            told.set()
            return Completed("", "", 1)

    drives.add("sda")
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    source = Smart(given(DRIVER, "drives", StuckHost(drives.host.root)), timeout_s=1.5)
    source.open()
    values = _turn(source)
    free.set()
    assert told.wait(60.0)
    assert values["drives.temperature.drive-SSDA"] == (GAP, Status.TIMEOUT)
    assert values["drives.temperature.drive-SSDB"] == (34.0, Status.OK)


def test_drives_are_left_alone_while_a_load_runs(drives: Drives) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    source = Smart(given(DRIVER, "drives", drives.host))
    assert isinstance(source, Stepped)
    source.open()
    source.begin_step("4k random read", under_load=True)
    reading = source.read()
    assert set(reading.statuses) == {Status.ABSENT}
    assert reading.raw == b"not asked while a load runs"
    assert drives.calls("smartctl") == []
    assert source.end_step() == ()
    assert _turn(source)["drives.temperature.drive-SSDA"] == (34.0, Status.OK)
    source.begin_step("Idle", under_load=False)
    assert _turn(source)["drives.temperature.drive-SSDA"] == (34.0, Status.OK)


def test_the_bench_may_want_them_asked_under_load(drives: Drives) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    settings = DRIVER.settings("drives", {"under_load": True}, drives.host)
    source = DRIVER.build(settings)
    assert isinstance(source, Smart)
    source.open()
    source.begin_step("4k random read", under_load=True)
    assert _turn(source)["drives.temperature.drive-SSDA"] == (34.0, Status.OK)


def test_another_drive_at_the_same_node_is_noticed(drives: Drives) -> None:
    place = drives.add("sda")
    drives.smart(place, "scsi_st4000nm0043", serial="OTHER")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    with pytest.raises(SourceError, match="the drive OTHER is there now, not SSDA"):
        source.read()


def test_a_slot_keeps_its_channel_when_its_drive_is_changed(
    drives: Drives, host: RootedHost
) -> None:
    def put_in(name: str) -> None:
        folder = "/sys/class/enclosure/0:0:1:0"
        host.write(f"{folder}/id", "0x500a098000000424\n")
        host.write(f"{folder}/Slot 07/slot", "7\n")
        host.write(f"{folder}/Slot 07/device/block/{name}/size", "1\n")
        drives.smart(drives.add(name), "scsi_st4000nm0043")

    put_in("sda")
    source = Smart(given(DRIVER, "drives", host))
    source.open()
    before = source.channels
    assert _turn(source)["drives.temperature.slot07"] == (34.0, Status.OK)
    drives.remove("sda")
    put_in("sdb")
    source.open()
    assert source.channels[0] is before[0]
    assert _turn(source)["drives.temperature.slot07"] == (34.0, Status.OK)


def test_an_odd_serial_number_makes_a_plain_name(drives: Drives) -> None:
    place = drives.add("sda", serial="WD-WX 1.2/3")
    drives.smart(place, "scsi_st4000nm0043", serial="WD-WX 1.2/3")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    assert _turn(source)["drives.temperature.drive-WD-WX-1-2-3"][0] == 34.0


def test_named_drives_only(drives: Drives) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    source = Smart(given(DRIVER, "drives", drives.host, devices=("/dev/sdb",)))
    source.open()
    assert {c.location for c in source.channels} == {"drive-SSDB"}
    with pytest.raises(SourceError, match="/dev/sdz is not there"):
        Smart(given(DRIVER, "drives", drives.host, devices=("/dev/sdz",))).open()


def test_a_drive_may_be_named_by_a_link(drives: Drives, tmp_path: Path) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    drives.smart(drives.add("sdb"), "scsi_st4000nm0043")
    link = tmp_path / "wwn-0x5000c500a0000001"
    link.symlink_to("/dev/sdb")
    source = Smart(given(DRIVER, "drives", drives.host, devices=(str(link),)))
    source.open()
    assert [drive.node for drive in source.drives] == ["/dev/sdb"]


def test_no_drive_and_no_tool_are_said(drives: Drives) -> None:
    with pytest.raises(SourceError, match="no drive was found"):
        Smart(given(DRIVER, "drives", drives.host)).open()
    drives.add("sda")
    (drives.folder / "lsblk.json").write_text("lsblk: boom")
    with pytest.raises(SourceError, match="lsblk printed cannot be read"):
        Smart(given(DRIVER, "drives", drives.host)).open()


@pytest.mark.usefixtures("no_tools")
def test_a_missing_smartctl_names_its_package(drives: Drives) -> None:
    drives.add("sda")
    (drives.bin_folder / "smartctl").unlink()
    (drives.bin_folder / "cat").symlink_to("/bin/cat")
    with pytest.raises(SourceError, match="not installed") as caught:
        Smart(given(DRIVER, "drives", drives.host)).open()
    assert "smartmontools" in caught.value.way_out
    assert caught.value.where == "drives (smartctl)"


def test_discovery_asks_no_drive(drives: Drives) -> None:
    assert DRIVER.discover(drives.host) == []
    drives.add("sda")
    drives.add("sdb")
    (found,) = DRIVER.discover(drives.host)
    assert found.label == "2 drives (sda, sdb)"
    assert drives.calls("smartctl") == []


def test_full_reports_are_captured_and_a_hung_drive_leaves_a_note(
    drives: Drives,
) -> None:
    drives.smart(drives.add("sda"), "scsi_st4000nm0043")
    (drives.add("sdb") / "trouble").write_text("sleep 600\n")
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    good, hung = capture_smart(drives.host, source.drives, timeout_s=1.5)
    assert (good.file_name, good.answered) == ("smart-sda-SSDA.json", True)
    assert json.loads(good.text)["scsi_grown_defect_list"] == 56
    assert (hung.file_name, hung.answered) == ("smart-sdb-SSDB.txt", False)
    assert hung.text == "no answer within 1.5 s\n"


def test_a_drive_that_says_what_cannot_be_has_no_temperature(drives: Drives) -> None:
    place = drives.add("sda")
    drives.smart(place, "scsi_st4000nm0043")
    report = json.loads((place / "smartctl").read_text())
    report["temperature"]["current"] = 255
    (place / "smartctl").write_text(json.dumps(report))
    source = Smart(given(DRIVER, "drives", drives.host))
    source.open()
    reading = source.read()
    statuses = dict(zip(reading.channels, reading.statuses, strict=True))
    [warm] = [channel for channel in statuses if channel.quantity == "temperature"]
    assert statuses[warm] is Status.ABSENT
    assert "says 255 °C" in reading.trouble


@pytest.mark.parametrize("number", [-1, 2**64 - 1, 2**63, 3.4e38])
def test_a_count_that_a_drive_does_not_keep_is_none(number: float) -> None:
    told = {
        "scsi_grown_defect_list": number,
        "power_on_time": {"hours": number},
        "scsi_error_counter_log": {"read": {"total_errors_corrected": number}},
        "ata_smart_attributes": {
            "table": [{"id": 199, "raw": {"value": number, "string": f"{number}"}}]
        },
    }
    assert set(read_report(json.dumps(told), 0).values) == {"temperature"}
