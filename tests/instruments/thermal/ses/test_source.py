"""The enclosure as a source: channels, traps, generations, two IO modules, faults."""

import math
import re

import pytest

from instruments.errors import BadInput, BenchError, SourceError
from instruments.reading import Status
from instruments.thermal.ses.channels import place_of
from instruments.thermal.ses.source import DRIVER, Ses
from tests.instruments.given import given
from tests.instruments.seen import Seen, seen
from tests.instruments.thermal.rooted import RootedHost
from tests.instruments.thermal.ses_bytes import build
from tests.instruments.thermal.shelves import Shelves, change, write_pages

ID = "500a098000000424"


def _read(source: Ses) -> Seen:
    return seen(source.read())


@pytest.fixture
def jbod(shelves: Shelves) -> Ses:
    shelves.plug("sg5")
    return Ses(given(DRIVER, "shelf", shelves.host))


def test_all_that_it_measures_is_read(jbod: Ses) -> None:
    identity = jbod.open()
    assert (identity.maker, identity.model) == ("MAKER", "JBOD-12 TWIN")
    assert identity.serial == ID
    assert identity.address == "/dev/sg5"
    values = _read(jbod)
    assert values["shelf.temperature.inlet"] == (24.0, Status.OK)
    assert values["shelf.fan.fan1"] == (7200.0, Status.OK)
    assert values["shelf.fan_code.fan1"] == (3.0, Status.OK)
    assert values["shelf.voltage.psu-a-12v"] == (12.0, Status.OK)
    assert values["shelf.current.psu-a-12v"] == (16.0, Status.OK)
    assert values["shelf.state.slot03"] == (1.0, Status.OK)
    assert values["shelf.state.psu1"] == (1.0, Status.OK)


def test_states_and_limits_colour_values(jbod: Ses) -> None:
    jbod.open()
    values = _read(jbod)
    assert values["shelf.temperature.exhaust"] == (51.0, Status.WARN)  # limit 50
    assert values["shelf.temperature.temp4"] == (61.0, Status.WARN)  # by its own state
    assert values["shelf.fan.fan2"] == (2560.0, Status.WARN)
    assert values["shelf.state.psu2"] == (2.0, Status.CRIT)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("shelf.temperature.temp-iom-a", Status.UNSUPPORTED),  # reserved value
        ("shelf.fan.fan3", Status.ABSENT),  # not installed, "0 rpm"
        ("shelf.fan.fan4", Status.UNSUPPORTED),  # only the speed code is told
        ("shelf.voltage.psu-b-12v", Status.UNSUPPORTED),  # all ones
        ("shelf.current.psu-b-12v", Status.ERROR),  # state unknown
        ("shelf.state.slot11", Status.ABSENT),
    ],
)
def test_what_is_no_value_is_a_gap(jbod: Ses, name: str, reason: Status) -> None:
    jbod.open()
    value, status = _read(jbod)[name]
    assert math.isnan(value)
    assert status is reason


def test_a_fan_code_counts_where_the_speed_is_not_told(jbod: Ses) -> None:
    jbod.open()
    assert _read(jbod)["shelf.fan_code.fan4"] == (5.0, Status.OK)


def test_temperatures_are_listed_first_and_slots_last(jbod: Ses) -> None:
    jbod.open()
    assert jbod.channels[0].name == "shelf.temperature.inlet"
    assert jbod.channels[-1].name == "shelf.state.slot11"


def test_overall_descriptors_are_no_channels(jbod: Ses) -> None:
    jbod.open()
    fans = [c.location for c in jbod.channels if c.quantity == "fan"]
    assert fans == ["fan1", "fan2", "fan3", "fan4"]


def test_a_captured_expander_is_read(shelves: Shelves) -> None:
    shelves.plug("sg1", "areca_8028")
    source = Ses(given(DRIVER, "exp", shelves.host, device="/dev/sg1"))
    source.open()
    calls = len(shelves.calls())
    values = _read(source)
    assert len(shelves.calls()) == calls + 1  # one page each time
    assert values["exp.temperature.enc-temp"] == (49.0, Status.OK)
    assert values["exp.fan.fan5"] == (7500.0, Status.OK)
    assert values["exp.fan.fan1"][1] is Status.ABSENT
    assert values["exp.voltage.0-95v"] == (0.94, Status.OK)
    assert values["exp.state.slot18"] == (1.0, Status.OK)


def test_a_new_generation_is_read_in_again(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    source.read()
    pages = build(generation=6)
    pages["ed"] = pages["ed"].replace(b"TEMP Inlet", b"TEMP Board")
    write_pages(place, pages)
    before = source.channels
    values = _read(source)
    assert source.channels is before
    assert source.static is not None
    assert source.static.configuration.generation == 6
    assert values["shelf.temperature.inlet"][1] is Status.ABSENT  # it has gone
    assert values["shelf.temperature.exhaust"] == (51.0, Status.WARN)


def test_a_second_change_in_the_middle_of_a_read_is_a_gap(shelves: Shelves) -> None:
    """What it says in between is not taken for slots that are empty."""
    place = shelves.plug("sg5")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    write_pages(place, {**build(generation=6), "es": build(generation=7)["es"]})
    with pytest.raises(SourceError, match="was changed while it was read"):
        source.read()
    write_pages(place, build(generation=7))
    assert _read(source)["shelf.temperature.inlet"][1] is Status.OK


def test_an_enclosure_that_names_no_element_has_its_numbers(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    pages = build()
    write_pages(place, {**pages, "ed": b"\x07\x00\x00\x04" + pages["ed"][4:8]})
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    assert source.channels


def test_another_enclosure_at_the_node_is_not_taken_for_it(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    write_pages(place, build(generation=6, logical_id=0x500A098000000999))
    with pytest.raises(SourceError, match="500a098000000999 is there now, not 500a"):
        source.read()


def test_slots_are_not_guessed_while_the_enclosure_is_not_ready(
    shelves: Shelves,
) -> None:
    place = shelves.plug("sg5")
    (place / "trouble").write_text('[ "$page" = aes ] && exit 2\n')
    with pytest.raises(SourceError, match="it is not ready"):
        Ses(given(DRIVER, "shelf", shelves.host)).open()
    (place / "trouble").write_text('[ "$page" = aes ] && exit 5\n')
    Ses(
        given(DRIVER, "shelf", shelves.host)
    ).open()  # it has no such page, and never will


def test_two_io_modules_are_one_shelf_and_cover_for_each_other(
    shelves: Shelves,
) -> None:
    first, second = shelves.plug("sg5"), shelves.plug("sg9")
    shelves.add_node("sg7", "0")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    assert source.open().address == "/dev/sg5 /dev/sg9"
    assert source.read().notice == ""
    (first / "trouble").write_text("echo 'Device not ready' >&2; exit 2\n")
    reading = source.read()
    assert seen(reading)["shelf.temperature.inlet"] == (24.0, Status.OK)
    assert re.fullmatch(
        r"reads by /dev/sg9 now, /dev/sg5: .*not ready.*", reading.notice, re.IGNORECASE
    )
    assert source.read().notice == ""
    assert shelves.calls()[-1].endswith("es -HHHH /dev/sg9")
    assert not [call for call in shelves.calls() if "sg7" in call]
    (second / "trouble").write_text("exit 99\n")
    with pytest.raises(SourceError, match=r"/dev/sg9: .*99.*; /dev/sg5: ") as caught:
        source.read()
    assert caught.value.where == "shelf"


def test_discovery_names_each_shelf_once(shelves: Shelves) -> None:
    shelves.plug("sg5")
    shelves.plug("sg9")
    shelves.plug("sg11", "areca_8028")
    found = DRIVER.discover(shelves.host)
    devices = [each.values["device"] for each in found]
    assert devices == [ID, "d5b401503fc0ec16"]
    assert "/dev/sg5 /dev/sg9" in found[0].label


def test_the_right_one_of_several_is_taken(shelves: Shelves) -> None:
    shelves.plug("sg5")
    shelves.plug("sg11", "areca_8028")
    with pytest.raises(SourceError, match="there are 2 enclosures"):
        Ses(given(DRIVER, "shelf", shelves.host)).open()
    with pytest.raises(SourceError, match="was not found"):
        Ses(given(DRIVER, "shelf", shelves.host, device="5" * 16)).open()
    assert (
        Ses(given(DRIVER, "shelf", shelves.host, device=f"0x{ID.upper()}"))
        .open()
        .serial
        == ID
    )
    assert (
        Ses(given(DRIVER, "shelf", shelves.host, device="/dev/sg11")).open().maker
        == "Areca"
    )


@pytest.mark.parametrize(
    ("trouble", "said", "status"),
    [
        ("echo 'open error: Permission denied' >&2; exit 15", "not allowed", "error"),
        ("echo 'Illegal request, Invalid opcode' >&2; exit 9", "no enclosure", "error"),
        ("exit 2", "not ready", "error"),
        ("exit 6", "unit attention", "error"),
        ("echo garbage; exit 0", "cannot be read", "error"),
        ("sleep 20", "did not finish", "timeout"),
        ("exit 99", "exit code 99", "error"),
    ],
)
def test_trouble_is_said_and_the_shelf_comes_back(
    shelves: Shelves, trouble: str, said: str, status: str
) -> None:
    place = shelves.plug("sg5")
    source = Ses(given(DRIVER, "shelf", shelves.host, period=0.5))
    source.open()
    (place / "trouble").write_text(f"{trouble}\n")
    with pytest.raises(SourceError, match=said) as caught:
        source.read()
    assert caught.value.status == status
    assert "shelf" in caught.value.where
    (place / "trouble").unlink()
    source.close()
    source.open()
    assert _read(source)["shelf.fan.fan1"] == (7200.0, Status.OK)


@pytest.mark.usefixtures("no_tools")
def test_no_enclosure_and_no_tool_are_said(host: RootedHost) -> None:
    with pytest.raises(SourceError, match="no enclosure was found"):
        Ses(given(DRIVER, "shelf", host)).open()
    host.write("/sys/class/scsi_generic/sg0/device/type", "13\n")
    with pytest.raises(BenchError, match="not installed") as caught:
        Ses(given(DRIVER, "shelf", host)).open()
    assert "sg3-utils" in caught.value.way_out


def test_a_device_or_layout_that_cannot_be_is_refused(host: RootedHost) -> None:
    with pytest.raises(BadInput, match="16 hexadecimal digits"):
        DRIVER.build(DRIVER.settings("shelf", {"device": "sg5"}, host))
    with pytest.raises(BadInput, match="no layout"):
        DRIVER.build(DRIVER.settings("shelf", {"layout": "many"}, host))
    made = DRIVER.build(DRIVER.settings("shelf", {"layout": "4x15"}, host))
    assert made.period_s == 10.0


@pytest.mark.parametrize("page", ["aes", "ed", "th"])
def test_a_page_that_is_missing_or_garbled_takes_nothing_else_with_it(
    shelves: Shelves, page: str
) -> None:
    file = shelves.plug("sg5") / f"{page}.txt"
    file.write_text("Enclosure busy\n")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    readings = {v for v in _read(source).values() if v[1].is_value}
    assert (24.0, Status.OK) in readings
    file.unlink()
    source.open()
    assert (7200.0, Status.OK) in _read(source).values()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("TEMP Inlet", "inlet"),
        ("Front Ambient 1", "inlet"),
        ("Ambient", "ambient"),
        ("Rear Exhaust", "exhaust"),
        ("PSU A Inlet", "psu-a-inlet"),
        ("Drive Bay 3", "temp-drive-bay-3"),
        ("Power Supply 1 exhaust", "power-supply-1-exhaust"),
        ("", ""),
    ],
)
def test_a_part_or_a_bay_is_neither_the_enclosure_nor_a_drive(
    name: str, place: str
) -> None:
    assert place_of(name) == place


def test_an_identifier_may_have_its_top_bit_set(shelves: Shelves) -> None:
    shelves.plug("sg5", pages=build(logical_id=0xF00A098000000424))
    source = Ses(given(DRIVER, "shelf", shelves.host, device="f00a098000000424"))
    assert source.open().serial == "f00a098000000424"
    assert source.static is not None
    assert source.static.bays[0, 7].addresses == ("5000c500a0000071",)


def _drop(page: bytearray) -> None:
    """Let a page end well, and long before its last element."""
    del page[-24:]


def test_a_page_without_its_last_elements_is_an_error_of_the_source(
    shelves: Shelves,
) -> None:
    place = shelves.plug("sg5")
    whole = (place / "es.txt").read_text()
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    change(place, "es", _drop)
    with pytest.raises(SourceError, match=r"cut off: \d of \d+ elements") as caught:
        source.read()
    assert caught.value.status is Status.ERROR
    (place / "es.txt").write_text(whole)
    assert _read(source)["shelf.temperature.inlet"] == (24.0, Status.OK)


def test_an_io_module_with_a_whole_page_covers_for_one_without(
    shelves: Shelves,
) -> None:
    cut = shelves.plug("sg5") / "es.txt"
    shelves.plug("sg7")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    cut.write_text(cut.read_text()[:300])
    assert _read(source)["shelf.temperature.inlet"] == (24.0, Status.OK)


@pytest.mark.parametrize("page", ["cf", "ed", "aes"])
def test_a_page_that_is_cut_off_is_asked_for_again(shelves: Shelves, page: str) -> None:
    """Without it channels would have other names, and slots other numbers."""
    file = shelves.plug("sg5") / f"{page}.txt"
    whole = file.read_text()
    source = Ses(given(DRIVER, "shelf", shelves.host, device="/dev/sg5"))
    file.write_text(whole[:-20])
    with pytest.raises(SourceError, match=r"cut off"):
        source.open()
    file.write_text(whole)
    source.open()
    assert "shelf.temperature.inlet" in {c.name for c in source.channels}


@pytest.mark.parametrize("page", ["cf", "ed"])
def test_a_page_without_its_last_descriptors_is_cut_off(
    shelves: Shelves, page: str
) -> None:
    change(shelves.plug("sg5"), page, _drop)
    with pytest.raises(SourceError, match=r"cut off: "):
        Ses(given(DRIVER, "shelf", shelves.host, device="/dev/sg5")).open()
