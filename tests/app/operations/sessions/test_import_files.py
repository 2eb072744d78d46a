"""Importing: old and new files on one axis, questions instead of guesses, no halves."""

import json
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_text import comparison_text
from app.operations.sessions.export import export_sessions
from app.operations.sessions.import_files import ImportResult, import_files
from app.operations.sessions.listing import sessions_text
from app.operations.sessions.showing import show_text
from app.record.imports.answers import parse_answers
from app.record.imports.plan import inspect
from app.record.store import Session
from instruments.errors import BadInput
from instruments.reading import SECOND, Status
from tests.app.record.imports.results import DATA, meter_log, run_fio
from tests.fio_said import counted_iops, counted_s

IMPORTS = Path(__file__).parents[3] / "fixtures" / "imports"

UTC_ZONE = parse_answers(zone="UTC")


def stamp_of(json_path: Path) -> float:
    text = json_path.read_text()
    stamps = [line for line in text.splitlines() if '"timestamp_ms"' in line]
    return int(stamps[-1].split(":")[1].strip(" ,")) / 1000


def results(session: Session, step: str) -> dict[str, float | None]:
    ids = {row.label: row.id for row in session.steps()}
    return {row.name: row.value for row in session.results(ids[step])}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[ImportResult, Path]:
    """A run of fio with its logs and a meter's log, in one session."""
    folder = tmp_path_factory.mktemp("mixed")
    logs = ["--write_iops_log=run", "--write_lat_log=run", "--log_avg_msec=100"]
    run = run_fio(folder, *logs, "--ramp_time=1", status="200ms")
    meter = meter_log(folder / "LOG0.CSV", stamp_of(run) - 5, 9)
    paths = [run, *sorted(folder.glob("run_*.log")), meter]
    return import_files(
        paths, folder / "out", UTC_ZONE, name="Old run", dut="JBOD"
    ), run


def test_fio_its_logs_and_the_meter_are_one_session(
    mixed: tuple[ImportResult, Path],
) -> None:
    result, run = mixed
    assert len(list(result.session.parent.iterdir())) == 1
    with Session.open(result.session) as session:
        assert (session.info.name, session.info.dut) == ("Old run", "JBOD")
        assert session.is_unchanged()
        own = results(session, "load")
        step = session.steps()[0]
        said = zlib.compress(run.read_bytes())
        assert own["read_iops"] == pytest.approx(counted_iops(said), rel=1e-3)
        assert own["duration_s"] == pytest.approx(counted_s(said), abs=0.01)
        assert 100 < (own["power_w"] or 0) <= 300
        end = (step.window_end_ns or 0) - session.info.monotonic_ns
        ended = session.info.realtime_ns + end
        assert ended / 1e9 == pytest.approx(stamp_of(run) - 0.25, abs=0.3)
        names = {channel.name for channel in session.channels()}
        assert {"fio.read_iops", "fio.read_p99", "fio.read_clat", "mains.P"} <= names


@pytest.mark.serial
def test_logs_are_finer_and_take_the_place_of_documents(
    mixed: tuple[ImportResult, Path],
) -> None:
    with Session.open(mixed[0].session) as session:
        step = session.steps()[0]
        channel = next(c for c in session.channels() if c.name == "fio.read_lat")
        assert channel.period_ns == pytest.approx(100_000_000, rel=0.1)
        window = (step.window_start_ns or 0, step.window_end_ns or 0)
        trace = session.trace(channel, window)
        # On a busy machine fio runs on for longer, and may log less at its end.
        logged = len(session.artefact("run_lat.1.log").splitlines())
        most = (window[1] - window[0]) / channel.period_ns
        assert logged - 1 <= len(trace) <= most + 1
        offsets = {row.source: row for row in session.offsets()}
        assert offsets["mains"].spread_ns == 1_000_000_000
        assert "zone UTC given" in offsets["mains"].method
        assert "run_clat.1.log" in offsets["fio"].method


def test_every_file_is_kept_with_its_hash(mixed: tuple[ImportResult, Path]) -> None:
    result, run = mixed
    with Session.open(result.session) as session:
        assert session.artefact("load.json") == run.read_bytes()
        source = next(s for s in session.sources() if s.name == "fio")
        assert source.driver == "imported"
        assert "sha256" in source.config
        assert {a.name for a in session.artefacts()} >= {"LOG0.CSV", "run_iops.1.log"}


def test_it_stands_beside_others(
    mixed: tuple[ImportResult, Path], tmp_path: Path
) -> None:
    old = import_files([DATA / "fio-2.2.10.json"], tmp_path, UTC_ZONE).session
    new = mixed[0].session
    assert "2017-11-1" in sessions_text(tmp_path)
    assert "15625" in show_text(old)
    assert "test" in comparison_text(compare_sessions([old, new]))
    files = export_sessions([new], ["csv", "html", "png"], tmp_path / "report")
    assert all(path.stat().st_size > 100 for path in files)


def test_what_has_no_clock_has_to_be_placed(tmp_path: Path) -> None:
    old = DATA / "fio-2.1.11.json"
    with pytest.raises(BadInput, match=r"--offset .*--date .*--zone"):
        import_files([old], tmp_path, parse_answers())
    assert not list(tmp_path.iterdir())
    answers = parse_answers(zone="Europe/Berlin", day="2015-07-01", offsets=("3600",))
    done = import_files([old], tmp_path, answers).session
    assert "IOPS has no value, fio's figures" in show_text(done)
    with Session.open(done) as session:
        assert session.info.realtime_ns == 1435705200 * 10**9
        assert "as given" in session.offsets()[0].method
        own = results(session, "random-read")
        assert own["read_mb_s"] == pytest.approx(0.04328, rel=1e-3)
        assert own["latency_p99_ms"] is None
        assert own["read_iops"] is None  # 2.1 cut its 5.28 and 5.31 to 5.


def test_local_text_asks_for_its_zone(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--zone"):
        import_files([DATA / "fio-2.0.15.txt"], tmp_path, parse_answers())
    answers = parse_answers(zone="-07:00")
    done = import_files([DATA / "fio-2.0.15.txt"], tmp_path, answers)
    with Session.open(done.session) as session:
        end = session.steps()[0].window_end_ns or 0
        wall = session.info.realtime_ns + end - session.info.monotonic_ns
        assert wall / 1e9 == pytest.approx(1378726975 + 7 * 3600, abs=1)


def test_a_meter_alone_is_one_step(tmp_path: Path) -> None:
    log = meter_log(tmp_path / "A.CSV", 1_700_000_000, 30, dated=False)
    with pytest.raises(BadInput, match=r"--date .*--zone"):
        import_files([log], tmp_path / "out", parse_answers())
    answers = parse_answers(zone="UTC", day="2023-11-14")
    done = import_files([log], tmp_path / "out", answers)
    with Session.open(done.session) as session:
        assert session.info.realtime_ns == 1_700_000_000 * 10**9
        own = results(session, "A")
        assert own["power_w"] == pytest.approx(500 / 3, rel=0.01)
        assert own["lambda"] == pytest.approx((500 / 3) / 400, rel=0.01)
        assert own["energy_wh"] == pytest.approx(500 / 3 * 30 / 3600, rel=0.01)


def test_a_clock_that_was_off_is_corrected_by_hand(tmp_path: Path) -> None:
    log = meter_log(tmp_path / "A.CSV", 1_700_000_000, 3)
    answers = parse_answers(zone="UTC", offsets=("A.CSV=-90.5",))
    done = import_files([log], tmp_path / "out", answers)
    with Session.open(done.session) as session:
        assert session.info.realtime_ns == 1_699_999_909_500_000_000
        assert "-90.5 s given" in session.offsets()[0].method


def test_logs_of_another_run_are_refused(tmp_path: Path) -> None:
    paths = sorted((DATA / "fio-3.1").iterdir())
    with pytest.raises(BadInput, match="rows of write, and the run did only read"):
        import_files(paths, tmp_path, UTC_ZONE)
    assert not list(tmp_path.iterdir())


def test_a_latency_log_alone_needs_its_version(tmp_path: Path) -> None:
    path = DATA / "fio-3.1" / "random-read-depth-1_clat.1.log"
    given = {"zone": "UTC", "day": "2019-08-04", "offsets": ("0",)}
    with pytest.raises(BadInput, match="--fio-version"):
        import_files([path], tmp_path, parse_answers(**given))  # type: ignore[arg-type]
    for version, mean in (("3.1", 0.01), ("2.2.10", 10.0)):
        answers = parse_answers(**given, fio_version=version)  # type: ignore[arg-type]
        done = import_files([path], tmp_path / version, answers)
        with Session.open(done.session) as session:
            values = session.trace("fio.write_clat").mean
            assert values.mean() == pytest.approx(mean, rel=0.05)


def test_an_empty_log_is_told_and_a_histogram_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "run_slat.1.log"
    empty.touch()
    files = [DATA / "fio-2.2.10.json", empty]
    done = import_files(files, tmp_path / "out", UTC_ZONE)
    assert "run_slat.1.log: it is empty, nothing of it is shown" in done.remarks
    histogram = tmp_path / "run_clat_hist.1.log"
    histogram.write_text("501, 0, 4096" + ", 0" * 1216 + "\n")
    with pytest.raises(BadInput, match="histogram logs of fio are not imported"):
        import_files([histogram], tmp_path / "out", UTC_ZONE)


def test_nothing_is_half_imported(tmp_path: Path) -> None:
    whole = (DATA / "fio-2.2.10.json").read_text()
    torn = tmp_path / "torn.json"
    torn.write_text(whole + whole[: len(whole) // 2])
    other = tmp_path / "notes.txt"
    other.write_text("nothing of interest\n")
    out = tmp_path / "out"
    with pytest.raises(BadInput, match=r"torn.json, line \d+: .* is cut short"):
        import_files([torn], out, UTC_ZONE)
    with pytest.raises(BadInput, match=r"notes.txt: this kind of file cannot be"):
        import_files([DATA / "fio-2.2.10.json", other], out, UTC_ZONE)
    assert not out.exists()
    done = import_files([torn, other], out, UTC_ZONE, keep_rest=True)
    assert len(done.left_out) == 1
    with Session.open(done.session) as session:
        assert len(session.steps()) == 1
        assert any("excluded" in event.message for event in session.events())


def test_a_failed_device_is_the_devices_fault(tmp_path: Path) -> None:
    document = json.loads((DATA / "fio-2.2.10.json").read_text())
    document["jobs"][0]["error"] = 5
    path = tmp_path / "eio.json"
    path.write_text(json.dumps(document))
    done = import_files([path], tmp_path / "out", UTC_ZONE)
    with Session.open(done.session) as session:
        assert session.info.verdict == "FAIL"
        assert session.steps()[0].reason == "job test: Input/output error"


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ([], "no file is named"),
        (["missing.json"], "no such file"),
        (["."], "it is a folder"),
        (["empty"], "it is empty"),
        (["a.json", "b.json"], "the same content"),
    ],
)
def test_files_that_cannot_be(tmp_path: Path, paths: list[str], told: str) -> None:
    (tmp_path / "empty").write_bytes(b"\n")
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes((DATA / "fio-2.2.10.json").read_bytes())
    with pytest.raises(BadInput, match=told):
        import_files([tmp_path / name for name in paths], tmp_path / "out", UTC_ZONE)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"zone": "Berlin"}, "not a valid time zone"),
        ({"zone": "+25:00"}, "not a valid time zone"),
        ({"day": "4.3.2026"}, "not a valid date"),
        ({"offsets": ("soon",)}, "not a valid offset"),
        ({"offsets": ("a.log=nan",)}, "not a valid offset"),
    ],
)
def test_answers_that_cannot_be(options: dict[str, object], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        parse_answers(**options)  # type: ignore[arg-type]


def test_the_hour_in_which_clocks_change_is_asked_for(tmp_path: Path) -> None:
    twice = 1_729_992_600  # 2:30 and 3:30 in Berlin were both shown as 2:30.
    log = meter_log(tmp_path / "A.CSV", twice + 3600, 3)
    with pytest.raises(BadInput, match="clocks were changed"):
        import_files([log], tmp_path / "out", parse_answers(zone="Europe/Berlin"))


def test_a_log_that_was_cut_keeps_its_rows_and_what_was_over_range(
    tmp_path: Path,
) -> None:
    log = meter_log(tmp_path / "A.CSV", 1_700_000_000, 10)
    rows = log.read_text(encoding="utf-8").splitlines()
    for number in range(26, 46):
        cells = rows[number].split(";")
        rows[number] = ";".join((*cells[:2], "inf", *cells[3:]))
    log.write_text("\n".join(rows)[:-20], encoding="utf-8")
    answers = parse_answers(zone="UTC")
    with pytest.raises(BadInput, match="cells stand where"):
        import_files([log], tmp_path / "no", answers)
    done = import_files([log], tmp_path / "out", answers, keep_rest=True)
    with Session.open(done.session) as session:
        assert len(session.trace("mains.P")) >= 79
        (gap,) = session.gaps("mains.P")
        assert gap.reason == Status.OVERRANGE
        assert (gap.end_ns - gap.start_ns) / SECOND == pytest.approx(2.0, abs=0.1)
        told = [event.message for event in session.events()]
        assert any("line 105 is excluded, " in text for text in told)
        power = next(result for result in session.results() if result.name == "power_w")
        assert power.over_range_s == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    ("file", "begins", "zone"),
    [
        ("fio-2.0.15.txt", "2013-09-09 11:42:45 CEST", "zone Europe/Berlin given"),
        ("fio-3.42.txt", "2026-07-08 15:13:29 CEST", "zone UTC of the file"),
        ("fio-2.1.11.json", "2024-02-03 00:00:00 CET", "zone Europe/Berlin, as given"),
    ],
)
def test_an_import_says_of_which_zone_its_times_were_taken(
    tmp_path: Path, file: str, begins: str, zone: str
) -> None:
    answers = parse_answers(zone="Europe/Berlin", day="2024-02-03", offsets=("0",))
    path = IMPORTS / file
    placed = import_files([path], tmp_path, answers)
    assert placed.remarks[0].startswith(f"{file}: begins {begins}, ")
    assert zone in placed.remarks[0]
    assert zone in inspect([path], answers).files[0].clock
    with Session.open(placed.session) as session:
        local = datetime.fromtimestamp(session.info.realtime_ns // SECOND, UTC)
        moment = local.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
        assert any(zone in event.message for event in session.events())
    assert show_text(placed.session).splitlines()[0].endswith(f", {moment}")
