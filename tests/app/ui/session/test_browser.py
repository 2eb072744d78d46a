"""A folder of very many sessions is listed as quickly as one of few, in proportion."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QSize
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.record.store import SessionSummary
from app.ui.kit.context import Context
from app.ui.session.browser import SessionBrowser
from app.ui.session.list import SessionDelegate

ONE = SessionSummary(Path("a.bayscope"), "Reads", "dut", 1, 90.0, 2, "PASS")
PLACE = Path("somewhere")
MANY = [
    replace(ONE, path=Path(f"{number:03}.bayscope"), name=f"Run {number}")
    for number in range(600, 0, -1)
]

KEPT: list[object] = []
"""What stood in for methods that Qt calls: a widget that has called one remembers it
without holding it (docs/decisions/0002), and lives for longer than the test."""


@pytest.fixture
def browser(context: Context, qtbot: QtBot) -> SessionBrowser:
    made = SessionBrowser(context, dict)
    qtbot.addWidget(made)
    made.resize(300, 500)
    made.show()
    return made


def test_a_row_is_measured_for_all(
    browser: SessionBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    usual = SessionDelegate.sizeHint

    def size(
        self: SessionDelegate, option: QStyleOptionViewItem, index: QModelIndex
    ) -> QSize:
        asked.append(index.row())
        return usual(self, option, index)

    KEPT.append(size)
    monkeypatch.setattr(SessionDelegate, "sizeHint", size)
    browser.show_folder(PLACE, MANY)
    assert browser.model.rowCount() == len(MANY)
    assert len(set(asked)) == 1


def test_rows_are_as_high_as_the_one_that_names_a_file(browser: SessionBrowser) -> None:
    browser.show_folder(PLACE, MANY[:3])
    heights = {browser.list.sizeHintForRow(row) for row in range(3)}
    browser.show_folder(PLACE, [*MANY[:2], replace(MANY[2], name=MANY[0].name)])
    higher = {browser.list.sizeHintForRow(row) for row in range(3)}
    assert len(heights) == len(higher) == 1
    assert max(higher) > max(heights)


def test_a_folder_without_sessions_is_said_to_have_none(
    browser: SessionBrowser,
) -> None:
    browser.show_folder(PLACE, MANY[:3])
    assert browser.place.text() == str(PLACE)
    browser.show_folder(PLACE, [])
    assert browser.place.text() == f"No sessions in {PLACE}"


def test_what_is_read_is_listed_when_it_is_a_tenth_more(
    browser: SessionBrowser,
) -> None:
    listed: list[int] = []
    for told in (browser.model.modelReset, browser.model.rowsInserted):
        told.connect(lambda *_: listed.append(browser.model.rowCount()))
    for count in range(1, len(MANY)):
        browser.show_reading(PLACE, MANY[:count], len(MANY))
        assert browser.place.text() == f"Read {count} of {len(MANY)} in {PLACE}"
    assert 20 < len(listed) < 80
    assert listed[:5] == [1, 2, 3, 4, 5]
    browser.show_folder(PLACE, MANY)
    assert listed[-1] == browser.table.model().rowCount() == len(MANY)


def test_the_same_sessions_are_not_laid_out_again(
    browser: SessionBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.show_folder(PLACE, MANY)
    laid_out: list[bool] = []

    def lay_out(_: object) -> None:
        laid_out.append(True)

    KEPT.append(lay_out)
    monkeypatch.setattr(type(browser.list), "doItemsLayout", lay_out)
    browser.show_matching(None)
    assert not laid_out
    browser.show_matching({MANY[3].path})
    assert laid_out
    assert browser.model.summaries == [MANY[3]]
