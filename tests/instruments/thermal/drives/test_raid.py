"""Drives behind RAID controllers: storcli, arcconf, smartctl; and their faults."""

import math
from pathlib import Path

import pytest

from instruments.base import Source, Stepped
from instruments.errors import BadInput, SourceError
from instruments.reading import Status
from instruments.thermal.drives.raid import DRIVER
from tests.instruments.thermal.drive_stand import FIXTURES, Drives
from tests.instruments.thermal.rooted import RootedHost, tool

ARCCONF = (FIXTURES / "raid" / "arcconf_pd.txt").read_text()
STORCLI = (FIXTURES / "raid" / "storcli_e12_s0.json").read_text()


def _source(host: RootedHost, **given: object) -> Source:
    return DRIVER.build(DRIVER.settings("raid", given, host))


def _read(source: Source) -> dict[str, tuple[float | str, Status]]:
    reading = source.read()
    pairs = zip(reading.channels, reading.values, reading.statuses, strict=True)
    return {c.name: ("gap" if math.isnan(v) else v, s) for c, v, s in pairs}


def _storcli(bin_folder: Path, text: str) -> Path:
    (bin_folder / "storcli.json").write_text(text)
    return tool(bin_folder, "storcli64", f"cat {bin_folder}/storcli.json\n")


def test_storcli_tells_temperature_and_errors(
    host: RootedHost, bin_folder: Path
) -> None:
    _storcli(bin_folder, STORCLI)
    source = _source(host)
    assert source.open().address == "c0-e12-s0"
    assert _read(source) == {
        "raid.temperature.slot00": (21.0, Status.OK),
        "raid.media_errors.slot00": (0.0, Status.OK),
        "raid.other_errors.slot00": (0.0, Status.OK),
        "raid.smart_failing.slot00": (0.0, Status.OK),
    }


@pytest.mark.parametrize("told", ["N/A", " 0C (32.00 F)", ""])
def test_a_drive_without_a_sensor_is_a_gap(
    host: RootedHost, bin_folder: Path, told: str
) -> None:
    _storcli(bin_folder, STORCLI.replace(" 21C (69.80 F)", told))
    source = _source(host)
    source.open()
    gap = ("gap", Status.UNSUPPORTED)
    assert _read(source)["raid.temperature.slot00"] == gap


def test_a_drive_that_warns_is_marked_and_one_that_is_gone_is_absent(
    host: RootedHost, bin_folder: Path
) -> None:
    _storcli(bin_folder, STORCLI)
    source = _source(host)
    source.open()
    _storcli(bin_folder, STORCLI.replace('drive" : "No"', 'drive" : "Yes"'))
    assert _read(source)["raid.smart_failing.slot00"] == (1.0, Status.CRIT)
    _storcli(bin_folder, STORCLI.replace("/e12/s0", "/e12/s5"))
    assert _read(source)["raid.temperature.slot00"] == ("gap", Status.ABSENT)


def test_one_slot_number_in_two_enclosures_is_told_apart(
    host: RootedHost, bin_folder: Path
) -> None:
    body = STORCLI[STORCLI.index("{\n\t") : STORCLI.rindex("}\n]")]
    other = body.replace("/e12/", "/e13/")
    _storcli(bin_folder, f'{{"Controllers":[{body}}},{other}}}]}}')
    source = _source(host)
    source.open()
    places = {channel.location for channel in source.channels}
    assert places == {"drive-c0-e12-s0", "drive-c0-e13-s0"}


@pytest.mark.parametrize(
    ("script", "said", "status"),
    [
        (f"cat {FIXTURES}/raid/storcli_failure.json; exit 1", "Failed", Status.ERROR),
        ("echo 'Permission denied' >&2; exit 1", "Permission denied", Status.ERROR),
        ("echo '{}'", "lists no drive", Status.ERROR),
        ("sleep 30", "did not finish within 0.3 s", Status.TIMEOUT),
    ],
)
def test_trouble_of_storcli_is_said_and_it_comes_back(
    host: RootedHost, bin_folder: Path, script: str, said: str, status: Status
) -> None:
    _storcli(bin_folder, STORCLI)
    settings = DRIVER.settings("raid", {}, host)
    settings.values["period"] = 0.3  # type: ignore[index]
    source = DRIVER.build(settings)
    source.open()
    tool(bin_folder, "storcli64", f"{script}\n")
    with pytest.raises(SourceError, match=said) as caught:
        source.read()
    assert caught.value.status is status
    assert caught.value.where.startswith("raid (")
    _storcli(bin_folder, STORCLI)
    source.close()
    source.open()
    assert _read(source)["raid.temperature.slot00"] == (21.0, Status.OK)


@pytest.mark.usefixtures("no_tools")
def test_storcli_goes_by_other_names_or_is_missing(
    host: RootedHost, bin_folder: Path
) -> None:
    with pytest.raises(SourceError, match="not installed") as caught:
        _source(host).open()
    assert "storcli64" in caught.value.where
    (bin_folder / "cat").symlink_to("/bin/cat")
    _storcli(bin_folder, STORCLI).rename(bin_folder / "perccli64")
    assert _source(host).open().model == "1 drive"


def test_a_controller_is_left_alone_while_a_load_runs(
    host: RootedHost, bin_folder: Path
) -> None:
    _storcli(bin_folder, STORCLI)
    source = _source(host)
    assert isinstance(source, Stepped)
    source.open()
    source.begin_step("4k random read", under_load=True)
    tool(bin_folder, "storcli64", "exit 1\n")
    assert set(_read(source).values()) == {("gap", Status.ABSENT)}
    source.end_step()
    with pytest.raises(SourceError):
        source.read()


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ("Not Supported", ("gap", Status.UNSUPPORTED)),
        ("36 C/ 96 F", (36.0, Status.OK)),
        ("41 deg C", (41.0, Status.OK)),
    ],
)
def test_arcconf_is_read_from_its_text(
    host: RootedHost,
    bin_folder: Path,
    told: str,
    value: tuple[float | str, Status],
) -> None:
    (bin_folder / "pd.txt").write_text(ARCCONF.replace("Not Supported", told))
    script = f'[ "$*" = "GETCONFIG 2 PD" ] && cat {bin_folder}/pd.txt\n'
    tool(bin_folder, "arcconf", script)
    source = _source(host, controller="arcconf", number=2)
    source.open()
    values = _read(source)
    assert values["raid.temperature.drive-c2-0-10"] == value
    assert values["raid.smart_failing.drive-c2-0-10"] == (0.0, Status.OK)
    assert values["raid.media_errors.drive-c2-0-10"] == ("gap", Status.UNSUPPORTED)


def test_arcconf_leaves_processors_out_and_takes_slots(
    host: RootedHost, bin_folder: Path
) -> None:
    place = "         Reported Location                  : Enclosure 0, Slot 4\n"
    expander = "      Device #1\n         Device is an Enclosure Services Device\n"
    lines = ARCCONF.splitlines(keepends=True)
    (bin_folder / "pd.txt").write_text("".join([*lines[:6], place, *lines[6:]]))
    with (bin_folder / "pd.txt").open("a") as file:
        file.write(expander)
    tool(bin_folder, "arcconf", f"cat {bin_folder}/pd.txt\n")
    source = _source(host, controller="arcconf")
    source.open()
    assert {channel.location for channel in source.channels} == {"slot04"}


def test_arcconf_says_why_not(host: RootedHost, bin_folder: Path) -> None:
    tool(bin_folder, "arcconf", "echo 'Controllers found: 0'; exit 1\n")
    with pytest.raises(SourceError, match="Controllers found: 0"):
        _source(host, controller="arcconf").open()


def test_smartctl_reaches_drives_by_type(drives: Drives) -> None:
    place = drives.folder / "0"
    place.mkdir()
    drives.smart(place, "megaraid_mg08sca16tey", serial="Z123")
    source = _source(drives.host, controller="smartctl", types=["megaraid,1"])
    source.open()
    values = _read(source)
    assert values["raid.temperature.drive-Z123"] == (31.0, Status.OK)
    assert values["raid.grown_defects.drive-Z123"] == (0.0, Status.OK)
    calls = [call for call in drives.calls("smartctl") if call != "-"]
    assert all(call.endswith("-d megaraid,1 /dev/bus/0") for call in calls)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"controller": "smartctl"}, "types is missing"),
        ({"controller": "smartctl", "types": ["auto"]}, 'types has "auto"'),
        ({"controller": "megacli"}, "controller is"),
    ],
)
def test_what_cannot_be_is_refused(
    host: RootedHost, given: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        _source(host, **given)


@pytest.mark.usefixtures("no_tools")
def test_discovery_uses_whichever_tool_is_there(
    host: RootedHost, bin_folder: Path
) -> None:
    assert DRIVER.discover(host) == []
    (bin_folder / "cat").symlink_to("/bin/cat")
    _storcli(bin_folder, STORCLI)
    (bin_folder / "pd.txt").write_text(ARCCONF)
    tool(bin_folder, "arcconf", f"cat {bin_folder}/pd.txt\n")
    tool(bin_folder, "smartctl", f"cat {FIXTURES}/smart/scan_megaraid.json\n")
    assert [(found.label, dict(found.values)) for found in DRIVER.discover(host)] == [
        ("1 drive behind a controller (storcli)", {"controller": "storcli"}),
        (
            "1 drive behind controller 1 (arcconf)",
            {"controller": "arcconf", "number": 1},
        ),
        (
            "2 drives behind /dev/bus/0 (smartctl)",
            {
                "controller": "smartctl",
                "device": "/dev/bus/0",
                "types": ("megaraid,0", "megaraid,1"),
            },
        ),
    ]


@pytest.mark.parametrize("text", ["garbage", "{}", '{"devices": [1]}'])
def test_garbage_of_a_scan_finds_nothing(
    host: RootedHost, bin_folder: Path, text: str
) -> None:
    for name in ("storcli64", "arcconf", "smartctl"):
        tool(bin_folder, name, f"echo '{text}'\n")
    assert DRIVER.discover(host) == []
