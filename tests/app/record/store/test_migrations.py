"""Older files are brought up to date, one version at a time, or left as they are."""

import gzip
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.record.store import Session, Writer
from app.record.store.database import VERSION
from app.record.store.digest import content_digest
from app.record.store.migrations import MIGRATIONS, migrate
from instruments.errors import BadInput
from tests.app.record.recording import INFO

OLD = Path(__file__).parents[3] / "fixtures" / "session" / "version_1.bayscope.gz"
STEPS = (
    "ALTER TABLE event ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE extra (x); INSERT INTO extra VALUES (1)",
)


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


def test_there_is_one_for_every_version() -> None:
    assert len(MIGRATIONS) == VERSION - 1


def test_steps_are_run_in_order_and_numbered(path: Path) -> None:
    migrate(path, (*MIGRATIONS, STEPS[0]))
    assert _query(path, "PRAGMA user_version") == [(VERSION + 1,)]
    migrate(path, (*MIGRATIONS, *STEPS))
    assert _query(path, "PRAGMA user_version") == [(VERSION + 2,)]
    assert _query(path, "SELECT * FROM extra") == [(1,)]
    migrate(path, (*MIGRATIONS, *STEPS))
    assert _query(path, "SELECT count(*) FROM extra") == [(1,)]


def test_a_step_that_fails_leaves_its_version(path: Path) -> None:
    broken = "CREATE TABLE half (x); SELECT nonsense"
    with pytest.raises(sqlite3.OperationalError):
        migrate(path, (*MIGRATIONS, STEPS[0], broken))
    assert _query(path, "PRAGMA user_version") == [(VERSION + 1,)]
    assert _query(path, "SELECT name FROM sqlite_schema WHERE name = 'half'") == []


def test_an_old_file_is_migrated_on_opening(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = VERSION + len(STEPS)
    monkeypatch.setattr("app.record.store.database.VERSION", newest)
    steps = (*MIGRATIONS, *STEPS)
    monkeypatch.setattr("app.record.store.migrations.MIGRATIONS", steps)
    with Session.open(path) as session:
        assert session.info.name == INFO.name
        assert session.is_unchanged()
    assert _query(path, "PRAGMA user_version") == [(newest,)]


@pytest.mark.parametrize("changed", [False, True])
def test_a_session_of_version_1_is_read_with_its_hash(
    tmp_path: Path, changed: bool
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.add_source("mains", "power", "hmc8015", None)
    writer.add_step(1, "Idle", "idle", "")
    writer.finish()
    with closing(sqlite3.connect(writer.path)) as connection:
        connection.execute("DROP VIEW report_table")
        connection.execute("CREATE VIEW report_table AS SELECT label AS step FROM step")
        connection.execute("ALTER TABLE source DROP COLUMN measures")
        connection.execute("ALTER TABLE clock_pair DROP COLUMN offset_ns")
        connection.execute("PRAGMA user_version = 1")
        digest = content_digest(connection)
        connection.execute("UPDATE session SET sha256 = ?", (digest,))
        if changed:
            connection.execute("UPDATE session SET dut = 'another'")
        connection.commit()
    with Session.open(writer.path) as session:
        assert [source.measures for source in session.sources()] == ["dut"]
        assert session.is_unchanged() is not changed
        [row] = session.report_table()
        assert (row["step"], row["thin"]) == ("Idle", "")
    assert _query(writer.path, "PRAGMA user_version") == [(VERSION,)]


def test_a_number_put_in_by_hand_is_told_without_sql(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(BadInput) as told:
        Session.open(path)
    assert "says that it has format 1, and its tables are others" in str(told.value)
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
    migrate(old)
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
