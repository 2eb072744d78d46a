"""Older files are brought up to date, one version at a time, or left as they are."""

import sqlite3
from pathlib import Path

import pytest

from app.record.store import Session, Writer
from app.record.store.database import VERSION
from app.record.store.migrations import MIGRATIONS, migrate
from tests.app.record.recording import INFO

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
    migrate(path, STEPS[:1])
    assert _query(path, "PRAGMA user_version") == [(2,)]
    migrate(path, STEPS)
    assert _query(path, "PRAGMA user_version") == [(3,)]
    assert _query(path, "SELECT * FROM extra") == [(1,)]
    migrate(path, STEPS)
    assert _query(path, "SELECT count(*) FROM extra") == [(1,)]


def test_a_step_that_fails_leaves_its_version(path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(path, (STEPS[0], "CREATE TABLE half (x); SELECT nonsense"))
    assert _query(path, "PRAGMA user_version") == [(2,)]
    assert _query(path, "SELECT name FROM sqlite_schema WHERE name = 'half'") == []


def test_an_old_file_is_migrated_on_opening(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.record.store.database.VERSION", 3)
    monkeypatch.setattr("app.record.store.migrations.MIGRATIONS", STEPS)
    with Session.open(path) as session:
        assert session.info.name == INFO.name
    assert _query(path, "PRAGMA user_version") == [(3,)]
