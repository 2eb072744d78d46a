"""The hash of a session notices every change of its content."""

import sqlite3
from pathlib import Path

import pytest

from app.record.store import Session, Writer
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
    writer.result(step, "power_w", 2.0, "W", start_ns=0, end_ns=1)
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
