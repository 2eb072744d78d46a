"""Every derived figure of the five published reports, recomputed by the calculators.

tests/data/derived.csv has the figures as the reports print them, what they come to
when recomputed, and why some differ: Toshiba, "Comparing cost and performance of HDD-
and SSD-based Storage Systems" (2018); Toshiba, ZFS with 60 HDDs (2023); Supermicro JBOD
947; KISTI ME484 archive; MinIO on Data60.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.calc.catalogue import CALCULATORS
from app.calc.printed import Fit, find_printed, fit_of

_ROWS = list(
    csv.DictReader(
        (Path(__file__).parents[2] / "data/derived.csv").read_text().splitlines()
    )
)

_SSD = "4:320,8:416,16:480,32:480,64:454,128:480,256:589,512:768"
_HDD = "4:45,8:86,16:160,32:294,64:518,128:883,256:1382,512:1434"
_TOSHIBA: dict[str, object] = {"price_per_kwh": 0.07, "pue": 1.3}


@dataclass(frozen=True)
class Case:
    """How a row is made.

    Attributes:
        word: The calculator.
        given: Its inputs.
        key: The output that the row recomputes.
        value: What it comes to, and how near.
        near: Absolute tolerance: half of the last digit that the row has.
        printed: What the report prints, "" where it prints none.
        fit: How the printed figure comes from an output.
        of: That output, where it is another one.
        note: A part of a note that explains the difference.
    """

    word: str
    given: Mapping[str, object]
    key: str
    value: float
    near: float
    printed: str = ""
    fit: Fit = Fit.ROUNDED
    of: str = ""
    note: str = ""


def _wtb(power: float, capacity: float, value: float, printed: str, fit: Fit) -> Case:
    given = {"power": power, "capacity": capacity}
    return Case("cost", given, "w_per_tb", value, 0.001, printed, fit)


def _drives(
    sas: str, lanes: int, pcie: str, share: float, rate: float
) -> dict[str, object]:
    return {
        "sas": sas,
        "sas_lanes": lanes,
        "pcie": pcie,
        "pcie_share": share,
        "drive_rate": rate,
    }


def _mill(key: str, value: float, near: float, printed: str, **more: object) -> Case:
    given: dict[str, object] = {"drives": 60, "size": 20.0, "fill": 90.0}
    fit = more.pop("fit", Fit.ROUNDED)
    of = str(more.pop("of", ""))
    assert isinstance(fit, Fit)
    return Case("zfs", given | more, key, value, near, printed, fit, of)


_SAS_6_4 = _drives("6", 4, "2", 80.0, 230.0)
_CASES: dict[tuple[str, str], Case] = {
    ("hdd-vs-ssd", "energy per year SSD"): Case(
        "crossover", {}, "kwh_a", 788.4, 0.05, "788"
    ),
    ("hdd-vs-ssd", "energy per year HDD"): Case(
        "crossover", {}, "kwh_b", 2014.8, 0.05, "2015"
    ),
    ("hdd-vs-ssd", "OPEX per year SSD"): Case(
        "crossover", {**_TOSHIBA}, "cost_a", 71.74, 0.005, "72"
    ),
    ("hdd-vs-ssd", "OPEX per year HDD"): Case(
        "crossover", {**_TOSHIBA}, "cost_b", 183.35, 0.005, "183"
    ),
    ("hdd-vs-ssd", "OPEX difference per year"): Case(
        "crossover", {**_TOSHIBA}, "difference", 111.6, 0.05, "110", Fit.COARSE
    ),
    ("hdd-vs-ssd", "net capacity SSD"): Case(
        "raid", {"level": "raid6", "drives": 8, "size": 1.6}, "net_tb", 9.6, 1e-9, "9.6"
    ),
    ("hdd-vs-ssd", "net capacity HDD"): Case(
        "raid",
        {"level": "raid10", "drives": 24, "size": 2.4},
        "net_tb",
        28.8,
        1e-9,
        "28.8",
    ),
    ("hdd-vs-ssd", "crossing block size (bandwidth)"): Case(
        "crossover",
        {"rates_a": _SSD, "rates_b": _HDD},
        "crossing_kb",
        54.5,
        0.5,
        "64",
        of="above_kib",  # the text names the first size at which the HDDs lead
    ),
    ("hdd-vs-ssd", "mixed workload MB/s SSD"): Case(
        "throughput",
        {"iops": 2400, "bandwidth": 800.0},
        "of_iops_mb_s",
        710,
        0.5,
        "800",
        of="mb_s",
        note="13 % apart",
    ),
    ("zfs-60hdd-media", "gross capacity"): _mill("gross_tb", 1200, 1e-9, "1200"),
    ("zfs-60hdd-media", "net capacity RAID-Z2"): _mill("net_tb", 960, 1e-9, "960"),
    ("zfs-60hdd-media", "usable at 90 % filling"): _mill("usable_tb", 864, 1e-9, "864"),
    ("zfs-60hdd-media", "gross in TiB"): _mill(
        "gross_tib", 1091.39, 0.005, "1092.00 TiB", of="rounded_tib"
    ),
    ("zfs-60hdd-media", "net in TiB"): _mill(
        "net_tib", 873.11, 0.01, "873.60 TiB", of="rounded_net_tib"
    ),
    ("zfs-60hdd-media", "usable in TiB"): _mill(
        "usable_tib", 785.80, 0.005, "786.24 TiB", of="rounded_usable_tib"
    ),
    ("zfs-60hdd-media", "efficiency RAID-Z2 of 10 disks"): _mill(
        "share", 80, 1e-9, "80"
    ),
    ("zfs-60hdd-media", "efficiency 3-way mirror"): _mill(
        "share", 33.3, 0.05, "33", layout="mirror", group=3
    ),
    ("zfs-60hdd-media", "AFR"): Case(
        "reliability", {}, "afr", 0.3498, 0.00005, "0.35"
    ),
    ("zfs-60hdd-media", "expected failures per year"): Case(
        "reliability", {}, "per_year", 0.210, 0.0005, "0.21"
    ),
    ("zfs-60hdd-media", "expected failures in 5 years"): Case(
        "reliability", {}, "expected", 1.05, 0.005, "1.05"
    ),
    ("zfs-60hdd-media", "uncompressed 4k streams"): Case(
        "streams", {}, "streams", 2.7, 0.05, "2", of="whole"
    ),
    ("supermicro-jbod947", "SAS link bandwidth"): Case(
        "link", {"sas": "12", "sas_lanes": 16, "pcie": "none"}, "sas_mb_s", 19200, 1e-6,
        "19200",
    ),
    ("supermicro-jbod947", "reactive share"): Case(
        "shares", {"power_factor": 0.975}, "reactive_factor", 22.2, 0.05, "2.5",
        of="rest",
    ),
    ("supermicro-jbod947", "power per drive at idle"): Case(
        "shares", {}, "w_per_drive", 7.33, 0.005
    ),
    ("supermicro-jbod947", "highest intake for a drive limit"): Case(
        "intake", {}, "highest", 22, 1e-9, "20 \N{DEGREE SIGN}C", Fit.NONE
    ),
    ("kisti-me484-archive", "W/TB JBOD"): Case(
        "cost", {"power": 860, "capacity": 840.0}, "w_per_tib", 1.126, 0.0005, "1.12",
        Fit.CUT,
    ),
    ("kisti-me484-archive", "W/TB JBOD+server+switch"): _wtb(
        960 + 270 + 246, 840.0, 1.757, "1.75", Fit.CUT
    ),
    ("kisti-me484-archive", "W/TB Isilon 16 nodes"): _wtb(
        13730, 2950.0, 4.654, "4.6", Fit.CUT
    ),
    ("kisti-me484-archive", "W/TB SC7020"): _wtb(
        12120, 2500.0, 4.848, "4.8", Fit.ROUNDED
    ),
    ("kisti-me484-archive", "W/TB VNX"): _wtb(5100, 2360.0, 2.161, "2.2", Fit.ROUNDED),
    ("kisti-me484-archive", "W/TB VSP"): _wtb(18300, 2000.0, 9.15, "9.15", Fit.ROUNDED),
    ("kisti-me484-archive", "W/TB Isilon 15 nodes"): _wtb(
        12880, 1430.0, 9.007, "9", Fit.ROUNDED
    ),
    ("kisti-me484-archive", "W/TB CX4-960"): _wtb(
        14900, 1500.0, 9.933, "9.9", Fit.ROUNDED
    ),
    ("kisti-me484-archive", "W/TB tape TS3500"): _wtb(
        1600, 3200.0, 0.5, "0.5", Fit.ROUNDED
    ),
    ("kisti-me484-archive", "two 12G SAS ports"): Case(
        "link", {"sas": "12", "sas_lanes": 8, "pcie": "none"}, "sas_mb_s", 9600, 1e-6,
        "9600",
    ),
    ("kisti-me484-archive", "PCIe 3.0 x8"): Case(
        "link", {"sas": "none"}, "pcie_mb_s", 7877, 0.5, "8000", of="pcie_raw_mb_s"
    ),
    ("kisti-me484-archive", "drives at the 2200 MB/s limit (6G x4; PCIe 2.x)"): Case(
        "link", _SAS_6_4, "exact", 9.57, 0.005, "9", of="below"
    ),
    (
        "kisti-me484-archive",
        "drives at the 3200 MB/s limit (6G x8 or 12G x4; PCIe 2.x)",
    ): Case(
        "link", _drives("12", 4, "2", 80.0, 230.0), "exact", 13.9, 0.05, "14",
        of="saturate",
    ),
    ("kisti-me484-archive", "drives at the 4400 MB/s limit (12G x4; PCIe 3.0)"): Case(
        "link", _drives("12", 4, "3", 81.25, 230.0), "exact", 19.1, 0.05, "19",
        of="below",
    ),
    ("kisti-me484-archive", "drives at the 6400 MB/s limit (12G x8; PCIe 3.0)"): Case(
        "link", _drives("12", 8, "3", 81.25, 230.0), "exact", 27.8, 0.05, "28",
        of="saturate",
    ),
    ("minio-data60-warp", "peak PUT"): Case(
        "throughput",
        {"blocks": "1m", "bandwidth": 12067.0, "unit": "MiB/s"},
        "mb_s",
        12653,
        0.5,
        "12067",
        of="mib_s",
    ),
}  # fmt: skip

_SSD_DRIVES = [
    (_drives("6", 4, "2", 80.0, 500.0), 4.4, 4),
    (_drives("12", 4, "2", 80.0, 500.0), 6.4, 6),
    (_drives("12", 4, "3", 81.25, 500.0), 8.8, 8),
    (_drives("12", 8, "3", 81.25, 500.0), 12.8, 12),
]


def test_there_is_a_case_for_every_row() -> None:
    assert {(row["report"], row["quantity"]) for row in _ROWS} == set(_CASES)


@pytest.mark.parametrize(
    ("row", "case"),
    list(_CASES.items()),
    ids=[f"{report}: {quantity}" for report, quantity in _CASES],
)
def test_a_printed_figure_is_reproduced_or_explained(
    row: tuple[str, str], case: Case
) -> None:
    calculator = CALCULATORS[case.word]
    answer = calculator.answer(case.given)
    assert answer.values[case.key] == pytest.approx(case.value, abs=case.near)
    told = next(r for r in _ROWS if (r["report"], r["quantity"]) == row)
    assert bool(told["printed_value"]) == bool(case.printed)
    if case.printed:
        value = answer.values[case.of or case.key]
        assert value is not None
        assert fit_of(case.printed, value) is case.fit
        found = find_printed(case.printed, calculator.outputs, answer.values)
        keys = [one.output.key for one in found if one.fit is case.fit]
        assert (case.of or case.key) in keys
    assert any(case.note in note for note in answer.notes) or not case.note


@pytest.mark.parametrize(("given", "exact", "floor"), _SSD_DRIVES)
def test_ssds_at_the_same_limits(
    given: dict[str, object], exact: float, floor: int
) -> None:
    values = CALCULATORS["link"].answer(given).values
    assert values["exact"] == pytest.approx(exact, abs=0.05)
    assert values["below"] == floor


_MIXES = [  # IOPS and MB/s of "4k/20:64k/50:256k/20:2M/10" as the reports print them
    (6100, 1800), (4500, 1300), (9200, 2700), (740, 220), (730, 220), (360, 107),
    (890, 260), (870, 260), (3300, 980), (890, 890), (2400, 800),
]  # fmt: skip


def test_two_misprints_are_found_among_the_mixed_loads() -> None:
    def off(iops: int, bandwidth: int) -> float:
        given = {"iops": float(iops), "bandwidth": float(bandwidth)}
        return CALCULATORS["throughput"].answer(given).values["off"] or 0.0

    assert [pair for pair in _MIXES if abs(off(*pair)) > 5] == [(890, 890), (2400, 800)]


@pytest.mark.parametrize("word", CALCULATORS)
def test_every_calculator_answers_with_its_defaults(word: str) -> None:
    calculator = CALCULATORS[word]
    answer = calculator.answer({})
    known = {output.key for output in calculator.outputs}
    assert set(answer.values) <= known
    assert set(calculator.takes) <= {option.key for option in calculator.options}
    assert calculator.taken({}) == {}
