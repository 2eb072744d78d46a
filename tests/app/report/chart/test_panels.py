"""Channels arranged as rows of a chart."""

from dataclasses import replace

from app.report.chart.panels import rows_of
from app.report.chart.panels_heat import place_of, slot_row
from app.ui.session.readout import readouts_of
from instruments.reading import Channel
from tests.app.ui.sample import AIR, FANS, FIO, MAINS, NOISE, SLOTS

ALL = (*MAINS, *SLOTS, *AIR, *FANS, *NOISE, *FIO)


def test_rows_stand_in_a_fixed_order_with_their_panels() -> None:
    rows = rows_of(ALL, {"mains"})
    assert [row.name for row in rows] == [
        "Performance",
        "Power",
        "Temperature",
        "Noise",
    ]
    assert [panel.title for panel in rows[0].panels] == [
        "Throughput",
        "IOPS",
        "Mean latency",
        "p99 latency",
    ]
    assert [panel.unit for panel in rows[0].panels] == ["MB/s", "IOPS", "ms", "ms"]
    assert rows[1].panels[0].simulated
    assert not rows[0].panels[0].simulated


def test_a_disk_that_counts_the_same_bytes_is_apart() -> None:
    disk = tuple(replace(one, source="disk") for one in FIO if "_lat" not in one.name)
    panels = rows_of((*disk, *FIO))[0].panels
    titles = [panel.title for panel in panels]
    assert titles[:2] == ["Throughput", "IOPS"]
    assert titles[4:6] == ["Throughput, disk", "IOPS, disk"]
    assert [curve.label for curve in panels[0].curves] == ["Read", "Write"]
    assert {channel.source for channel in panels[0].channels} == {"fio"}
    assert {channel.source for channel in panels[4].channels} == {"disk"}
    readouts = {
        readout.caption: readout for readout in readouts_of((*disk, *FIO), frozenset())
    }
    assert {channel.source for channel in readouts["IOPS, read + write"].channels} == {
        "fio"
    }
    assert readouts["Read throughput"].channels[0].source == "fio"


def test_readouts_of_a_load_that_only_writes_show_no_reads_of_others() -> None:
    disk = [Channel("disk", f"{way}_bw", "B/s") for way in ("read", "write")]
    load = [Channel("fio", "write_bw", "B/s"), Channel("fio", "write_lat", "s")]
    found = readouts_of((*disk, *load), frozenset())
    assert [(one.caption, one.channels) for one in found] == [
        ("Write throughput", (load[0],))
    ]


def test_fans_and_noise_share_an_axis() -> None:
    noise = rows_of(ALL)[3]
    assert [panel.title for panel in noise.panels] == ["Noise", "Noise and fans"]
    fans = noise.panels[1].curves[-1]
    assert (fans.label, len(fans.parts), fans.is_band) == ("Fans", 6, True)
    assert (noise.panels[1].unit, noise.panels[1].right_unit) == ("dB(A)", "1/min")
    assert [panel.title for panel in rows_of(NOISE)[0].panels] == ["Noise"]


def test_a_slot_is_drawn_among_all_slots() -> None:
    panel = slot_row(ALL, "slot17", simulated=True).panels[0]
    assert [curve.label for curve in panel.curves] == ["All slots", "Inlet", "Slot 17"]
    assert panel.simulated
    labels = [one.label for one in slot_row(ALL, "", simulated=False).panels[0].curves]
    assert labels == ["All slots", "Inlet"]


def test_the_inlet_has_one_colour_wherever_it_is_drawn() -> None:
    among_all = {one.label: one.colour for one in rows_of(ALL)[2].panels[0].curves}
    below_map = {
        one.label: one.colour
        for one in slot_row(ALL, "slot17", simulated=False).panels[0].curves
    }
    assert below_map["Inlet"] == among_all["Inlet"]
    assert len({*below_map.values()}) == len(below_map)


def test_sixty_slots_are_one_band_with_inlet_and_exhaust() -> None:
    temperature = rows_of(ALL)[2].panels[0]
    assert [curve.label for curve in temperature.curves] == [
        "Drives",
        "Inlet",
        "Exhaust",
    ]
    assert [curve.is_band for curve in temperature.curves] == [True, False, False]
    assert len(temperature.curves[0].parts) == 60


def test_single_drives_are_spread_over_the_enclosure() -> None:
    single = rows_of(ALL)[2].panels[1]
    assert [curve.label for curve in single.curves] == [
        "Slot 00",
        "Slot 20",
        "Slot 39",
        "Slot 59",
    ]


def test_what_was_not_recorded_has_no_row() -> None:
    assert [row.name for row in rows_of(NOISE)] == ["Noise"]
    assert rows_of([]) == []


def test_several_meters_are_told_apart_by_name() -> None:
    meters = [Channel("psu1", "P", "W"), Channel("psu2", "P", "W")]
    (row,) = rows_of(meters)
    assert [curve.label for curve in row.panels[0].curves] == [
        "Power, sum of 2",
        "psu1",
        "psu2",
    ]
    assert [curve.colour for curve in row.panels[0].curves] == [0, 1, 2]


def test_the_finer_log_is_no_curve_of_its_own() -> None:
    fine = Channel("fio_log", "read_bw", "B/s")
    (row,) = rows_of([Channel("fio", "read_bw", "B/s"), fine])
    (curve,) = row.panels[0].curves
    assert curve.fine == fine


def test_logs_of_a_load_that_says_nothing_else_are_its_own() -> None:
    """As over fio's servers: what a cache answers is not in the counts of the disk."""
    disk = [Channel("target_disk", one, "B/s") for one in ("read_bw", "write_bw")]
    logs = [
        Channel("fio_log", "read_bw", "B/s", location)
        for location in ("", "load1", "load2")
    ]
    (row,) = rows_of([*disk, *logs])
    shown = {one.title: [c.parts for c in one.curves] for one in row.panels}
    assert shown == {
        "Throughput": [(logs[0],)],
        "Throughput, each": [(logs[1],), (logs[2],)],
        "Throughput, at the disk": [(disk[0],), (disk[1],)],
    }
    assert not any(one.fine for panel in row.panels for one in panel.curves)
    card, *_ = readouts_of([*disk, *logs], frozenset())
    assert card.channels == (logs[0],)
    assert not card.fine
    # Until the logs have joined, and of a load without any, the disk stands alone.
    assert [one.title for one in rows_of(disk)[0].panels] == ["Throughput"]


def test_places_are_written_for_people() -> None:
    assert place_of(SLOTS[7]) == "Slot 07"
    assert place_of(AIR[0]) == "Inlet"
    assert place_of(FANS[2]) == "Fan 3"
    assert place_of(Channel("room", "temperature", "degC")) == "Room"


def test_devices_of_a_load_are_bands_and_count_once() -> None:
    parts = [
        replace(one, location=f"dev{number:02}")
        for number in range(1, 61)
        for one in FIO
        if "_p99" not in one.name
    ]
    fine = Channel("fio_log", "read_bw", "B/s", "web1")
    panels = rows_of([*FIO, *parts, fine])[0].panels
    titles = [panel.title for panel in panels]
    assert titles[4:] == ["Throughput, each", "IOPS, each", "Mean latency, each"]
    assert len(panels[0].channels) == 2
    assert panels[0].curves[0].fine is None
    assert [len(curve.parts) for curve in panels[4].curves] == [60, 60]
    assert panels[4].curves[0].is_band
    found = {
        readout.caption: readout.channels
        for readout in readouts_of([*FIO, *parts], frozenset())
    }
    assert [one.location for one in found["Read throughput"]] == [""]
    assert [one.location for one in found["IOPS, read + write"]] == ["", ""]


def test_what_two_sources_tell_has_their_names() -> None:
    other = [replace(one, source="room") for one in NOISE]
    noise = rows_of((*NOISE, *other))[0].panels[0]
    labels = [curve.label for curve in noise.curves]
    assert labels[:2] == [f"LAeq {NOISE[0].source}", "LAeq room"]
    assert len(set(labels)) == len(labels) == 4
    assert [curve.colour for curve in noise.curves] == [0, 1, 2, 3]
    airs = (*AIR, replace(AIR[0], source="bmc"))
    labels = [curve.label for curve in rows_of(airs)[0].panels[0].curves]
    assert labels == [f"Inlet {AIR[0].source}", "Exhaust", "Inlet bmc"]


def test_temperatures_in_another_unit_stand_apart_with_it() -> None:
    warm = replace(AIR[0], unit="degF")
    panels = rows_of((*SLOTS, AIR[1], warm))[0].panels
    assert [(one.title, one.unit) for one in panels[:2]] == [
        ("Temperature", "°C"),
        ("Temperature, degF", "degF"),
    ]
    only = tuple(replace(one, unit="degF") for one in SLOTS)
    [card] = readouts_of(only, frozenset())
    assert card.scale.unit == "degF"


def test_few_hosts_are_lines_and_many_a_band_apart_from_their_disks() -> None:
    whole = Channel("fio", "read_bw", "B/s")

    def shown(hosts: int) -> dict[str, list[tuple[str, int]]]:
        places = [f"load{n}" for n in range(hosts)]
        disks = [f"{place}.dev{n:02d}" for place in places for n in range(2)]
        each = [replace(whole, location=place) for place in (*places, *disks)]
        (row,) = rows_of([whole, *each])
        return {
            one.title: [(c.label, len(c.parts)) for c in one.curves]
            for one in row.panels
        }

    assert shown(2) == {
        "Throughput": [("Read", 1)],
        "Throughput, each": [("Read load0", 1), ("Read load1", 1)],
        "Throughput, each device": [
            (f"Read load{host}.dev0{disk}", 1) for host in (0, 1) for disk in (0, 1)
        ],
    }
    assert shown(5) == {
        "Throughput": [("Read", 1)],
        "Throughput, each": [("Read", 5)],
        "Throughput, each device": [("Read", 10)],
    }


def test_a_device_is_one_of_a_host_that_is_there() -> None:
    places = ("seq.4k", "seq.64k", "lab.load1", "lab.load1.sda", "lab.load1.sda.1")
    each = [Channel("fio", "read_bw", "B/s", place) for place in places]
    (row,) = rows_of(each)
    assert {one.title: [c.label for c in one.curves] for one in row.panels} == {
        "Throughput, each": ["Read seq.4k", "Read seq.64k", "Read lab.load1"],
        "Throughput, each device": ["Read lab.load1.sda", "Read lab.load1.sda.1"],
    }
