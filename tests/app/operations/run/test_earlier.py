"""What earlier sessions tell, from real session files."""

from pathlib import Path

from app.operations.run.foresee import earlier_rates
from app.plan.estimate import Known, Span
from app.record.store import Result, Session, SessionInfo, Writer


def recorded(path: Path, rows: list[tuple[str, str, float, float | None]]) -> Path:
    info = SessionInfo("x", "", "", "", "0", True, "dut", "boot", 1, 1)
    writer = Writer.create(path, info)
    for position, (label, outcome, power, rate) in enumerate(rows):
        series = label.partition(" (")[0]
        step = writer.add_step(position, label, "fio", "", series=series)
        writer.update_step(step, outcome=outcome)
        for name, value in (("power_w", power), ("write_mb_s", rate)):
            writer.result(step, Result(name, value, "", 1, 2))
    writer.commit()
    writer.finish()
    return path


def test_rows_are_collected_by_their_series(tmp_path: Path) -> None:
    one = recorded(
        tmp_path / "1.bayscope",
        [
            ("Idle", "DONE", 580.0, None),
            ("Write (1/2)", "DONE", 700.0, 1000.0),
            ("Write (2/2)", "DONE", 710.0, 1100.0),
            ("Read", "ERROR", 999.0, None),
        ],
    )
    two = recorded(tmp_path / "2.bayscope", [("Write", "DONE", 690.0, 900.0)])
    with Session.open(one) as first, Session.open(two) as second:
        found = earlier_rates([first, second])
    assert found == {
        "Idle": Known(None, Span(580.0, 580.0), "1 earlier session"),
        "Write": Known(Span(900e6, 1100e6), Span(690.0, 710.0), "2 earlier sessions"),
    }
    assert earlier_rates([]) == {}
