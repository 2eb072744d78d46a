"""What a line of the list of sessions says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from app.record.store import SessionSummary
from app.ui.kit.context import Context
from app.ui.session.list import (
    FILE_ROLE,
    WORD_ROLE,
    SessionDelegate,
    SessionModel,
    facts,
    started_of,
)

ONE = SessionSummary(Path("a.bayscope"), "Reads", "dut", 1, 90.0, 2, "PASS")


def test_a_changed_file_says_so_first() -> None:
    assert facts(replace(ONE, changed=True)).startswith("changed since · ")
    assert "changed" not in facts(ONE)


def test_a_file_that_cannot_be_read_says_why() -> None:
    newer = replace(ONE, error=f"{ONE.path}: of a newer Bayscope. Use that.")
    assert facts(newer) == "Of a newer Bayscope. Use that."


def test_a_session_with_rows_that_are_not_clean_says_so(context: Context) -> None:
    model = SessionModel(context)
    model.set_summaries([replace(ONE, unclean=2), replace(ONE, unclean=0)])
    unclean, clean = (model.index(row).data(WORD_ROLE) for row in range(2))
    assert (unclean, clean) == ("PASS, not clean", "PASS")


def test_sessions_of_one_name_show_their_files(context: Context) -> None:
    model = SessionModel(context)
    model.set_summaries([ONE, replace(ONE, path=Path("b.bayscope"))])
    assert [model.index(row).data(FILE_ROLE) for row in range(2)] == ["a", "b"]
    model.set_summaries([ONE])
    assert not model.index(0).data(FILE_ROLE)


def test_the_start_of_a_session_and_its_file_are_both_seen(
    context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the width that the list has in a window of 1280 pixels."""
    written: list[str] = []
    draw = QPainter.drawText

    def note(painter: QPainter, *given: Any) -> Any:
        written.append(given[-1])
        return draw(painter, *given)

    monkeypatch.setattr(QPainter, "drawText", note)
    model = SessionModel(context)
    long = replace(ONE, simulated=True, changed=True)
    names = [f"2026-03-0{day}-night-of-the-shelf.bayscope" for day in (1, 2)]
    model.set_summaries([replace(long, path=Path(name)) for name in names])
    view = QListView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.setItemDelegate(SessionDelegate(context.theme, view))
    view.resize(300, 120)
    view.grab()
    assert any(started_of(long) in text for text in written)
    assert "PASS" in written
    written.clear()
    view.resize(230, 120)
    view.grab()
    assert "PASS" not in written, "its sign is there, and the name has the room"
    assert any(text.startswith("2026-") and text.endswith("elf") for text in written)
