from pathlib import Path

from app.analysis.results import step_results
from app.record.store import Session
from app.report.notes import notes_of
from instruments.reading import Channel
from tests.app.analysis.test_results import WINDOW, Record


def noted(record: Record) -> list[str]:
    """Compute the results of one step, store them, and write the notes."""
    step = record.writer.add_step(1, "Idle", "idle", "")
    record.writer.update_step(step, outcome="DONE")
    record.writer.commit()
    with Session.open(record.path) as session:
        for one in step_results(session, WINDOW):
            record.writer.result(
                step,
                one.name,
                one.value,
                one.unit,
                start_ns=one.start_ns,
                end_ns=one.end_ns,
                n_valid=one.n_valid,
                n_expected=one.n_expected,
                origin=one.origin,
                note=one.note,
            )
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
        "Idle: Lambda is thin (*), 33 of 100 samples of mains.P, mains.S are there"
        in notes
    )
    assert (
        "Idle: Power (W) is thin (*), 33 of 100 samples of mains.P are there" in notes
    )


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
    assert any("Ambient (°C) is thin (*), 15 of 20 samples" in note for note in notes)


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
    record.writer.result(
        step,
        "read_block_bytes",
        94200.0,
        "B",
        start_ns=0,
        end_ns=1,
        n_valid=1,
        n_expected=1,
        origin="io_checks",
        note=text,
    )
    record.writer.finish()
    with Session.open(record.path) as session:
        assert notes_of(session, session.report_table()) == [f"Mixed: {text}"]
