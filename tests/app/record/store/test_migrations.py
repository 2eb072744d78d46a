"""Older files are brought up to date, one version at a time, or left as they are."""

import gzip
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import tomlkit

from app.record.store import Result, Session, Writer
from app.record.store.database import connect_for_changes
from app.record.store.digest import content_digest
from app.record.store.library import summary
from app.record.store.opening import migrate
from app.record.store.schema import MIGRATIONS, TAKEN_BACK, VERSION
from instruments.errors import BadInput
from tests.app.record.recording import INFO

OLD = Path(__file__).parents[3] / "fixtures" / "session" / "version_1.bayscope.gz"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.finish()
    return writer.path


def _query(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


def _migrate(path: Path) -> None:
    with closing(connect_for_changes(path)) as connection:
        migrate(connection)


def test_there_is_one_for_every_version() -> None:
    assert len(MIGRATIONS) == len(TAKEN_BACK) == VERSION - 1


@pytest.mark.parametrize("version", range(1, VERSION))
def test_every_version_is_taken_back_and_brought_up_again(
    path: Path, version: int
) -> None:
    shape = _shape(path)
    _take_back(path, version)
    assert _shape(path) != shape
    # It is listed as it is, and migrated only where it is opened.
    assert summary(path).error == ""
    assert _query(path, "PRAGMA user_version") == [(version,)]
    _migrate(path)
    assert _query(path, "PRAGMA user_version") == [(VERSION,)]
    assert _shape(path) == shape
    with Session.open(path) as session:
        assert session.is_unchanged()


def test_a_step_that_fails_leaves_its_version(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _take_back(path, 1)
    broken = "CREATE TABLE half (x); SELECT nonsense"
    steps = (MIGRATIONS[0], broken, *MIGRATIONS[2:])
    monkeypatch.setattr("app.record.store.opening.MIGRATIONS", steps)
    with pytest.raises(sqlite3.OperationalError):
        _migrate(path)
    assert _query(path, "PRAGMA user_version") == [(2,)]
    assert _query(path, "SELECT name FROM sqlite_schema WHERE name = 'half'") == []


def _take_back(path: Path, version: int) -> None:
    """Make a file what it was in an older version, hash and all."""
    with closing(sqlite3.connect(path)) as connection:
        for sql in reversed(TAKEN_BACK[version - 1 :]):
            connection.executescript(sql)
        connection.execute(f"PRAGMA user_version = {version}")
        digest = content_digest(connection)
        connection.execute("UPDATE session SET sha256 = ?", (digest,))
        connection.commit()


@pytest.mark.parametrize("changed", [False, True])
def test_a_session_of_version_1_is_read_with_its_hash(
    tmp_path: Path, changed: bool
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.add_source("mains", "power", "hmc8015", None)
    writer.add_step(1, "Idle", "idle", "")
    writer.finish()
    _take_back(writer.path, 1)
    if changed:
        with closing(sqlite3.connect(writer.path)) as connection:
            connection.execute("UPDATE session SET dut = 'another'")
            connection.commit()
    with Session.open(writer.path) as session:
        assert [source.measures for source in session.sources()] == ["dut"]
        assert session.is_unchanged() is not changed
        [row] = session.report_table()
        assert (row["step"], row["thin"]) == ("Idle", "")
    assert _query(writer.path, "PRAGMA user_version") == [(VERSION,)]


@pytest.mark.parametrize(
    ("name", "note", "expected"),
    [
        ("power_w", "mean; over range for 2.5 s, so it is too low", ("mean", "", 2.5)),
        ("a.apparent_va", "over range for 12.0 s, so it is too low", ("", "", 12.0)),
        ("energy_wh", "mean power x time, it is", (None, "mean power", 0)),
        ("energy_wh", "the integrator; mean power x time is 1 %", (None, "", 0)),
        ("energy_by_mean_wh", "mean power x time", (None, "", 0)),
        ("noise_db", "energy mean of a, not of b", (None, "one of several", 0)),
    ],
)
def test_what_the_notes_of_version_5_told_is_a_code(
    tmp_path: Path, name: str, note: str, expected: tuple[str | None, str, float]
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.result(step, Result(name, 1.0, "", 0, 1, note=note))
    writer.finish()
    _take_back(writer.path, 5)
    with Session.open(writer.path) as session:
        [one] = session.results()
        found = (None if one.note == note else one.note, one.basis, one.over_range_s)
        assert found == expected
        assert session.is_unchanged()


def test_pass_and_series_that_a_label_told_are_columns(tmp_path: Path) -> None:
    key = b"a key of the owner's"
    writer = Writer.create(tmp_path / "s.bayscope", INFO, key=key)
    for label, attempt, series, number in (
        ("Read", 0, "Read", 1),
        ("Read (pass 12)", 0, "Read", 12),
        ("Read (2/3)", 0, "Read", 1),
        ("Read (4) (pass 2)", 0, "Read", 2),
        ("Read (1) (pass 3) (void 2)", 2, "Read", 3),
        ("Mixed (4k/64k)", 0, "Mixed (4k/64k)", 1),
        ("Odd (/)", 0, "Odd (/)", 1),
        ("Odd (/2)", 0, "Odd (/2)", 1),
        ("Odd (2/)", 0, "Odd (2/)", 1),
        ("(7)", 0, "(7)", 1),
        (" (pass )", 0, " (pass )", 1),
    ):
        step = writer.add_step(1, label, "idle", "", series=series, pass_number=number)
        outcome = "VOID" if attempt else "DONE"
        writer.update_step(step, outcome=outcome, attempt=attempt)
    writer.finish()
    with Session.open(writer.path) as session:
        expected = [(step.series, step.pass_number) for step in session.steps()]
    _take_back(writer.path, 8)
    with Session.open(writer.path) as session:
        told = [(step.series, step.pass_number) for step in session.steps()]
        assert told == expected
        assert session.is_unchanged()
        assert session.is_signed(key)
    with closing(sqlite3.connect(writer.path)) as connection:
        connection.execute("UPDATE step SET series = 'Mix' WHERE label = 'Read'")
        connection.commit()
    with Session.open(writer.path) as session:
        assert not session.is_signed(key)


def test_what_the_plan_calls_a_step_is_neither_a_repeat_nor_a_pass(
    tmp_path: Path,
) -> None:
    key = b"a key of the owner's"
    writer = Writer.create(tmp_path / "s.bayscope", INFO, key=key)
    most = 2**63 - 1
    expected = []
    for label, plan, attempt, series, number in (
        ("Read (64)", "Read (64)", 0, "Read (64)", 1),
        ("Read (70/30)", "Read (70/30)", 0, "Read (70/30)", 1),
        ("Read (64) (2/3)", "Read (64)", 0, "Read (64)", 1),
        ("Read (64) (pass 2)", "Read (64)", 0, "Read (64)", 2),
        ("Read (64) (2) (pass 2) (void 1)", "Read (64)", 1, "Read (64)", 2),
        ("Read (64) (void 1)", "Read (64)", 1, "Read (64)", 1),
        ('A "b\\c" (4)', 'A "b\\c" (4)', 0, 'A "b\\c" (4)', 1),
        ("Read (pass 2)", "Read (pass 2)", 0, "Read (pass 2)", 1),
        ("Read (3/3)", "Read", 0, "Read", 1),
        ("Read (pass 100000)", "Read", 0, "Read", 100_000),
        ("Read (pass 0)", "", 0, "Read (pass 0)", 1),
        (f"Read (pass {most})", "", 0, f"Read (pass {most})", 1),
        (f"Read (pass {most}0)", "", 0, f"Read (pass {most}0)", 1),
    ):
        text = tomlkit.dumps({"label": plan, "engine": "idle"})
        step = writer.add_step(
            1, label, "idle", text, series=series, pass_number=number
        )
        outcome = "VOID" if attempt else "DONE"
        writer.update_step(step, outcome=outcome, attempt=attempt)
        expected.append((series, number))
    writer.finish()
    _take_back(writer.path, 8)
    with Session.open(writer.path) as session:
        told = [(step.series, step.pass_number) for step in session.steps()]
        assert told == expected
        assert session.is_unchanged()
        assert session.is_signed(key)


def test_the_attempt_that_the_label_of_a_void_row_told_is_a_number(
    tmp_path: Path,
) -> None:
    key = b"a key of the owner's"
    writer = Writer.create(tmp_path / "s.bayscope", INFO, key=key)
    for label, outcome, attempt in (
        ("Read (void 1)", "VOID", 1),
        ("Read (void 12)", "VOID", 12),
        ("Mix (void 7) (void 2)", "VOID", 2),
        ("Held", "VOID", 0),
        ("Read (void 3)", "DONE", 0),
    ):
        series = label.removesuffix(f" (void {attempt})")
        step = writer.add_step(1, label, "idle", "", series=series)
        writer.update_step(step, outcome=outcome, attempt=attempt)
    writer.finish()
    _take_back(writer.path, 7)
    with Session.open(writer.path) as session:
        assert [step.attempt for step in session.steps()] == [1, 12, 2, 0, 0]
        assert session.is_unchanged()
        assert session.is_signed(key)
    with closing(sqlite3.connect(writer.path)) as connection:
        connection.execute("UPDATE step SET attempt = 7 WHERE label = 'Held'")
        connection.commit()
    with Session.open(writer.path) as session:
        assert not session.is_signed(key)


def test_a_number_put_in_by_hand_is_told_without_sql(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(BadInput) as told:
        Session.open(path)
    assert "claims to have format 1, and has other tables" in str(told.value)
    assert "column" not in str(told.value)
    assert _query(path, "PRAGMA user_version") == [(1,)]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A session that was recorded when files had version 1."""
    copy = tmp_path / "old.bayscope"
    copy.write_bytes(gzip.decompress(OLD.read_bytes()))
    assert _query(copy, "PRAGMA user_version") == [(1,)]
    return copy


def test_a_migrated_file_has_the_tables_of_a_new_one(old: Path, path: Path) -> None:
    before = _shape(old)
    _migrate(old)
    assert _query(old, "PRAGMA user_version") == [(VERSION,)]
    assert _shape(old) == _shape(path) != before


def test_an_old_recording_is_read(old: Path) -> None:
    with Session.open(old) as session:
        assert session.is_unchanged()
        [source] = session.sources()
        assert (source.name, source.model, source.measures) == (
            "mains",
            "HMC8015",
            "dut",
        )
        assert session.trace("mains.P").mean.tolist() == [500.0 + n for n in range(50)]
        [row] = session.report_table()
        assert (row["step"], row["outcome"]) == ("Idle", "DONE")


def _shape(path: Path) -> dict[str, object]:
    """Say what can be asked of a file; columns that were added later stand last."""
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute(
            "SELECT type, name, sql FROM sqlite_schema"
        ).fetchall()
        shape: dict[str, object] = {}
        for kind, name, sql in made:
            columns = connection.execute(
                'SELECT name, type, "notnull", dflt_value, pk, hidden '
                "FROM pragma_table_xinfo(?)",
                (name,),
            )
            keys = connection.execute(
                'SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)', (name,)
            )
            plain = _plain(sql or "")
            shape[f"{kind} {name}"] = (
                sorted(columns, key=str),
                sorted(keys, key=str),
                plain
                if kind != "table"
                else sorted(re.findall(r"[\w']+|[^\w\s,']", plain)),
            )
    return shape


def _plain(sql: str) -> str:
    lines = (line.split("--")[0] for line in sql.splitlines())
    return " ".join(" ".join(lines).split())
