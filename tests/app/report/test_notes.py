from pathlib import Path

import pytest

from app.analysis.results import step_results
from app.record.store import Result, Session, Writer
from app.report.notes import notes_of
from app.report.rows import is_thin
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.analysis.record import START, WINDOW, Record
from tests.session_info import session_info
from workloads.fio.table import OUTPUT


def noted(record: Record) -> list[str]:
    """Compute the results of one step, store them, and write the notes."""
    step = record.writer.add_step(1, "Idle", "idle", "")
    record.writer.update_step(step, outcome="DONE")
    record.writer.commit()
    with Session.open(record.path) as session:
        for step_result in step_results(session, WINDOW):
            record.writer.result(step, step_result)
    record.writer.finish()
    with Session.open(record.path) as session:
        return notes_of(session, session.report_table())


def test_counts_name_the_samples_they_count(tmp_path: Path) -> None:
    record = Record(tmp_path)
    tenth = 100_000_000
    for quantity, unit in (("P", "W"), ("S", "VA")):
        one = Channel("mains", quantity, unit, period_ns=tenth)
        record.add(one, [500.0] * 33, seconds=3.3)
    notes = noted(record)
    assert (
        "Idle: Lambda is based on only 33 of 100 samples of mains.P, mains.S (*)"
        in notes
    )
    assert "Idle: Power (W) is based on only 33 of 100 samples of mains.P (*)" in notes


def test_power_and_energy_that_were_over_range_are_told_and_starred(
    tmp_path: Path,
) -> None:
    record = Record(tmp_path)
    tenth = 100_000_000
    both = (
        Channel("mains", "P", "W", period_ns=tenth),
        Channel("mains", "Wh", "Wh", period_ns=tenth),
    )
    for number in range(101):
        at = START + number * tenth
        power = Status.OVERRANGE if 20 <= number < 50 else Status.OK
        reading = Reading(both, at, at, (500.0, number / 1000), (power, Status.OK))
        record.writer.append([reading])
    notes = noted(record)
    for what in ("Power (W)", "Energy (Wh)"):
        told = f"Idle: {what} was over range for 3.0 s, so it is too low"
        assert told in notes
    with Session.open(record.path) as session:
        thin = {result.name for result in session.results() if is_thin(result)}
    assert {"power_w", "energy_wh"} <= thin


def test_an_inlet_that_dropped_out_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path)
    for name, values in (("ses", [27.0] * 10), ("a", [23.0] * 5)):
        one = Channel(name, "temperature", "degC", "inlet")
        record.add(one, values, seconds=float(len(values)))
    notes = noted(record)
    assert (
        "Idle: Ambient (°C) is the mean of 2 sensors, but only with "
        "a.temperature.inlet in 50 % of the time" in notes
    )
    assert any(
        "Ambient (°C) is based on only 15 of 20 samples" in note for note in notes
    )


def test_of_several_sound_meters_the_reported_one_is_named(tmp_path: Path) -> None:
    record = Record(tmp_path)
    for name, level in (("front", 50.0), ("rear", 60.0), ("room", 30.0)):
        record.add(Channel(name, "LAeq", "dB"), [level] * 10)
    assert noted(record) == [
        "Noise (dB(A)): energy mean of LAeq of front, not of rear and room"
    ]


def test_what_a_check_found_is_a_note_of_its_row(tmp_path: Path) -> None:
    record = Record(tmp_path)
    step = record.writer.add_step(1, "Mixed", "fio", "")
    record.writer.update_step(step, outcome="DONE")
    text = "the mean block of its reads is 94.2 kB, the job asks for 295.7 kB"
    found = Result("read_block_bytes", 94200.0, "B", 0, 1, 1, 1, "io_checks", text)
    record.writer.result(step, found)
    record.writer.finish()
    with Session.open(record.path) as session:
        assert notes_of(session, session.report_table()) == [f"Mixed: {text}"]


@pytest.mark.parametrize(("seconds", "is_told"), [(4.5, True), (4.98, False)])
def test_percentiles_of_another_time_than_their_row_say_so(
    tmp_path: Path, seconds: float, is_told: bool
) -> None:
    writer = Writer.create(tmp_path / "x.bayscope", session_info())
    step = writer.add_step(1, "Read", "fio", "")
    writer.update_step(step, outcome="DONE")
    whole = (START, START + 5 * SECOND)
    part = (whole[1] - round(seconds * SECOND), whole[1])
    writer.result(step, Result("duration_s", 5.0, "s", *whole, 1, 1, "window"))
    writer.result(step, Result("latency_p99_ms", 2.0, "ms", *part, 1, 1, OUTPUT))
    writer.finish()
    with Session.open(tmp_path / "x.bayscope") as session:
        notes = notes_of(session, session.report_table())
    told = [note for note in notes if "between two documents" in note]
    assert len(told) == is_told
    assert all("are of 4.5 s of its 5 s" in note for note in told)


@pytest.mark.parametrize("count", [3, 18])
def test_what_is_so_of_many_rows_is_said_once(tmp_path: Path, count: int) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, session_info())
    for number in range(1, count + 1):
        step = writer.add_step(number, f"Put {number}", "warp", "")
        reason = "warp: the program is not there" if number != 2 else "it is slow"
        writer.update_step(step, outcome="ERROR", verdict="ERROR", reason=reason)
    writer.finish()
    with Session.open(path) as session:
        found = notes_of(session, session.report_table())
    missing = "warp: the program is not there"
    if count == 3:
        told = [f"Put 1: {missing}", "Put 2: it is slow", f"Put 3: {missing}"]
    else:
        told = [f"Put 1, Put 3, Put 4 and 14 more (17 rows): {missing}"]
        told += ["Put 2: it is slow"]
    assert found == told
