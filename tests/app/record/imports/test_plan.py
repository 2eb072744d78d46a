"""Looking at files before they are imported."""

from datetime import UTC, datetime
from pathlib import Path

from app.record.imports.answers import Question, parse_answers
from app.record.imports.plan import inspect
from tests.app.record.imports.results import DATA, meter_log


def test_a_file_with_a_clock_needs_nothing() -> None:
    plan = inspect([DATA / "fio-3.42.txt"])
    file = plan.files[0]
    assert plan.is_ready
    assert (file.kind, file.detail) == ("fio JSON", "fio-3.42-6-g219f, 1 step")
    assert file.starts == datetime(2026, 7, 8, 13, 13, 29, 583000, UTC)
    assert (file.length_s, file.spread_s) == (20.005, 0.001)
    assert file.modified is not None


def test_what_has_to_be_said_shrinks_with_each_answer(tmp_path: Path) -> None:
    meter = meter_log(tmp_path / "A.CSV", 1_700_000_000, 2, dated=False)
    paths = [DATA / "fio-2.0.15-terse.txt", meter]
    plan = inspect(paths)
    assert plan.questions == (Question.OFFSET, Question.DATE, Question.ZONE)
    assert plan.files[0].questions == (Question.OFFSET,)
    assert plan.files[1].questions == (Question.DATE, Question.ZONE)
    assert "time of day without date" in plan.files[1].clock
    some = parse_answers(zone="UTC", day="2023-11-14")
    assert inspect(paths, some).questions == (Question.OFFSET,)
    all_said = parse_answers(zone="UTC", day="2023-11-14", offsets=("1.5",))
    ready = inspect(paths, all_said)
    assert ready.is_ready
    assert ready.files[0].starts == datetime(2023, 11, 14, 22, 13, 21, 500000, UTC)


def test_logs_alone_ask_for_their_version() -> None:
    log = DATA / "fio-3.1" / "random-read-depth-1_clat.1.log"
    plan = inspect([log])
    assert plan.questions == (Question.FIO_VERSION,)
    assert plan.files[0].detail == "clat of job 1"
    more = inspect([log], parse_answers(fio_version="3.1"))
    assert more.questions == (Question.OFFSET, Question.DATE, Question.ZONE)


def test_bad_files_are_told_of_and_not_raised(tmp_path: Path) -> None:
    paths = [tmp_path / "none.json", DATA / "README.md", DATA / "fio-2.2.10.json"]
    plan = inspect(paths)
    assert not plan.is_ready
    assert "cannot be read" in str(plan.files[0].error)
    assert "cannot be imported" in str(plan.files[1].error)
    assert plan.files[2].error is None
    mixed = inspect(sorted((DATA / "fio-3.1").iterdir()))
    assert "of another run" in mixed.error
    assert [file.kind for file in mixed.files] == ["fio log", "fio log", "fio JSON"]
