"""The hash of a session notices every change of its content."""

import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest

from app.record.store import Result, Session, Writer
from tests.app.record.recording import INFO, POWER, START, readings

CHANGES = (
    "UPDATE session SET dut = 'another'",
    "UPDATE channel SET unit = 'kW' WHERE id = 1",
    "UPDATE segment SET data = x'00' WHERE id = 1",
    "DELETE FROM gap WHERE id = 1",
    "UPDATE result SET value = 1",
    "INSERT INTO event VALUES (9, 1, 'info', 's', 'x')",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 5))
    writer.append(readings(POWER, 5, START * 2))
    step = writer.add_step(1, "Idle", "idle", "")
    writer.result(step, Result("power_w", 2.0, "W", 0, 1))
    writer.finish()
    return writer.path


def test_a_finished_session_is_unchanged(path: Path) -> None:
    with Session.open(path) as session:
        assert len(session.sha256() or "") == 64
        assert session.is_unchanged()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(path: Path, change: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()
    with Session.open(path) as session:
        assert not session.is_unchanged()


def test_layout_does_not_matter(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("VACUUM")
    connection.close()
    with Session.open(path) as session:
        assert session.is_unchanged()


def test_all_is_hashed_once_an_opening(path: Path) -> None:
    with Session.open(path) as session:
        assert session.is_unchanged()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE step SET label = 'another'")
            connection.commit()
        assert session.is_unchanged()
    with Session.open(path) as session:
        assert not session.is_unchanged()


def test_nobody_waits_for_the_hash_and_closing_ends_it(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 5))
    for number in range(50_000):
        writer.event(number, "info", "mains", "one of many")
    writer.finish()
    session = Session.open(writer.path)
    answers: list[bool | None] = []
    aside = threading.Thread(target=lambda: answers.append(session.is_unchanged()))
    with session._reading():  # A read that lasts is no reason to wait either.
        aside.start()
        assert session.channels()
        aside.join(60)
    assert answers == [True]
    session.close()
    with Session.open(writer.path) as session:
        opened = session._opened
        connect, begun = opened.again, threading.Event()

        def again() -> sqlite3.Connection:
            session.close()  # Whatever comes first, it is never waited for.
            begun.set()
            return connect()

        opened.again = again  # type: ignore[method-assign]
        assert session.is_unchanged() is None
        assert begun.is_set()
