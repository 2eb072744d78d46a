"""Placing: zones, offsets by hand, and logs that go where their run goes."""

import json
from pathlib import Path

import pytest

from app.record.imports.answers import Answers, parse_answers, parse_zone
from app.record.imports.gather import gather, is_microseconds
from app.record.imports.placing import Placed, place
from app.record.imports.recognise import read_file
from app.record.imports.writing import sources_of
from instruments.errors import BadInput
from instruments.reading import SECOND
from tests.app.record.imports.results import DATA, meter_log, run_fio


def placed(paths: list[Path], answers: Answers) -> list[Placed]:
    return place(gather([read_file(path) for path in paths], answers), answers)


def old_run(folder: Path) -> list[Path]:
    """Make a run of 2.1 that names its log, and has a ramp."""
    document = json.loads((DATA / "fio-2.1.11.json").read_text())
    document["jobs"] = document["jobs"][:1]
    document["jobs"][0]["job options"] = {"write_lat_log": "old", "ramp_time": "30s"}
    run, log = folder / "run.json", folder / "old_clat.1.log"
    run.write_text(json.dumps(document))
    log.write_text("500, 255, 0, 0\n1000, 260, 0, 0\n1500, 250, 0, 0\n")
    return [run, log]


def test_logs_go_where_their_run_goes(tmp_path: Path) -> None:
    answers = parse_answers(zone="UTC", day="2015-07-01", offsets=("10",))
    run, log = placed(old_run(tmp_path), answers)
    begin = 1435708800 * SECOND + 10 * SECOND
    assert run.extent[0] == begin
    assert log.extent[0] == begin + 30 * SECOND
    assert log.found.traces[0].values[0, 0] == pytest.approx(255e-6)
    assert [s.name for s in sources_of([run, log])] == ["fio"]


def test_a_run_that_is_corrected_takes_its_logs_along(tmp_path: Path) -> None:
    path = DATA / "fio-3.1" / "randread-1-1.json"
    log = tmp_path / "random-read-depth-1_iops.1.log"
    log.write_text("499, 6600, 0, 0\n1000, 6610, 0, 0\n")
    plain = placed([path, log], parse_answers())
    moved = placed([path, log], parse_answers(offsets=(f"{path.name}=3600",)))
    for before, after in zip(plain, moved, strict=True):
        assert after.extent[0] - before.extent[0] == 3600 * SECOND


def test_what_has_no_clock_counts_from_the_first_of_the_others(tmp_path: Path) -> None:
    meter = meter_log(tmp_path / "A.CSV", 1_700_000_000, 60)
    answers = parse_answers(zone="UTC", offsets=("5", "other.txt=99"))
    terse, other = placed([DATA / "fio-2.0.15-terse.txt", meter], answers)
    assert terse.extent[0] == 1_700_000_005 * SECOND
    assert other.shift_ns == 0


def test_a_zone_is_that_of_the_day(tmp_path: Path) -> None:
    for day, hours in ((1_704_110_400, 1), (1_719_835_200, 2)):
        log = meter_log(tmp_path / f"{day}.CSV", day, 3)
        one = placed([log], parse_answers(zone="Europe/Berlin"))[0]
        assert one.shift_ns == -hours * 3600 * SECOND


def test_meters_at_the_same_time_are_different_ones(tmp_path: Path) -> None:
    paths = [
        meter_log(tmp_path / "A.CSV", 1_700_000_000, 5),
        meter_log(tmp_path / "B.CSV", 1_700_000_002, 5),
        meter_log(tmp_path / "C.CSV", 1_700_000_060, 5),
    ]
    found = sources_of(placed(paths, parse_answers(zone="UTC")))
    assert [source.name for source in found] == ["mains", "mains-2"]
    names = [[part.found.path.name for part in source.parts] for source in found]
    assert names == [["A.CSV", "C.CSV"], ["B.CSV"]]


def test_zones() -> None:
    assert str(parse_zone("utc")) == "UTC"
    assert str(parse_zone("+0530")) == "UTC+05:30"
    assert str(parse_zone("-07")) == "UTC-07:00"
    for text in ("", "CET/Nowhere", "+2:000", "../etc/passwd"):
        with pytest.raises(BadInput, match="is not a valid time zone"):
            parse_zone(text)


@pytest.mark.parametrize(
    ("version", "is_us"),
    [
        ("fio-2.21", True),
        ("2.2.10", True),
        ("fio-2.99", False),
        ("fio-3.42-6-g219f", False),
        ("", None),
    ],
)
def test_units_of_latency_by_version(version: str, is_us: bool | None) -> None:
    assert is_microseconds(version) is is_us


def test_the_logs_of_each_phase_replace_the_traces_of_their_run(tmp_path: Path) -> None:
    log = ("--write_iops_log=one", "--log_avg_msec=100")
    load = ("--ioengine=null", "--size=64m", "--bs=4k", "--thread", "--rw=randread")
    timed = ("--time_based", "--runtime=1", "--rate_iops=2000")
    other = ("--name=two", "--stonewall", *load, *timed, "--write_iops_log=two")
    run = run_fio(tmp_path, *log, *other, log[1], status="200ms")
    logs = sorted(tmp_path.glob("*_iops.*.log"))
    assert len(logs) == 2
    found, *finer = gather([read_file(path) for path in (run, *logs)], Answers())
    assert len(found.steps) == 2
    assert len(finer) == 2
    coarse = [t for t in found.traces if ("read_iops", "1/s", "") in t.quantities]
    for each in finer:
        first, last = each.extent
        for trace in coarse:
            assert not ((first < trace.starts) & (trace.starts < last)).any()
