"""The writer: what is handed over is in the file, in plain tables and traces."""

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Codec, Result, Session, SessionInfo, Writer
from app.record.store.buckets import BUCKET_NS
from app.record.store.schema import VERSION
from instruments.errors import BadInput
from instruments.reading import SECOND, Identity
from tests.app.record.recording import (
    INFO,
    NOISE,
    POWER,
    START,
    TENTH,
    readings,
)

WHO = Identity("Rohde&Schwarz", "HMC8015", "101", "1.404", "TCPIP::x", simulated=True)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer.create(tmp_path / "s.bayscope", INFO)


def _sql(writer: Writer, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(f"file:{writer.path}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_everything_given_is_read_back(writer: Writer) -> None:
    writer.add_source("mains", "power", "hmc8015", None)
    writer.add_source("mains", "power", "hmc8015", WHO, "range = 10")
    writer.add_channels(POWER)
    writer.add_channels(POWER)
    step = writer.add_step(1, "Idle", "idle", "runtime = 60")
    other = writer.add_step(2, "Read", "fio", "")
    writer.update_step(step, start_ns=START, outcome="running")
    writer.update_step(step, end_ns=START + 9, outcome="DONE", verdict="PASS")
    writer.update_step(other, outcome="SKIPPED", reason="no time")
    window = START, START + 9
    writer.result(step, Result("power_w", 1.0, "W", *window))
    writer.result(step, Result("power_w", 612.5, "W", *window, 9, 10, note="mean"))
    writer.result(step, Result("lambda", None, "", *window))
    writer.event(START + 1, "warning", "mains", "hot")
    writer.journal(START + 2, "range", "10 A")
    writer.artefact(step, "fio.json", "application/json", b"{}" * 1000)
    writer.clock_pair(START + 3, 99, "boot-1")
    writer.inventory("host", "load", {"cpus": "64", "kernel": "6.1"})
    writer.set_session(verdict="PASS", outcome="DONE", ended_ns=START + 10)
    writer.finish()
    with Session.open(writer.path) as session:
        assert session.state == "complete"
        assert session.info.name == INFO.name
        assert session.info.verdict == "PASS"
        assert session.info.ended_ns == START + 10
        assert session.channels() == list(POWER)
        [source] = session.sources()
        assert (source.model, source.simulated, source.config) == (
            "HMC8015",
            True,
            "range = 10",
        )
        assert [s.label for s in session.steps()] == ["Idle", "Read"]
        assert session.steps()[0].end_ns == START + 9
        assert session.steps()[1].start_ns is None
        results = {row.name: row for row in session.results(step)}
        assert results["power_w"].value == 612.5
        assert results["power_w"].n_expected == 10
        assert results["lambda"].value is None
        assert session.results(other) == []
        assert [event.message for event in session.events()] == ["hot"]
        assert session.events(after_id=session.events()[-1].id) == []
        assert session.journal()[0].action == "range"
        assert session.artefacts()[0].size == 2000
        assert session.artefact("fio.json") == b"{}" * 1000
        assert session.artefact("fio.json", step) == b"{}" * 1000
        assert [pair.realtime_ns for pair in session.clock_pairs()] == [
            INFO.realtime_ns,
            99,
        ]
        assert {row.key: row.value for row in session.inventory()}["cpus"] == "64"
        with pytest.raises(BadInput, match="no artefact"):
            session.artefact("fio.json", other)


def test_report_table_has_the_names_others_build_on(writer: Writer) -> None:
    step = writer.add_step(1, "Idle", "idle", "")
    for place, name in enumerate(("power_w", "iops", "noise_db", "buffered", "extra")):
        n_valid = 94 if name in ("noise_db", "power_w") else 95
        value = float(place)
        writer.result(step, Result(name, value, "", 0, 1, n_valid, 100))
    writer.result(step, Result("lambda", None, "", 0, 1, 0, 100))
    writer.finish()
    with Session.open(writer.path) as session:
        [row] = session.report_table()
    assert row["thin"] == "noise_db power_w"
    assert list(row) == [
        *("step", "outcome", "power_w", "iops", "bandwidth_mb_s", "lambda"),
        *("energy_wh", "noise_db", "ambient_c", "drive_min_c", "drive_max_c"),
        *("read_iops", "write_iops", "read_mb_s", "write_mb_s", "latency_mean_ms"),
        *("latency_p99_ms", "apparent_va", "power_peak_w", "buffered", "duration_s"),
        *("position", "engine", "verdict", "reason", "thin", "simulated"),
    ]
    assert (row["step"], row["iops"], row["lambda"]) == ("Idle", 1.0, None)


def test_a_commit_is_seen_by_a_reader_at_once(writer: Writer) -> None:
    with Session.open(writer.path) as session:
        assert session.state == "recording"
        assert session.extent() == (0, 0)
        writer.append(readings(POWER, 3))
        assert session.channels() == []
        writer.commit()
        assert len(session.trace("mains.P")) == 3
        middle = 10_000_000
        assert session.extent() == (START + middle, START + middle + 2 * TENTH)
    writer.finish()


def test_buckets_are_sealed_on_absolute_boundaries(writer: Writer) -> None:
    writer.append(readings(NOISE, 2500))
    writer.commit()
    for at in range(2500, 2560, 5):
        writer.append(readings(NOISE, 5, START + at * SECOND))
        writer.commit()
    writer.finish()
    rows = _sql(writer, "SELECT bucket, count FROM timeline ORDER BY bucket")
    first = START // BUCKET_NS
    assert rows == [(first, 1024), (first + 1, 1024), (first + 2, 512)]
    assert _sql(writer, "SELECT count(*) FROM tail") == [(0,)]
    segments = "SELECT count, n_valid, min, max, mean FROM segment ORDER BY first_ns"
    assert _sql(writer, segments)[0] == (1024, 1024, 0.0, 1023.0, 511.5)


def test_recording_seals_while_it_runs(writer: Writer) -> None:
    for at in range(0, 1100, 10):
        writer.append(readings(NOISE, 10, START + at * SECOND))
        writer.commit()
    assert _sql(writer, "SELECT sum(count) FROM segment") == [(1024,)]
    assert _sql(writer, "SELECT sum(count) FROM tail") == [(76,)]
    with Session.open(writer.path) as session:
        assert len(session.trace("noise.LAeq")) == 1100
    writer.finish()


def test_late_and_unordered_readings_find_their_place(writer: Writer) -> None:
    rows = readings(NOISE, 3000)
    writer.append(rows[2000:])
    writer.commit()
    writer.seal()
    writer.append(rows[1000:2000])
    writer.append(rows[:1000])
    writer.finish()
    with Session.open(writer.path) as session:
        values = session.trace("noise.LAeq").mean
        assert values[~np.isnan(values)].tolist() == [float(n) for n in range(3000)]


@pytest.mark.parametrize("codec", Codec)
def test_every_codec_reads_back(tmp_path: Path, codec: Codec) -> None:
    writer = Writer.create(tmp_path / f"{codec.name}.bayscope", INFO, codec=codec)
    writer.append(readings(POWER, 500))
    writer.finish()
    assert _sql(writer, "SELECT DISTINCT codec FROM segment") == [(int(codec),)]
    with Session.open(writer.path) as session:
        assert session.trace("mains.P").mean.tolist() == [float(n) for n in range(500)]


def test_raw_replies_are_kept_live_and_sealed(writer: Writer) -> None:
    for number in range(30):
        at = START + number * 60 * SECOND
        [one] = readings(NOISE, 1, at)
        writer.append(
            [type(one)(one.channels, at, at + 4, (1.0,), one.statuses, b"%d" % number)]
        )
        writer.commit()
    with Session.open(writer.path) as session:
        live = session.raw("noise", (START, START + 300 * SECOND))
        assert [reply for _, reply in live] == [b"0", b"1", b"2", b"3", b"4"]
        assert live[0][0] == session.trace("noise.LAeq").times[0]
    writer.finish()
    with Session.open(writer.path) as session:
        done = session.raw("noise", (0, 2**60))
        assert [reply for _, reply in done] == [b"%d" % number for number in range(30)]
        assert session.raw("nobody", (0, 2**60)) == []
    assert _sql(writer, "SELECT count(*) FROM raw_tail") == [(0,)]
    assert len(_sql(writer, "SELECT * FROM raw")) == 2


def test_a_finished_session_is_a_single_file(writer: Writer) -> None:
    writer.append(readings(POWER, 3))
    writer.finish()
    writer.finish()
    assert [path.name for path in writer.path.parent.iterdir()] == ["s.bayscope"]
    assert _sql(writer, "PRAGMA journal_mode") == [("delete",)]
    assert _sql(writer, "PRAGMA integrity_check") == [("ok",)]
    assert _sql(writer, "PRAGMA application_id") == [(0x42617953,)]
    assert _sql(writer, "PRAGMA user_version") == [(VERSION,)]
    assert _sql(writer, "PRAGMA freelist_count") == [(0,)]


def test_steps_that_never_ended_get_an_outcome(writer: Writer) -> None:
    writer.update_step(writer.add_step(1, "a", "idle", ""), outcome="running")
    writer.add_step(2, "b", "idle", "")
    writer.finish()
    with Session.open(writer.path) as session:
        assert [step.outcome for step in session.steps()] == ["ERROR", "SKIPPED"]
        assert "ended before" in session.steps()[0].reason


def test_recordings_never_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "notes.bayscope"
    path.write_text("mine")
    with pytest.raises(BadInput, match="already"):
        Writer.create(path, INFO)
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be stored here"):
        Writer.create(tmp_path / "no" / "s.bayscope", INFO)
    assert list(tmp_path.iterdir()) == []


def test_a_channel_keeps_its_unit(writer: Writer) -> None:
    writer.append(readings(NOISE, 1))
    other = type(NOISE[0])("noise", "LAeq", "Pa")
    with pytest.raises(ValueError, match="recorded in 'dB'"):
        writer.append(readings((other,), 1))
    writer.finish()


def test_unknown_columns_are_a_mistake_of_the_caller(writer: Writer) -> None:
    with pytest.raises(ValueError, match="no column weight"):
        writer.set_session(weight=3)
    writer.finish()


def test_an_empty_bulk_is_nothing(writer: Writer) -> None:
    none = np.empty(0, np.int64)
    writer.append_trace(POWER, none, none, np.empty((0, 2)))
    writer.finish()
    with Session.open(writer.path) as session:
        assert session.extent() == (0, 0)


def test_info_is_kept_word_by_word(tmp_path: Path) -> None:
    info = SessionInfo("ä ö", "c", "b", "o", "v", True, "d", "boot", 1, 2, note="n")
    writer = Writer.create(tmp_path / "s.bayscope", info)
    writer.finish()
    with Session.open(writer.path) as session:
        assert session.info == info


def test_whoever_looks_for_sessions_finds_whole_ones(tmp_path: Path) -> None:
    names: set[str] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            for path in tmp_path.glob("*.bayscope"):
                with Session.open(path) as session:
                    names.add(session.info.name)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for number in range(40):
            Writer.create(tmp_path / f"{number}.bayscope", INFO).finish()
    finally:
        done.set()
        looker.join()
    assert names == {INFO.name}
    left = sorted(path.suffix for path in tmp_path.iterdir())
    assert left == [".bayscope"] * 40
